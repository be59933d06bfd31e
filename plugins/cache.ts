import fp from 'fastify-plugin'
import { ALL, TICKER_TTL } from '../lib/responses/sources.js'
import { haltedMs } from '../lib/responses/standing.js'
import type { AccountReader } from '../lib/chain/types.js'
import { isServiceError } from '../lib/errors.js'
import type { HistoryReport } from '../lib/history/report.js'
import { createFreshCache, type FreshCache } from '../lib/live/fresh.js'
import { createSharedState, type StatePlace } from '../lib/live/shared-state.js'
import { createSlotAges } from '../lib/live/slot-ages.js'
import { createSnapshotReader, type Snapshot } from '../lib/live/snapshot.js'
import { createSupplyReader } from '../lib/live/supply.js'
import { createTokenReader } from '../lib/live/tokens.js'
import type { Supply } from '../schemas/supply.js'

declare module 'fastify' {
  interface FastifyInstance {
    /** The state now, kept while it is fresh. */
    cache: {
      /** All DAOs; the key is always `ALL`. */
      snapshot: FreshCache<typeof ALL, Snapshot>
      supply: FreshCache<string, Supply>
      /** Names the place where processes put the state of all DAOs for each other. */
      share (place: StatePlace): void
    }
  }
}

/** Lifetime of the contract, ms. */
const METADATA_TTL = 100_000
/** Mints whose supply is kept: any address may be asked for, so the number is bounded. */
const MAX_MINTS = 1_000

export default fp(async fastify => {
  const { chain, program, config } = fastify
  const { clock: { now } } = chain
  const { excluded, staleIfError } = config
  const onFailure = (error: unknown): void => {
    if (!isServiceError(error, 'INVALID_MINT', 'MINT_NOT_FOUND')) fastify.log.warn({ err: error }, 'the chain could not be read')
  }
  const common = { ttl: TICKER_TTL, staleIfError, now, onFailure, haltedMs: () => haltedMs(chain.standing()) }
  const ages = createSlotAges(now, chain.pastMs)
  // what the store holds outlives a restart: a DAO that has traded is there
  const report = (): HistoryReport => fastify.hasDecorator('history') ? fastify.history.report() : new Map()
  const stored = (): Array<readonly [string, number]> => Array.from(report()).flatMap(([address, { firstSlot }]) => firstSlot === null ? [] : [[address, firstSlot] as const])
  const tokens = createTokenReader({ reader: chain.accounts, ttl: METADATA_TTL, now })
  let place: StatePlace | undefined
  const shared = createSharedState({
    place: () => place,
    program: program.program,
    prefix: program.daoPrefix,
    ttl: TICKER_TTL,
    now,
    ages,
    canBe: chain.canBe,
    onTrouble: error => error === undefined
      ? fastify.log.info({ code: 'shared-state' }, 'the state of the chain is shared again')
      : fastify.log.warn({ code: 'shared-state', err: error }, 'the state of the chain can\'t be shared through the database: each process reads its own until it can')
  })
  const readSnapshot = createSnapshotReader({ reader: chain.accounts, tokens, client: program, excluded, ages, now, expectsSome: () => report().size > 0, stored, shared })
  const snapshot = createFreshCache<typeof ALL, Snapshot>({ ...common, load: readSnapshot, readAt: ({ seenAt }) => seenAt, max: 1 })

  /** The DAOs that trade a mint as their base, but for those that are excluded; `onStale` is told of when they were seen where the chain can't be read now. */
  async function daosOf (mint: string, onStale: (seenAt: number) => void): Promise<string[]> {
    const { value: { discovered, seenAt }, left } = await snapshot.get(ALL)
    if (left === 0) onStale(seenAt)
    return discovered.filter(({ dao, leftOut }) => dao?.baseMint === mint && leftOut !== 'excluded').map(({ address }) => address)
  }

  /** When the oldest state that a supply was read from was first seen. */
  const supplySeenAt = new WeakMap<Supply, number>()
  async function readSupply (mint: string): Promise<Supply> {
    let seenAt = now()
    const accounts: AccountReader = {
      ...chain.accounts,
      async accounts (...asked) {
        const read = await chain.accounts.accounts(...asked)
        seenAt = Math.min(seenAt, ages.seenAt(read.slot))
        return read
      }
    }
    // a DAO born since the list was read would be missing from the supply: it is as old as the list
    const supply = await createSupplyReader(accounts, program, mint => daosOf(mint, at => { seenAt = Math.min(seenAt, at) }))(mint)
    supplySeenAt.set(supply, seenAt)
    return supply
  }

  fastify.decorate('cache', {
    snapshot,
    share (shared) { place = shared },
    supply: createFreshCache({ ...common, load: readSupply, readAt: supply => supplySeenAt.get(supply) ?? now(), max: MAX_MINTS })
  })
}, { name: 'cache', dependencies: ['config', 'chain', 'program'] })
