import type { Clock } from '../../clock.js'

/** A step takes about so long, so that the head is looked at in between; the first one is small. */
const STEP_MS = 2000
const FIRST_STEP = 10
/** The pace of late is that of so long, ms, and known from so long on. */
const RECENT_MS = 60_000
const KNOWN_FROM_MS = 2000

/** Learns how many transactions a step may hold, and how long a number of them will take. */
export function createPace (clock: Clock, { least, most }: { least: number, most: number }) {
  let size = Math.max(least, Math.min(most, FIRST_STEP))
  const stored: Array<{ at: number, count: number }> = []

  return {
    /** Transactions to ask for at once. */
    get size () { return size },

    /** So many were given within `ms`. */
    learn (given: number, ms: number): void {
      if (given > 0) size = Math.round(Math.min(most, 2 * size, Math.max(least, given / Math.max(ms, 1) * STEP_MS)))
    },

    /** So many have been stored now. */
    count (count: number): void {
      const at = clock.now()
      const last = stored.at(-1)
      if (last !== undefined && at - last.at < RECENT_MS / 100) last.count += count
      else stored.push({ at, count })
      while (stored.length > 1 && stored[0]!.at < at - RECENT_MS) stored.shift()
    },

    /** Seconds that `left` transactions take at the pace of late; null while it is not known. */
    secondsFor (left: number): number | null {
      if (left === 0) return 0
      const [first] = stored
      const ms = first === undefined ? 0 : clock.now() - first.at
      const count = stored.slice(1).reduce((sum, { count }) => sum + count, 0)
      return count === 0 || ms < KNOWN_FROM_MS ? null : Math.ceil(left * ms / count / 1000)
    }
  }
}
