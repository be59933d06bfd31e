import type { ServiceError } from '../../errors.js'
import type { Fetch } from '../types.js'
import type { Clock } from './clock.js'
import { underSignals } from './signals.js'

export interface DeadlineOptions {
  ms: number
  clock: Clock
  /** The error of a call that took longer. */
  expired: () => ServiceError
}

/** Ends a call after `ms`, whatever it is doing: connecting, waiting, or reading a body that drips. */
export function withDeadline (fetch: Fetch, { ms, clock, expired }: DeadlineOptions): Fetch {
  return async (input, init) => {
    let cancel = () => {}
    try {
      return await underSignals([init?.signal], controller => {
        cancel = clock.after(ms, () => controller.abort(expired()))
        return fetch(input, { ...init, signal: controller.signal })
      })
    } finally {
      cancel()
    }
  }
}
