import { LRUCache } from 'lru-cache'
import { isServiceError, type ServiceError } from '../errors.js'
import { upTo } from '../lru.js'
import type { FreshCache } from './fresh.js'

/** How long a key that is no mint is not asked for again, ms. */
const REMEMBERED = 10_000
const MAX_UNKNOWN = 10_000

/** The cache, which asks no node again for a while about a key found to be no mint: anyone may ask for any. */
export function rememberUnknown<V> (cache: FreshCache<string, V>, now: () => number): FreshCache<string, V> {
  const unknown = new LRUCache<string, { error: ServiceError, at: number }>(upTo(MAX_UNKNOWN))
  return {
    ...cache,
    async get (mint, maxAge) {
      const known = unknown.get(mint)
      if (known !== undefined && now() - known.at < REMEMBERED) throw known.error
      try {
        return await cache.get(mint, maxAge)
      } catch (error) {
        if (isServiceError(error, 'MINT_NOT_FOUND')) unknown.set(mint, { error, at: now() })
        throw error
      }
    }
  }
}
