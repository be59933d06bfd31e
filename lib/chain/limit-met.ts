import type { Allowance, Rate } from './rate.js'

/** Which limit a refused call has met: that of its method or that of all calls. It shows only once other methods are called too. */

export interface LimitFinder {
  /** Takes note that a call of `method` sent at `sentAt` was accepted. */
  accept (method: string, sentAt: number): void
  /**
   * The limit that a call of `method`, whose rate is `own`, sent at `at` has met. A method that is refused again and again while others are accepted has one
   * of its own, and what was found for all is taken back.
   */
  find (method: string, own: Rate, at: number): Rate
  /** Takes note that a limit has been found of a method of which none was known. */
  found (own: Rate, at: number): void
  /** Whether no call of any method was accepted of late: that is no method's limit, and if it lasts, none at all. */
  acceptsNothing (at: number): boolean
}

// A limit is met where so much of it has been used.
const FULL = 0.9
// By chance a method is not refused so often in a row, whatever its share of the calls.
const TELLING = 3
// By the measured headers of public nodes, per address and method.
export const METHOD_WINDOW_MS = 10_000

/** `all` is the rate of all calls. */
export function createLimitFinder (all: Rate): LimitFinder {
  /** Calls of all methods that were accepted in the window by which a method's limit was found. */
  const together = new WeakMap<Rate, number>()
  /**
   * The method whose refusals were taken for the limit of all calls, and of which nothing has been accepted since: when the first was sent, how often it was
   * refused, what was known of that limit before, whether other methods have been accepted, and whether that has shown it to be the method's own.
   */
  let suspect: { method: string, at: number, times: number, before: Allowance | undefined, hasOthers: boolean, isProved: boolean } | undefined

  const acceptsNothing = (at: number): boolean => all.accepted(METHOD_WINDOW_MS, at) === 0

  /** By what was accepted of the method and of all. */
  function byCounts (own: Rate, at: number): Rate {
    if (acceptsNothing(at)) return all
    const [ofOwn, ofAll] = [own.known(), all.known()]
    if (ofAll !== undefined && all.accepted(ofAll.windowMs, at) >= ofAll.calls * FULL) return all
    if (ofAll === undefined && ofOwn !== undefined) {
      const { calls, windowMs } = ofOwn
      // Fewer of its own were accepted than before, and others make up for them: what stays the same is what is limited.
      if (Math.abs(all.accepted(windowMs, at) - (together.get(own) ?? calls)) < Math.abs(own.accepted(windowMs, at) - calls)) {
        own.forget()
        return all
      }
    }
    // That of the method, unless others made most of the calls.
    return own.accepted(METHOD_WINDOW_MS, at) < all.accepted(METHOD_WINDOW_MS, at) / 2 ? all : own
  }

  return {
    accept (method, sentAt) {
      if (suspect?.method === method) suspect = undefined
      else if (suspect !== undefined && sentAt > suspect.at) suspect.hasOthers = true
    },
    find (method, own, at) {
      const limit = byCounts(own, at)
      if (limit === own) return own
      if (suspect?.method !== method) suspect = { method, at, times: 0, before: all.known(), hasOthers: false, isProved: false }
      suspect.times++
      if (!suspect.isProved && suspect.hasOthers && suspect.times >= TELLING) {
        suspect.isProved = true
        all.restore(suspect.before)
      }
      return suspect.isProved ? own : all
    },
    found (own, at) {
      const found = own.known()
      if (found !== undefined) together.set(own, all.accepted(found.windowMs, at))
    },
    acceptsNothing
  }
}
