import fp from 'fastify-plugin'
import { accountsOf, createFinalDaos, type SnapshotCache, staleAfter, TICKER_TTL } from '../lib/responses/sources.js'
import type { HistoryOptions } from '../lib/history/history.js'
import { createFreshCache } from '../lib/live/fresh.js'
import { createSnapshotReader, type Snapshot } from '../lib/live/snapshot.js'
import { createTokenReader, type TokenReader } from '../lib/live/tokens.js'
import { createProgramClient, type ProgramClient } from '../lib/protocol/client.js'

declare module 'fastify' {
  interface FastifyInstance {
    /** The configured program, and Anchor's decoders of its accounts and those that supply reads. */
    program: ProgramClient
    /** The state now, kept while it is fresh. */
    cache: {
      snapshot: SnapshotCache
      /** For the history to compare with. */
      daos: HistoryOptions['daos']
      tokens: TokenReader
    }
  }
}

/** Lifetime of a token's metadata, by the contract, ms. */
const METADATA_TTL = 100_000

export default fp(async fastify => {
  const { chain: { accounts, finalAccounts, clock: { now }, time }, config } = fastify
  const { factory, excluded, staleIfError } = config
  const program = createProgramClient(factory)
  fastify.decorate('program', program)
  // before the first request, and not before the service listens
  fastify.addHook('onListen', () => program.load())
  // what the store holds outlives a restart: a DAO that has traded is there
  const of = () => fastify.hasDecorator('history') ? fastify.history : undefined   // `npm run backfill` has its own
  const stored = () => of()?.report() ?? []
  const loaded = async () => await of()?.loaded
  const tokens = createTokenReader({ reader: accounts, ttl: METADATA_TTL, now })
  const snapshot = createFreshCache<Snapshot, [maxAge?: number]>({
    load: createSnapshotReader({
      reader: accounts, tokens, client: program, excluded, servedMs: staleAfter(config), stored, loaded
    }),
    keyOf: () => '',
    maxAgeOf: ([maxAge]) => maxAge,
    ttl: TICKER_TTL,
    staleIfError,
    max: 1,
    now,
    time,
    onFailure: error => fastify.log.warn({ err: error }, 'the chain could not be read')
  })
  const finalDaos = createFinalDaos(finalAccounts, program)
  fastify.decorate('cache', {
    snapshot,
    daos: async final => final === undefined ? accountsOf(await snapshot.get([])) : await finalDaos(final),
    tokens
  })
}, { name: 'cache', dependencies: ['config', 'chain'] })
