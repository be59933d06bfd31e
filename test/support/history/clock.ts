import { type Clock, systemClock } from '../../../lib/clock.js'

/** A clock of a test: `now` in ms, and waits that `move` it and take no real time. */
export function clockOf (now: () => number, move: (ms: number) => void): Clock {
  return {
    ...systemClock,
    now,
    epoch: now,
    random: () => 0.5,
    async sleep (ms, signal) {
      signal?.throwIfAborted()
      move(ms)
      await new Promise(resolve => setImmediate(resolve))
      signal?.throwIfAborted()
    }
  }
}

/** The system's clock with another beginning: real waits, times as `now` says. */
export const realClock = (now: () => number): Clock => ({ ...systemClock, now, epoch: now })
