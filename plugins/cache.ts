import fp from 'fastify-plugin'
import { ALL, TICKER_TTL } from '../lib/responses/sources.js'
import { isServiceError } from '../lib/errors.js'
import { createSetReader, type SetReader } from '../lib/live/account-sets.js'
import { createFreshCache, dated, type FreshCache, type Kept, noted } from '../lib/live/fresh.js'
import { createSnapshotReader, type Snapshot } from '../lib/live/snapshot.js'
import { createSupplyReader, type DaosOf } from '../lib/live/supply.js'
import { createTokenReader, type TokenReader } from '../lib/live/tokens.js'
import { createProgramClient, type ProgramClient } from '../lib/protocol/client.js'
import type { Supply } from '../schemas/supply.js'

declare module 'fastify' {
  interface FastifyInstance {
    /** The configured program, and Anchor's decoders of its accounts and those that supply reads. */
    program: ProgramClient
    /** The state now, kept while it is fresh. */
    cache: {
      /** All DAOs; the key is always `ALL`. */
      snapshot: FreshCache<typeof ALL, Snapshot>
      daosOf: DaosOf
      supply: Kept<Supply, [mint: string]>
      readSets: SetReader
      tokens: TokenReader
    }
  }
}

/** Lifetime of what is known of a token, by the contract, ms. */
const METADATA_TTL = 100_000
/** Mints whose supply is kept: any address may be asked for, so the number is bounded. */
const MAX_MINTS = 1_000

export default fp(async fastify => {
  const { chain, config: { factory, excluded, staleIfError } } = fastify
  const { clock: { now } } = chain
  const program = createProgramClient(factory)
  fastify.decorate('program', program)
  // before the first request, and not before the service listens
  fastify.addHook('onListen', () => program.load())
  const onFailure = (error: unknown): void => {
    if (!isServiceError(error, 'INVALID_MINT', 'MINT_NOT_FOUND')) {
      fastify.log.warn({ err: error }, 'the chain could not be read')
    }
  }
  const common = { ttl: TICKER_TTL, staleIfError, now, time: chain.time, onFailure }
  // what the store holds outlives a restart: a DAO that has traded is there
  const stored = (): Array<readonly [string, number]> => fastify.hasDecorator('history')
    ? [...fastify.history.report()].flatMap(([address, { firstSlot }]) =>
        firstSlot === null ? [] : [[address, firstSlot] as const])
    : []
  const tokens = createTokenReader({ reader: chain.accounts, ttl: METADATA_TTL, now })
  const readSnapshot = createSnapshotReader({ reader: chain.accounts, tokens, client: program, excluded, now, stored })
  const snapshot = createFreshCache<typeof ALL, Snapshot>({ ...common, load: readSnapshot, max: 1 })

  const daosOf: DaosOf = async (parts, mint) => [...noted(await snapshot.get(ALL), parts).daos.values()]
    .filter(({ baseMint }) => baseMint === mint).map(({ address }) => address)

  const readSets = createSetReader(chain.accounts)
  const readSupply = createSupplyReader(readSets, program, daosOf)
  const { get: supplyOf } = createFreshCache<string, Supply>({
    ...common, load: mint => dated(parts => readSupply(parts, mint)), max: MAX_MINTS
  })
  fastify.decorate('cache', {
    snapshot,
    daosOf,
    supply: async (parts, mint) => noted(await supplyOf(mint), parts),
    readSets,
    tokens
  })
}, { name: 'cache', dependencies: ['config', 'chain'] })
