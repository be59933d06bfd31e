import { type Clock, systemClock } from '../../lib/clock.js'

/**
 * Time in which this machine has run, ms, for what must happen within a time: where the machine stalls, or has no turn
 * for this process, a tick passes at most.
 */
const TICK_MS = 50
const LOOK_MS = 10
let [passed, last] = [0, performance.now()]
const sinceLast = (): number => Math.min(performance.now() - last, TICK_MS)
setInterval(() => { [passed, last] = [passed + sinceLast(), performance.now()] }, TICK_MS).unref()

export const steadyNow = (): number => passed + sinceLast()

/** As the clock's `after`, by this time: what is waited for comes first where both were held up. */
export function steadyAfter (ms: number, action: () => void): () => void {
  const end = steadyNow() + ms
  const timer = setInterval(() => {
    if (steadyNow() < end) return
    clearInterval(timer)
    action()
  }, Math.min(ms, LOOK_MS))
  return () => clearInterval(timer)
}

/** A clock of this time: while the machine stalls hardly any passes. */
export const steadyClock: Clock = {
  ...systemClock,
  now: steadyNow,
  after: steadyAfter,
  sleep: (ms, signal) => new Promise((resolve, reject) => {
    if (signal?.aborted === true) return reject(signal.reason)
    const stop = (): void => {
      cancel()
      reject(signal!.reason)
    }
    const cancel = steadyAfter(ms, () => {
      signal?.removeEventListener('abort', stop)
      resolve()
    })
    signal?.addEventListener('abort', stop, { once: true })
  })
}
