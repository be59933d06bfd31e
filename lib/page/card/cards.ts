import { createTurns } from '../../async.js'
import { ServiceError } from '../../errors.js'
import { createFreshCache } from '../../live/fresh.js'
import { type CardFacts, drawCard } from './card.js'

/** Images of pools, drawn one after the other: each costs some tens of milliseconds of CPU, so they are kept, and few may wait. */

/** How long an image is the newest there is, ms: those who show it keep it for hours. */
const LIFETIME = 300_000
/** Some 60 kB each. */
const MAX_KEPT = 64
const MAX_WAITING = 8

/** `factsOf` gives what is known of a pool. The function throws OVERLOADED where too many are being drawn, and what `factsOf` throws. */
export function createCards (factsOf: (pool: string) => Promise<CardFacts>, now: () => number): (pool: string) => Promise<Buffer> {
  const inTurn = createTurns()
  let waiting = 0
  const cache = createFreshCache<string, Buffer>({
    ttl: LIFETIME,
    staleIfError: 0,
    max: MAX_KEPT,
    now,
    async load (pool) {
      if (waiting >= MAX_WAITING) throw new ServiceError('OVERLOADED', 'too many images are being drawn')
      waiting++
      try {
        return await inTurn(async () => await drawCard(await factsOf(pool)))
      } finally {
        waiting--
      }
    }
  })
  return async pool => (await cache.get(pool)).value
}
