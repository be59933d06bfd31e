import { inSlices, letGo } from '../../async.js'
import { toFixed } from '../../decimal.js'
import { ServiceError } from '../../errors.js'
import type { PoolWindow } from '../../history/history.js'
import type { Snapshot } from '../../live/snapshot.js'
import { RENEW_FROM } from '../../live/fresh.js'
import { amountText, changeText, exactUnits, executedPriceText } from '../../market/pool-figures.js'
import { quotes, quoteTexts } from '../../market/price.js'
import { byDepth, liquidityUsd, type Pair, poolsByPair, usdText } from '../../market/ticker.js'
import type { UsdValuation } from '../../market/usd.js'
import type { Dao } from '../../protocol/dao.js'
import type { Pool } from '../../../schemas/pools.js'
import { ALL, keepResponse, type Kept, type Sources, TICKER_TTL, unixSeconds, usdValuationOf } from '../sources.js'

/** The pools as they are listed, with what their records are made of. */
export interface PoolList {
  /** When the state that they show was read, ms. */
  readAt: number
  /** Unix second at which the windows end. */
  windowsEnd: number
  slot: number
  pools: Pool[]
  byId: ReadonlyMap<string, { pool: Pool, dao: Dao, pair: Pair }>
  /** The pools of each pair by ticker id, deepest first. */
  byPair: ReadonlyMap<string, readonly string[]>
}

interface Made { pair: Pair, dao: Dao, window: PoolWindow, createdAt: number | null }

/** The pools, kept. Throws the ServiceError of the chain, WARMING_UP until the last 30 days are known, HISTORY_UNAVAILABLE. */
export function createPoolList (sources: Sources): Kept<PoolList> {
  const { snapshot: snapshots, history, settings, now } = sources
  const rules = { notional: settings.quoteNotional, feeRate: settings.takerFeeRate }

  function record ({ pair, dao, window, createdAt }: Made, slot: number, usd: UsdValuation): Pool {
    if (window.makers === null) throw new ServiceError('WARMING_UP', 'makers of the last 24 hours are still being read')
    const price = (value: { quote: bigint, base: bigint } | null) => value === null ? null : executedPriceText(value, pair)
    return {
      pool_id: pair.address,
      ticker_id: `${pair.baseMint}_${pair.quoteMint}`,
      base: { mint: pair.baseMint, symbol: pair.baseSymbol, name: pair.baseName, decimals: pair.baseDecimals },
      quote: { mint: pair.quoteMint, symbol: pair.quoteSymbol, name: pair.quoteName, decimals: pair.quoteDecimals },
      state: dao.state === 'spot' ? 'spot' : 'proposal',
      created_at: createdAt === null ? null : new Date(createdAt * 1000).toISOString(),
      last_price: quoteTexts(quotes(pair, rules)).last,
      price_change_24h: window.before === null || window.last === null ? null : changeText(window.before, window.last),
      high_24h: price(window.high),
      low_24h: price(window.low),
      vwap_24h: price(window.priced),
      base_volume_24h: exactUnits(window.base, pair.baseDecimals),
      target_volume_24h: exactUnits(window.quote, pair.quoteDecimals),
      target_volume_7d: exactUnits(window.quote7d, pair.quoteDecimals),
      target_volume_30d: exactUnits(window.quote30d, pair.quoteDecimals),
      trades_24h: window.trades,
      makers_24h: window.makers,
      fees_24h: window.fees === null ? null : amountText(window.fees, pair.quoteDecimals),
      liquidity_in_usd: usdText(liquidityUsd(pair, usd)),
      priced_in_usd: usd(pair.quoteMint) !== undefined,
      slot
    }
  }

  async function load (): Promise<PoolList> {
    const { value: snapshot, age } = await snapshots.get(ALL, TICKER_TTL * RENEW_FROM)
    const readAt = now() - age
    const usd = usdValuationOf(snapshot, settings)
    const { windowsEnd, windows, created } = await history.read(async reading => {
      const windowsEnd = unixSeconds(sources)
      return {
        windowsEnd,
        windows: await reading.windows(windowsEnd),
        created: new Map(Array.from(reading.known.sequenceRanges, ([dao, [first]]) => [dao, first?.first === 1n ? first.firstAt : null]))
      }
    })
    // the longest pieces, each by itself
    await letGo()
    const daos = daosOf(snapshot)
    await letGo()
    const made = new Map<string, Made>()
    for (const pair of snapshot.pairs) {
      const window = windows.get(pair.address)
      const dao = daos.get(pair.address)
      if (window?.complete === true && dao !== undefined) made.set(pair.address, { pair, dao, window, createdAt: created.get(pair.address) ?? null })
    }
    // As with the tickers: an empty list would look like a market without pools
    if (made.size === 0 && snapshot.pairs.length > 0) throw new ServiceError('HISTORY_UNAVAILABLE', 'events of the last 30 days are missing')
    await letGo()
    const pairs = await byDepth(Array.from(made.values(), ({ pair }) => pair), usd)
    const byId = new Map(await inSlices(pairs, pair => [pair.address, { pair, dao: made.get(pair.address)!.dao, pool: record(made.get(pair.address)!, snapshot.slot, usd) }] as const))
    await letGo()
    const byPair = poolsByPair(pairs)
    await letGo()
    return { readAt, windowsEnd, slot: snapshot.slot, pools: Array.from(byId.values(), ({ pool }) => pool), byId, byPair }
  }

  return keepResponse(sources, load, ({ readAt }) => readAt)
}

function daosOf ({ discovered }: Snapshot): Map<string, Dao> {
  const daos = new Map<string, Dao>()
  for (const { address, dao } of discovered) if (dao !== undefined) daos.set(address, dao)
  return daos
}

/** A rate as plain decimal text without trailing zeros. */
export const rateText = (bps: string): string => toFixed({ n: BigInt(bps), d: 10_000n }, 4).replace(/\.?0+$/, '')
