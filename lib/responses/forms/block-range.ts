import { ServiceError, unusable, warmingUp } from '../../errors.js'
import { type ChainPosition, executedPrice, type History, type PoolEvent } from '../../history/history.js'
import {
  type CachedResponse, JSON_TYPE, jsonResponse, makeCachedResponse, type StreamedResponse, tagOfAll
} from '../../http/cached-response.js'
import type { Turn } from '../../line.js'
import type { Part } from '../../live/fresh.js'
import type { PoolTokens } from '../../live/snapshot.js'
import { textsOf } from '../../market/pool-figures.js'
import { SERVICE_VERSION } from '../../package.js'
import { invalidParameter } from '../../query.js'
import type {
  BlockEvent, DexAsset, DexEvents, DexPair, GeckoTerminalAsset, LatestBlock, LiquidityCause
} from '../../../schemas/block-range.js'
import { checkAddress, noPool, poolTokens } from '../sources.js'
import type { FormSources } from './day-tickers.js'
import { namesOf } from './token-texts.js'

const CAUSES: Readonly<Record<string, LiquidityCause>> = {
  ProvideLiquidity: 'provide',
  WithdrawLiquidity: 'withdraw',
  LaunchProposal: 'proposal-launched',
  FinalizeProposal: 'proposal-ended',
  AdminCancelProposal: 'proposal-ended',
  ApplyLiquidation: 'liquidated'
}

/** Decimal places that readers take: with more an amount may be 0 to them, which ends their reading. */
const MAX_PLACES = 50

const isTellable = ({ baseDecimals, quoteDecimals }: PoolTokens) =>
  Math.max(baseDecimals, quoteDecimals) <= MAX_PLACES

/**
 * The event in this form; undefined where it has none: a swap that gave nothing, unknown amounts, or a token of too
 * many decimals. Throws a RangeError where its index in the block is not known.
 */
export function blockEvent (event: PoolEvent, tokens: PoolTokens): BlockEvent | undefined {
  if (!isTellable(tokens)) return undefined
  const { slot, at, signature, blockIndex, eventIndex, maker, dao, kind, swap, liquidity, reserves } = event
  if (blockIndex === null || maker === null) throw new RangeError(`${signature}: not placed in its block yet`)
  const { base, quote, price } = textsOf(tokens)
  const common = {
    block: { blockNumber: slot, blockTimestamp: at },
    txnId: signature,
    txnIndex: blockIndex,
    eventIndex,
    maker,
    pairId: dao,
    ...(reserves !== null && { reserves: { asset0: base(reserves.base), asset1: quote(reserves.quote) } })
  }
  if (swap !== null) {
    const paid = executedPrice(swap)
    if (paid === undefined) return undefined
    const [asset0, asset1, isBuy] = [base(paid.base), quote(paid.quote), swap.side === 'buy']
    return {
      ...isBuy ? { asset1In: asset1, asset0Out: asset0 } : { asset0In: asset0, asset1Out: asset1 },
      eventType: 'swap',
      priceNative: price(paid),
      ...(swap.fee !== null && { metadata: { protocolFee: (isBuy ? quote : base)(swap.fee) } }),
      ...common
    }
  }
  const cause = CAUSES[kind]
  if (liquidity === null || cause === undefined) return undefined
  const isJoin = liquidity.base >= 0n && liquidity.quote >= 0n
  const isExit = liquidity.base <= 0n && liquidity.quote <= 0n
  if (isJoin === isExit) return undefined
  const sign = isJoin ? 1n : -1n
  return {
    eventType: isJoin ? 'join' : 'exit',
    amount0: base(sign * liquidity.base),
    amount1: quote(sign * liquidity.quote),
    metadata: { cause },
    ...common
  }
}

export const positionOf = ({ slot, blockIndex, eventIndex }: PoolEvent): ChainPosition =>
  ({ slot, blockIndex: blockIndex ?? 0, eventIndex })

/** The market as a sequence of blocks: DEX Screener's form, and GeckoTerminal's. */
export type BlockRange = ReturnType<typeof createBlockRange>

const MAX_SLOTS = 20_000
/** Bytes up to which an answer is made whole: about what the platform and the network buffer. */
const MAX_WHOLE = 2 ** 18
/** Events of a piece, some 5 ms of work. */
const PAGE = 300
const [BEGIN, END] = ['{"events":[', ']}']

/** The slot up to which events are published, and its Unix second. */
export async function latest (history: Pick<History, 'published'>) {
  const published = await history.published(reading => reading.published())
  if (published === null) throw warmingUp('no block has been published yet')
  return published
}

/** GeckoTerminal takes no event without reserves, and wants the decimals of assets. */
export function createBlockRange (
  form: 'dexscreener' | 'geckoterminal',
  { history, snapshot: snapshots, supply: supplies, settings: { excluded } }: FormSources
) {
  const isGecko = form === 'geckoterminal'

  /** Published events as JSON texts; `next`: where to go on, if anywhere. */
  async function pageOf (from: number, to: number, after: ChainPosition | undefined) {
    const events = await history.published(reading => reading.poolEvents({ from, to, after, limit: PAGE }))
    const texts: string[] = []
    for (const event of events) {
      if (excluded.has(event.dao)) continue
      const tokens = await poolTokens(snapshots, event.dao)
      // a range is asked for once: nothing is left out that may be there the next time
      if (tokens === undefined) throw unusable(`the tokens of ${event.dao} can't be read`)
      const told = blockEvent(event, tokens)
      if (told !== undefined && (told.reserves !== undefined || !isGecko)) texts.push(JSON.stringify(told))
    }
    return { texts, next: events.length === PAGE ? positionOf(events.at(-1)!) : undefined }
  }

  /** The bytes of a range, page by page, each made in the client's turn. */
  async function * partsOf (from: number, to: number, turn: Turn): AsyncGenerator<Buffer> {
    let between = BEGIN
    let after: ChainPosition | undefined
    do {
      const begun = after
      const { texts, next } = await turn(() => pageOf(begun?.slot ?? from, to, begun), begun && 'admitted')
      after = next
      if (texts.length === 0) continue
      yield Buffer.from(between + texts.join())
      between = ','
    } while (after !== undefined)
    yield Buffer.from(between === BEGIN ? BEGIN + END : END)
  }

  return {
    async latestBlock () {
      const { slot, at } = await latest(history)
      return jsonResponse<LatestBlock>({ block: { blockNumber: slot, blockTimestamp: at } })
    },

    /** Throws INVALID_POOL_ID and POOL_NOT_FOUND. */
    async pair (pool: string) {
      checkAddress(pool, 'INVALID_POOL_ID')
      const tokens = excluded.has(pool) ? undefined : await poolTokens(snapshots, pool)
      if (tokens === undefined || !isTellable(tokens)) throw noPool(pool)
      const [[first], isLost] = await history.published(async reading =>
        [await reading.origins([{ dao: pool, seq: 1n }]), await reading.isBeginningLost(pool)] as const)
      const pair = { id: pool, dexKey: 'futarchy' as const, asset0Id: tokens.baseMint, asset1Id: tokens.quoteMint }
      // asked for once: an answer without its first event stays so
      if (first === undefined ? isLost : first.isLate) return jsonResponse<DexPair>({ pair })
      if (first === undefined || first.maker === null) throw warmingUp('what began the pool is not stored yet')
      const { slot, at, signature, maker } = first
      const created = { createdAtBlockNumber: slot, createdAtBlockTimestamp: at, createdAtTxnId: signature }
      return jsonResponse<DexPair>({ pair: { ...pair, ...created, creator: maker } })
    },

    /** Throws INVALID_MINT and MINT_NOT_FOUND. */
    async asset (parts: Part[], mint: string) {
      checkAddress(mint, 'INVALID_MINT')
      const { tokens } = await snapshots.get([])
      const token = tokens.get(mint)
      if (token == null) throw new ServiceError('MINT_NOT_FOUND', 'no token of any pool')
      const { totalSupply, circulatingSupply } = await supplies(parts, mint)
      const asset = { id: mint, ...namesOf(token), totalSupply, circulatingSupply }
      return jsonResponse<DexAsset | GeckoTerminalAsset>(
        isGecko ? { asset: { ...asset, decimals: token.decimals } } : { asset }
      )
    },

    /**
     * The events of a range, whole where they are few, else streamed. Throws INVALID_PARAMETER for a range that is too
     * long or beyond the latest block, and OVERLOADED.
     */
    async events (
      from: number, to: number, turn: Turn
    ): Promise<CachedResponse<DexEvents> | StreamedResponse<DexEvents>> {
      if (to < from) throw invalidParameter('toBlock', 'fromBlock or more')
      if (to - from >= MAX_SLOTS) throw invalidParameter('toBlock', `at most ${MAX_SLOTS} blocks in one call`)
      const { slot } = await latest(history)
      if (to > slot) throw invalidParameter('toBlock', `the latest block, ${slot}, at most`)

      const parts = partsOf(from, to, turn)
      const made: Buffer[] = []
      for (let size = 0; size <= MAX_WHOLE; size += made.at(-1)!.length) {
        const { value, done } = await parts.next()
        if (done === true) return makeCachedResponse(JSON_TYPE, Buffer.concat(made))
        made.push(value)
      }
      async function * all (): AsyncGenerator<Buffer> {
        yield * made
        yield * parts
      }
      const tag = tagOfAll(SERVICE_VERSION, form, from, to, ...[...excluded].sort())
      return { contentType: JSON_TYPE, tag, parts: all }
    }
  }
}
