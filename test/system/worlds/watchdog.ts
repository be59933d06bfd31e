/**
 * A loop that never lets anything else in can't be told by the thread it holds: another one does, and ends the process.
 */
import { Worker } from 'node:worker_threads'

/** Real time for which the event loop may not turn, ms. */
const MOST_MS = 60_000
const SOURCE = `
const { workerData: { shared, most } } = require('node:worker_threads')
const [beats, seed] = [new Int32Array(shared, 0, 1), new Int32Array(shared, 4, 1)]
let [last, since] = [-1, Date.now()]
setInterval(() => {
  const beat = Atomics.load(beats, 0)
  if (beat !== last) [last, since] = [beat, Date.now()]
  else if (Date.now() - since > most) {
    require('node:fs').writeSync(1, 'seed ' + Atomics.load(seed, 0) + ', second 0: the event loop has not turned for ' + most / 1000 + ' s\\n')
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
  new Worker(SOURCE, { eval: true, workerData: { shared, most: MOST_MS }, execArgv: [] }).unref()
  return {
    world: seed => { Atomics.store(current, 0, seed) },
    beat: () => { Atomics.add(beats, 0, 1) }
  }
}
