import fp from 'fastify-plugin'
import { type ALL, TICKER_TTL } from '../lib/answers/sources.js'
import { isServiceError } from '../lib/errors.js'
import { createFreshCache, type FreshCache } from '../lib/live/fresh.js'
import { createSnapshotReader, type Snapshot } from '../lib/live/snapshot.js'
import { createSupplyReader } from '../lib/live/supply.js'
import { createTokenReader } from '../lib/live/tokens.js'
import type { Supply } from '../schemas/supply.js'

declare module 'fastify' {
  interface FastifyInstance {
    /** The state now, kept while it is fresh. */
    live: {
      /** All DAOs; the key is always `ALL`. */
      snapshot: FreshCache<typeof ALL, Snapshot>
      supply: FreshCache<string, Supply>
    }
  }
}

/** Lifetime of the contract, ms. */
const METADATA_TTL = 100_000
/** Mints whose supply is kept: any address may be asked for, so the number is bounded. */
const MOST_MINTS = 1_000

export interface CacheOptions {
  /** Wall clock, ms. */
  now?: () => number
}

export default fp<CacheOptions>(async (fastify, { now = Date.now }) => {
  const { chain, program, config } = fastify
  const { excluded, staleIfError } = config
  const onFailure = (error: unknown): void => {
    if (!isServiceError(error, 'INVALID_MINT', 'MINT_NOT_FOUND')) fastify.log.warn({ err: error }, 'the chain could not be read')
  }
  const common = { ttl: TICKER_TTL, staleIfError, now, onFailure }
  const tokens = createTokenReader({ reader: chain.accounts, ttl: METADATA_TTL, now })
  const readSnapshot = createSnapshotReader({ reader: chain.accounts, tokens, client: program, excluded })
  fastify.decorate('live', {
    snapshot: createFreshCache({ ...common, load: readSnapshot, max: 1 }),
    supply: createFreshCache({ ...common, load: createSupplyReader(chain.accounts, program), max: MOST_MINTS })
  })
}, { name: 'cache', dependencies: ['config', 'rpc', 'program'] })
