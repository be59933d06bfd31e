/**
 * A loop that never lets anything else in can't be told by the thread it holds: another one does, and ends the process.
 */
import { Worker } from 'node:worker_threads'

/** Seconds of real time for which the event loop may not turn, counted: a machine that stalls counts none. */
const MOST = 60
const SOURCE = `
const { workerData: { shared, most } } = require('node:worker_threads')
const [beats, seed] = [new Int32Array(shared, 0, 1), new Int32Array(shared, 4, 1)]
let [last, silent] = [-1, 0]
setInterval(() => {
  const beat = Atomics.load(beats, 0)
  silent = beat === last ? silent + 1 : 0
  last = beat
  if (silent > most) {
    const told = ', second 0: the event loop has not turned for ' + most + ' s\\n'
    require('node:fs').writeSync(1, 'seed ' + Atomics.load(seed, 0) + told)
    process.kill(process.pid, 'SIGKILL')
  }
}, 1000)
`

export interface Watchdog {
  /** The world that begins. */
  world (seed: number): void
  /** The loop has turned. */
  beat (): void
}

export function startWatchdog (): Watchdog {
  const shared = new SharedArrayBuffer(8)
  const [beats, current] = [new Int32Array(shared, 0, 1), new Int32Array(shared, 4, 1)]
  new Worker(SOURCE, { eval: true, workerData: { shared, most: MOST }, execArgv: [] }).unref()
  return {
    world: seed => { Atomics.store(current, 0, seed) },
    beat: () => { Atomics.add(beats, 0, 1) }
  }
}
