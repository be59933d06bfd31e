/** How many calls a node takes in one batch: learned from its refusals, so that each is met once and not on every page. */
import { faultOf } from './node-errors.js'

// Content Too Large: the batch is refused for its size, so a smaller one may pass.
const TOO_LARGE = 413
// Long enough that a node which takes no batches is rarely asked again, short enough that one odd hour isn't remembered for ever.
const FORGET_AFTER_MS = 600_000

/** A learned batch size between 1 and `largest`; 1 means single calls. */
export interface BatchSize {
  current (): number
  /** Takes note that a batch of `size` failed with `error`; true: the same calls are worth asking at once in smaller pieces. */
  refused (error: unknown, size: number): boolean
}

/** `now` in milliseconds. */
export function createBatchSize (largest: number, now: () => number): BatchSize {
  let learned = largest
  let learnedAt = now()

  function learn (size: number): void {
    learned = Math.max(1, Math.min(learned, size))
    learnedAt = now()
  }

  return {
    current () {
      if (learned < largest && now() - learnedAt >= FORGET_AFTER_MS) learned = largest
      return learned
    },

    refused (error, size) {
      const fault = faultOf(error)
      if (fault === undefined || size <= 1) return false
      if (fault.reason === 'too-large' || fault.status === TOO_LARGE) {
        learn(Math.floor(size / 2))
        return true
      }
      // The deadline has been used up by now: the next page tries less, this one has failed.
      if (fault.reason === 'timeout') learn(Math.floor(size / 2))
      // A list refused as a whole, by a 4xx status, a JSON-RPC error or a single answer.
      const refusal = fault.reason === 'batch' || fault.reason === 'wrong-shape' ||
        (fault.status !== undefined && fault.status >= 400 && fault.status < 500)
      if (refusal) learn(1)
      return refusal
    }
  }
}
