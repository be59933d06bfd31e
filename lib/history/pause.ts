import { setTimeout as wait } from 'node:timers/promises'

/** Resolves after `ms`, or earlier when `signal` is aborted. */
export type Sleep = (ms: number, signal?: AbortSignal) => Promise<void>

const sleeper = (ref: boolean): Sleep => async (ms, signal) => {
  try {
    await wait(ms, undefined, { ref, ...(signal && { signal }) })
  } catch (error) {
    if (signal?.aborted !== true) throw error
  }
}

/** Does not keep the process alive. */
export const sleep = sleeper(false)
/** Keeps the process alive: for a command that has nothing else to wait for. */
export const wakefulSleep = sleeper(true)

const FIRST_MS = 500
/** Volumes are served again only once the head has been reached: that must not take longer than half a cache lifetime after a fault has ended. */
const MOST_MS = 5_000

/** How long to wait after the nth failure in a row (from 1): doubling up to a bound, and never less than the node asked for. */
export function backoff (failures: number, retryAfter = 0): number {
  return Math.max(Math.min(FIRST_MS * 2 ** (failures - 1), MOST_MS), retryAfter * 1000)
}

/** Thrown out of a wait when the indexer stops: the step at hand is given up, nothing of it is written. */
export class Stopped extends Error {
  override readonly name = 'Stopped'
}
