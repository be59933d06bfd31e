import type { Clock } from '../clock.js'

export interface BudgetOptions {
  clock: Clock
  /** Retries earned by each call. */
  ratio: number
  /** Retries earned by each second, so that a quiet service may retry too. */
  perSecond: number
  /** The most that can be saved, and what there is at first. */
  most: number
}

/** What may be spent on retries, over all calls together: a node in trouble must not get a multiple of the usual load. */
export interface RetryBudget {
  /** A call has begun. */
  earn (): void
  /** Takes one retry; false: there is none left. */
  spend (): boolean
}

export function createRetryBudget ({ clock, ratio, perSecond, most }: BudgetOptions): RetryBudget {
  let left = most
  let at = clock.now()

  function add (amount: number): void {
    const now = clock.now()
    left = Math.min(most, left + amount + (now - at) / 1000 * perSecond)
    at = now
  }

  return {
    earn: () => add(ratio),
    spend () {
      add(0)
      if (left < 1) return false
      left--
      return true
    }
  }
}
