import type { Clock } from '../../lib/clock.js'

export interface FakeClock extends Clock {
  /** The pauses that were slept, which take no time but move the clock. */
  slept: number[]
  /** Moves the clock and runs what falls due. */
  advance (ms: number): void
  /** Timers that are set. */
  timers (): number
}

/** A clock that stands still unless it is moved; chance is always `chance`. */
export function createFakeClock (chance = 0.5): FakeClock {
  let time = 1_000_000
  const due = new Map<object, { at: number, action: () => void }>()
  const clock: FakeClock = {
    slept: [],
    now: () => time,
    epoch: () => time,
    random: () => chance,
    async sleep (ms, signal) {
      signal?.throwIfAborted()
      clock.slept.push(ms)
      clock.advance(ms)
    },
    after (ms, action) {
      const key = {}
      due.set(key, { at: time + ms, action })
      return () => { due.delete(key) }
    },
    advance (ms) {
      time += ms
      for (const [key, { at, action }] of due) {
        if (at > time) continue
        due.delete(key)
        action()
      }
    },
    timers: () => due.size
  }
  return clock
}
