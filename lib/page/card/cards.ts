import { LRUCache } from 'lru-cache'
import type { Turn } from '../../line.js'
import { type CardFacts, drawCard } from './card.js'

/** Images of pools: each costs some tens of milliseconds of CPU, so they are kept, and drawn in turns of who asks. */

/** How long an image is the newest there is, ms: those who show it keep it for hours. */
const LIFETIME = 300_000
/** Some 40 kB each. */
const MAX_KEPT = 64

/** `factsOf` gives what is known of a pool. The function throws OVERLOADED, and what `factsOf` throws. */
export function createCards (
  factsOf: (pool: string) => Promise<CardFacts>
): (pool: string, turn: Turn) => Promise<Buffer> {
  const cache = new LRUCache<string, Buffer, Turn>({
    ttl: LIFETIME,
    max: MAX_KEPT,
    async fetchMethod (pool, _stale, { context: turn }) {
      const facts = await factsOf(pool)
      return await turn(() => drawCard(facts))
    }
  })
  return async (pool, turn) => (await cache.fetch(pool, { context: turn }))!
}
