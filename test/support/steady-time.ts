/**
 * Time in which this machine has run, ms, for what must happen within a time: where the machine stalls, or has no turn
 * for this process, a tick passes at most.
 */
const TICK_MS = 50
let [passed, last] = [0, performance.now()]
const sinceLast = (): number => Math.min(performance.now() - last, TICK_MS)
setInterval(() => { [passed, last] = [passed + sinceLast(), performance.now()] }, TICK_MS).unref()

export const steadyNow = (): number => passed + sinceLast()
