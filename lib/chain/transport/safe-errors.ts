import { ServiceError } from '../../errors.js'
import type { Fetch } from '../types.js'
import { networkError } from './fault.js'

/** Replaces whatever the platform throws, whose text and causes may hold the URL, by NODE_UNAVAILABLE; the reason of an abort passes. */
export function withSafeErrors (fetch: Fetch, { host }: { host: string }): Fetch {
  return async (input, init) => {
    try {
      return await fetch(input, init)
    } catch (error) {
      if (init?.signal?.aborted === true) throw init.signal.reason
      throw error instanceof ServiceError ? error : networkError(host, error)
    }
  }
}
