import { isServiceError } from '../../errors.js'
import type { Fetch } from '../types.js'
import type { RetryBudget } from './budget.js'
import type { Clock } from './clock.js'
import { isWorthRetrying, keptResponse } from './fault.js'

export interface RetryOptions {
  clock: Clock
  budget: RetryBudget
  /** The most tries after the first. */
  retries: number
  /** What the whole answer may take; a pause that does not fit is not begun. */
  answerMs: number
  /** The pause before the first retry is anything up to this; each further one up to twice as much. */
  backoffMs: number
}

// Beyond this a longer pause only wastes the answer's deadline.
const LONGEST_BACKOFF_MS = 2_000

/** Tries again what may pass, after a pause of full jitter or as long as the node asked for, while the budget and the deadline allow. */
export function withRetry (fetch: Fetch, { clock, budget, retries, answerMs, backoffMs }: RetryOptions): Fetch {
  return async (input, init) => {
    const deadline = clock.now() + answerMs
    let last: unknown
    budget.earn()
    for (let retry = 0; ; retry++) {
      try {
        return await fetch(input, init)
      } catch (error) {
        if (init?.signal?.aborted === true) throw error
        // Our own failures may have opened the last breaker: why they failed says more than that.
        if (last !== undefined && isServiceError(error, 'BREAKER_OPEN')) return giveUp(last)
        last = error
        const asked = isServiceError(error) ? error.retryAfter ?? 0 : 0
        const pause = asked * 1000 + clock.random() * Math.min(LONGEST_BACKOFF_MS, backoffMs * 2 ** retry)
        const tryAgain = isWorthRetrying(error) && retry < retries && clock.now() + pause < deadline && budget.spend()
        if (!tryAgain) return giveUp(error)
        await clock.sleep(pause, init?.signal)
      }
    }
  }
}

/** A JSON-RPC error did not pass: it is the answer. Anything else is thrown. */
function giveUp (error: unknown): Response {
  const response = keptResponse(error)
  if (response === undefined) throw error
  return response
}
