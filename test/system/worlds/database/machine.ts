/**
 * How late things are on a machine that others use, too: what is allowed grows with what is seen, and with nothing
 * else.
 */
import { availableParallelism, loadavg } from 'node:os'

/** So many may want each core. */
const WANTED = 2
const MOST = 3
/**
 * For how long a late answer says something about the machine, ms; what is above the most is no lateness but a defect.
 */
const KEPT_MS = 40_000
const MOST_MS = 4_000

/**
 * By how much longer what takes CPU may take: starting, indexing; 1 at least, and never more than three times as long.
 */
export const patience = (): number => Math.min(MOST, Math.max(1, loadavg()[0]! / availableParallelism() / WANTED))

export interface Lateness {
  /** An answer that waits for nothing came after so many ms. */
  note (ms: number): void
  /** How late a process and this one may have been of late, both ways, ms. */
  ms (): number
}

export function createLateness (now: () => number): Lateness {
  let seen: Array<{ at: number, ms: number }> = []
  return {
    note (ms) {
      seen = seen.filter(({ at }) => at > now() - KEPT_MS)
      seen.push({ at: now(), ms: Math.min(ms, MOST_MS) })
    },
    ms: () => 2 * seen.reduce((most, { ms }) => Math.max(most, ms), 0)
  }
}
