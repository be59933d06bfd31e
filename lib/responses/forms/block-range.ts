import { ServiceError } from '../../errors.js'
import type { History } from '../../history/history.js'
import {
  type CachedResponse, makeCachedResponse, type StreamedResponse, tagOfAll
} from '../../http/cached-response.js'
import type { Turn } from '../../line.js'
import type { Part } from '../../live/fresh.js'
import { SERVICE_VERSION } from '../../package.js'
import { invalidParameter } from '../../query.js'
import type { DexAsset, DexPair, GeckoTerminalAsset, LatestBlock } from '../../../schemas/block-range.js'
import { poolNotFound } from '../../../schemas/errors.js'
import { JSON_TYPE, jsonResponse } from '../json-response.js'
import { checkAddress } from '../sources.js'
import { createEventPieces, type EventPiece } from './event-pieces.js'
import { poolTokens } from './pool-tokens.js'
import type { FormSources } from './pairs.js'
import { nameOf, symbolOf } from './token-texts.js'

/** The market as a sequence of blocks: DEX Screener's form, and GeckoTerminal's. */
export type BlockRange = ReturnType<typeof createBlockRanges>['dexscreener']

const MAX_SLOTS = 20_000
/** Bytes up to which an answer is made as a whole: about what the platform and the network hold of any. */
const MAX_WHOLE = 2 ** 18
const [BEGIN, COMMA, END] = ['{"events":[', ',', ']}'].map(text => Buffer.from(text)) as [Buffer, Buffer, Buffer]

/** The slot up to which events have been published, and its Unix second. Throws WARMING_UP where there is none yet. */
export async function latest (history: Pick<History, 'published'>): Promise<{ slot: number, at: number }> {
  const published = await history.published(reading => reading.published())
  if (published === null) throw new ServiceError('WARMING_UP', 'no block has been published yet')
  return published
}

export function createBlockRanges (sources: FormSources) {
  const { history, snapshot: snapshots, supply: supplies, settings: { excluded } } = sources
  const pieces = createEventPieces(sources)

  /** The events of a range, `of` each piece those that a form has. */
  async function events (
    form: string, from: number, to: number, turn: Turn, of: (piece: EventPiece) => Buffer
  ): Promise<CachedResponse | StreamedResponse> {
    if (to < from) throw invalidParameter('toBlock', 'fromBlock or more')
    if (to - from >= MAX_SLOTS) throw invalidParameter('toBlock', `at most ${MAX_SLOTS} blocks in one call`)
    const { slot } = await latest(history)
    if (to > slot) throw invalidParameter('toBlock', `the latest block, ${slot}, at most`)

    async function * parts (admitted?: 'admitted'): AsyncGenerator<Buffer> {
      let between = BEGIN
      for await (const piece of pieces(from, to, turn, admitted)) {
        const texts = of(piece)
        if (texts.length === 0) continue
        yield between
        yield texts
        between = COMMA
      }
      yield between === BEGIN ? Buffer.concat([BEGIN, END]) : END
    }

    let [whole, size, isSmall]: [Buffer[], number, boolean] = [[], 0, true]
    for await (const part of parts()) {
      whole.push(part)
      size += part.length
      isSmall = size <= MAX_WHOLE
      if (!isSmall) break
    }
    if (isSmall) return makeCachedResponse(JSON_TYPE, Buffer.concat(whole))
    const tag = tagOfAll(SERVICE_VERSION, form, from, to, ...[...excluded].sort())
    return { contentType: JSON_TYPE, tag, parts: () => parts('admitted') }
  }

  async function token (parts: Part[], mint: string) {
    checkAddress(mint, 'INVALID_MINT')
    const { tokens } = await snapshots.get([])
    const found = tokens.get(mint)
    if (found == null) throw new ServiceError('MINT_NOT_FOUND', 'no token of any pool')
    const { totalSupply, circulatingSupply } = await supplies(parts, mint)
    const asset = { id: mint, name: nameOf(found), symbol: symbolOf(found), totalSupply, circulatingSupply }
    return { asset, decimals: found.decimals }
  }

  async function pair (pool: string): Promise<DexPair> {
    checkAddress(pool, 'INVALID_POOL_ID')
    const tokens = excluded.has(pool) ? undefined : await poolTokens(snapshots, pool)
    if (tokens === undefined) throw new ServiceError('POOL_NOT_FOUND', poolNotFound(pool))
    const { first, isLost } = await history.published(async reading => ({
      first: await reading.firstEvent(pool), isLost: await reading.isBeginningLost(pool)
    }))
    const known = { id: pool, dexKey: 'futarchy' as const, asset0Id: tokens.baseMint, asset1Id: tokens.quoteMint }
    // Asked for once: what was left out because no node had it stays left out
    if (first === null ? isLost : first.isLate) return { pair: known }
    if (first === null || first.maker === null) {
      throw new ServiceError('WARMING_UP', 'what began the pool is not stored yet')
    }
    const { slot, at, signature, maker } = first
    const created = { createdAtBlockNumber: slot, createdAtBlockTimestamp: at, createdAtTxnId: signature }
    return { pair: { ...known, ...created, creator: maker } }
  }

  const form = (
    name: string,
    toAsset: (found: Awaited<ReturnType<typeof token>>) => CachedResponse,
    of: (piece: EventPiece) => Buffer
  ) => ({
    async latestBlock () {
      const { slot, at } = await latest(history)
      return jsonResponse<LatestBlock>({ block: { blockNumber: slot, blockTimestamp: at } })
    },
    /** Throws INVALID_POOL_ID and POOL_NOT_FOUND; WARMING_UP while it is not stored what began the pool. */
    pair: async (pool: string) => jsonResponse(await pair(pool)),
    /** Throws INVALID_MINT and MINT_NOT_FOUND. */
    asset: async (parts: Part[], mint: string) => toAsset(await token(parts, mint)),
    /**
     * As a whole where it is small, else in pieces, each made in a turn of who takes it. Throws INVALID_PARAMETER where
     * the range is too long or beyond the latest block, and OVERLOADED.
     */
    events: (from: number, to: number, turn: Turn) => events(name, from, to, turn, of)
  })

  return {
    dexscreener: form('dexscreener', ({ asset }) => jsonResponse<DexAsset>({ asset }), ({ all }) => all),
    // its form has no event without reserves
    geckoterminal: form(
      'geckoterminal',
      ({ asset, decimals }) => jsonResponse<GeckoTerminalAsset>({ asset: { ...asset, decimals } }),
      ({ withReserves }) => withReserves
    )
  }
}
