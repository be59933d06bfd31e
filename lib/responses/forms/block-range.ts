import { ServiceError } from '../../errors.js'
import type { ChainPosition, PoolEvent, PublishedReading } from '../../history/history.js'
import type { CachedResponse } from '../../http/cached-response.js'
import type { Aged } from '../../live/fresh.js'
import { parseKey } from '../../protocol/pda.js'
import { invalidParameter } from '../../query.js'
import {
  type BlockEvent, type DexAsset, DexAssetSchema, type DexEvents, DexEventsSchema, type DexPair, DexPairSchema, type GeckoTerminalAsset, GeckoTerminalAssetSchema,
  type GeckoTerminalEvents, GeckoTerminalEventsSchema, type LatestBlock, LatestBlockSchema
} from '../../../schemas/block-range.js'
import { poolNotFound } from '../../../schemas/messages.js'
import { exactResponse, singleExactResponse } from '../exact-response.js'
import { ALL, TICKER_TTL } from '../sources.js'
import { blockEvent } from './block-event.js'
import { createPoolTokens } from './pool-tokens.js'
import type { FormSources } from './sources.js'
import { nameOf, symbolOf } from './token-texts.js'

/** The market as a sequence of blocks: DEX Screener's form, and GeckoTerminal's. */
export interface BlockRange<Asset, Events> {
  latestBlock (): Promise<Aged<CachedResponse<LatestBlock>>>
  /** Throws INVALID_MINT and MINT_NOT_FOUND. */
  asset (mint: string): Promise<Aged<CachedResponse<Asset>>>
  /** Throws INVALID_POOL_ID and POOL_NOT_FOUND; WARMING_UP while it is not stored what began the pool. */
  pair (pool: string): Promise<Aged<CachedResponse<DexPair>>>
  /** Throws INVALID_PARAMETER where the range is too long or goes beyond the latest block. */
  events (from: number, to: number): Promise<Aged<CachedResponse<Events>>>
}

/** Most slots of one range. */
export const MAX_SLOTS = 10_000
/** Most events of one range: far more than a chain's blocks have of one program. */
const MAX_EVENTS = 200_000
const PAGE = 2_000
/** How long the latest block is fresh, ms. */
const LATEST_TTL = 1_000

const toLatest = exactResponse(LatestBlockSchema)
const toPair = exactResponse(DexPairSchema)
const toDexAsset = exactResponse(DexAssetSchema)
const toGeckoTerminalAsset = exactResponse(GeckoTerminalAssetSchema)
const toDexEvents = singleExactResponse(DexEventsSchema)
const toGeckoTerminalEvents = singleExactResponse(GeckoTerminalEventsSchema)

const positionOf = ({ slot, blockIndex, eventIndex }: PoolEvent): ChainPosition => ({ slot, blockIndex: blockIndex ?? 0, eventIndex })

export function createBlockRanges (sources: FormSources): { dexscreener: BlockRange<DexAsset, DexEvents>, geckoterminal: BlockRange<GeckoTerminalAsset, GeckoTerminalEvents> } {
  const { history, snapshot: snapshots, supply: supplies, settings: { excluded } } = sources
  const tokensOf = createPoolTokens(sources)

  async function latest (reading: PublishedReading): Promise<{ slot: number, at: number }> {
    const published = await reading.published()
    if (published === null) throw new ServiceError('WARMING_UP', 'no block has been published yet')
    return published
  }

  /** Every event of a range that has been published. */
  async function stored (from: number, to: number): Promise<PoolEvent[]> {
    return await history.published(async reading => {
      const { slot } = await latest(reading)
      if (to > slot) throw invalidParameter('toBlock', `the latest block, ${slot}, at most`)
      const events: PoolEvent[] = []
      for (let page: PoolEvent[] | undefined; page === undefined || page.length === PAGE;) {
        page = await reading.poolEvents({ from, to, limit: PAGE, ...(page !== undefined && { after: positionOf(page.at(-1)!) }) })
        events.push(...page)
        if (events.length > MAX_EVENTS) throw invalidParameter('toBlock', `fewer blocks: these hold more than ${MAX_EVENTS} events`)
      }
      return events
    })
  }

  async function events (from: number, to: number): Promise<BlockEvent[]> {
    if (to < from) throw invalidParameter('toBlock', 'fromBlock or more')
    if (to - from >= MAX_SLOTS) throw invalidParameter('toBlock', `at most ${MAX_SLOTS} blocks in one call`)
    const told: BlockEvent[] = []
    for (const event of await stored(from, to)) {
      if (excluded.has(event.dao)) continue
      const tokens = await tokensOf(event.dao)
      // A range is asked for once: nothing is left out of it that may be there the next time
      if (tokens === undefined) throw new ServiceError('HISTORY_UNAVAILABLE', `the tokens of ${event.dao} can't be read: its events can't be told`)
      const one = blockEvent(event, tokens)
      if (one !== undefined) told.push(one)
    }
    return told
  }

  async function token (mint: string) {
    if (parseKey(mint) === undefined) throw new ServiceError('INVALID_MINT', 'no key')
    const { value: { tokens } } = await snapshots.get(ALL)
    const found = tokens.get(mint)
    if (found == null) throw new ServiceError('MINT_NOT_FOUND', 'no token of any pool')
    const { value: { totalSupply, circulatingSupply }, ...age } = await supplies.get(mint)
    return { asset: { id: mint, name: nameOf(found), symbol: symbolOf(found), totalSupply, circulatingSupply }, decimals: found.decimals, age }
  }

  async function pair (pool: string): Promise<DexPair> {
    if (parseKey(pool) === undefined) throw new ServiceError('INVALID_POOL_ID', 'no key')
    const tokens = excluded.has(pool) ? undefined : await tokensOf(pool)
    if (tokens === undefined) throw new ServiceError('POOL_NOT_FOUND', poolNotFound(pool))
    const { first, isLost } = await history.published(async reading => ({ first: await reading.firstEvent(pool), isLost: await reading.isBeginningLost(pool) }))
    const known = { id: pool, dexKey: 'futarchy' as const, asset0Id: tokens.baseMint, asset1Id: tokens.quoteMint }
    // Asked for once: what was left out because no node had it stays left out
    if (first === null ? isLost : first.isLate) return { pair: known }
    if (first === null || first.maker === null) throw new ServiceError('WARMING_UP', 'what began the pool is not stored yet')
    const { slot, at, signature, maker } = first
    return { pair: { ...known, createdAtBlockNumber: slot, createdAtBlockTimestamp: at, createdAtTxnId: signature, creator: maker } }
  }

  const fresh = async <T>(value: Promise<CachedResponse<T>>, left = TICKER_TTL): Promise<Aged<CachedResponse<T>>> => ({ value: await value, age: 0, left })

  const common = {
    async latestBlock () {
      const { slot, at } = await history.published(latest)
      return await fresh(toLatest({ block: { blockNumber: slot, blockTimestamp: at } }), LATEST_TTL)
    },
    pair: async (pool: string) => await fresh(toPair(await pair(pool)))
  }

  return {
    dexscreener: {
      ...common,
      async asset (mint) {
        const { asset, age } = await token(mint)
        return { value: await toDexAsset({ asset }), ...age }
      },
      events: async (from, to) => await fresh(toDexEvents({ events: await events(from, to) }))
    },
    geckoterminal: {
      ...common,
      async asset (mint) {
        const { asset, decimals, age } = await token(mint)
        return { value: await toGeckoTerminalAsset({ asset: { ...asset, decimals } }), ...age }
      },
      // Its form has no event without reserves
      events: async (from, to) => await fresh(toGeckoTerminalEvents({ events: (await events(from, to)).filter(hasReserves) }))
    }
  }
}

const hasReserves = (event: BlockEvent): event is GeckoTerminalEvents['events'][number] => event.reserves !== undefined
