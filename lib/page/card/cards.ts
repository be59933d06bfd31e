import { LRUCache } from 'lru-cache'
import type { Turn } from '../../line.js'
import { drawCard } from './card.js'

/**
 * Images of pools and of the market: each costs some tens of milliseconds of CPU, so they are kept, and drawn in turns
 * of who asks.
 */

/** How long an image is the newest there is, ms: those who show it keep it for hours. */
const LIFETIME = 300_000
/** Some 40 kB each. */
const MAX_KEPT = 64

/** `sourceOf` gives that of a pool, or for '' of the market. The function throws OVERLOADED, and what that throws. */
export function createCards (
  sourceOf: (pool: string) => Promise<string>
): (pool: string, turn: Turn) => Promise<Buffer> {
  const cache = new LRUCache<string, Buffer, Turn>({
    ttl: LIFETIME,
    max: MAX_KEPT,
    async fetchMethod (pool, _stale, { context: turn }) {
      const source = await sourceOf(pool)
      return await turn(() => drawCard(source))
    }
  })
  return async (pool, turn) => (await cache.fetch(pool, { context: turn }))!
}
