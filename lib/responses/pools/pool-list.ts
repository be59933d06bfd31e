import { eachInSlices } from '../../async.js'
import type { Rational } from '../../decimal.js'
import { orUnknown } from '../../errors.js'
import type { PoolWindow } from '../../history/history.js'
import type { Kept } from '../../live/fresh.js'
import { isDate } from '../../market/dao-report.js'
import { amountText, changeText, exactUnits, ifKnown, textsOf } from '../../market/pool-figures.js'
import { lastText } from '../../market/price.js'
import { liquidityUsd, type Pair, tickerIdOf, usdText } from '../../market/ticker.js'
import type { Dao } from '../../protocol/dao.js'
import { dateOf, dayOf, timeText } from '../../time.js'
import type { Pool, PRICE_CHANGES } from '../../../schemas/pools.js'
import type { DaoFactsKept } from '../daos/facts.js'
import { checkLeft, createdAt, sinceText } from '../known.js'
import { headOf, keep, type PricedState, type Sources } from '../sources.js'

/** Pools, deepest first; `windowsEnd`: the Unix second at which their windows end. */
export type PoolList = Awaited<ReturnType<ReturnType<typeof createTradedPools>>>

/** The UTC day on which a DAO's pool began; null for a time that is no date. */
export const startDate = ({ createdAt }: Dao) => isDate(createdAt) ? dateOf(dayOf(createdAt)) : null

const UNKNOWN = { market_cap_usd: null, fdv_usd: null, treasury_usdc_aum: null }

/** Keeps a list of pools, made anew once the last day is covered. */
function keepList<V extends {}> (sources: Sources, load: Kept<V>): Kept<V> {
  const get = keep<V, [boolean]>(sources, load)
  let hasDay = false
  return parts => {
    hasDay ||= sources.history.status().last24h
    return get(parts, hasDay)
  }
}

/**
 * The pools by state and history, without what supply and treasury tell, kept. Throws the ServiceError of the chain,
 * WARMING_UP before the head is reached, HISTORY_UNAVAILABLE.
 */
export function createTradedPools (sources: Sources) {
  const { history, settings: { quoteRules } } = sources

  function record ({ slot, usd }: PricedState, pair: Pair, dao: Dao, window: PoolWindow, at: number | null): Pool {
    const day = window.complete ? window : null
    const { quote, price } = textsOf(pair)
    const sumOf = (value: Rational | null | undefined, decimals: number) =>
      ifKnown(value, sum => exactUnits(sum, decimals))
    return {
      pool_id: pair.address,
      ticker_id: tickerIdOf(pair),
      base: { mint: pair.baseMint, symbol: pair.baseSymbol, name: pair.baseName, decimals: pair.baseDecimals },
      quote: { mint: pair.quoteMint, symbol: pair.quoteSymbol, name: pair.quoteName, decimals: pair.quoteDecimals },
      state: dao.state === 'spot' ? 'spot' : 'proposal',
      created_at: ifKnown(at, timeText),
      startDate: startDate(dao),
      last_price: lastText(pair, quoteRules),
      ...priceChanges(window),
      complete_since: sinceText(window.wholeAfter) ?? null,
      high_24h: ifKnown(day?.high, price),
      low_24h: ifKnown(day?.low, price),
      vwap_24h: ifKnown(day?.priced, price),
      base_volume_24h: sumOf(day?.base, pair.baseDecimals),
      target_volume_24h: sumOf(day?.quote, pair.quoteDecimals),
      target_volume_7d: sumOf(window.quote7d, pair.quoteDecimals),
      target_volume_30d: sumOf(window.quote30d, pair.quoteDecimals),
      trades_24h: day?.trades ?? null,
      buys_24h: day?.buys ?? null,
      sells_24h: day?.sells ?? null,
      buy_volume_24h: ifKnown(day?.buyQuote, quote),
      sell_volume_24h: ifKnown(day?.sellQuote, quote),
      makers_24h: day?.makers ?? null,
      buyers_24h: day?.buyers ?? null,
      sellers_24h: day?.sellers ?? null,
      fees_24h: ifKnown(day?.fees, fees => amountText(fees, pair.quoteDecimals)),
      liquidity_in_usd: usdText(liquidityUsd(pair, usd)),
      priced_in_usd: usd(pair.quoteMint) !== undefined,
      treasury_vault_address: dao.vault,
      ...UNKNOWN,
      slot
    }
  }

  return keepList(sources, async parts => {
    const state = await sources.priced(parts)
    const head = headOf(sources, parts)
    const { windows, created } = await history.read(async reading => ({
      windows: await reading.windows(head.time),
      created: new Map(Array.from(reading.known.sequenceRanges.keys(), dao => [dao, createdAt(reading, dao)]))
    }))
    const byId = new Map<string, Pool>()
    await eachInSlices(state.deepest, pair => {
      const { address } = pair
      const [window, dao] = [windows.get(address), state.daos.get(address)]
      if (window?.wholeAfter === undefined || dao === undefined) return
      byId.set(address, record(state, pair, dao, window, created.get(address) ?? null))
    })
    checkLeft(byId.size, state.pairs.size)
    return { state, windowsEnd: head.time, byId }
  })
}

export type ValuedPools = Awaited<ReturnType<ReturnType<typeof createPoolList>>>

/** The same with what supply and treasury tell of each, where their many accounts can be had. */
export const createPoolList = (sources: Sources, traded: Kept<PoolList>, facts: DaoFactsKept) =>
  keepList(sources, async parts => {
    const list = await traded(parts)
    const figures = await orUnknown(facts.all(parts))
    // supplies hardly ever change: they are valued at the price beside them
    const byId = new Map(Array.from(list.byId, ([id, pool]) =>
      [id, { ...pool, ...figures?.get(id)?.poolFigures(list.state.priceUsd(id)) }]))
    return { ...list, byId, figures }
  })

/** Changes from the newest price before each period to the newest now. */
const priceChanges = ({ prices: { now, ...past } }: PoolWindow) =>
  Object.fromEntries(Object.entries(past).map(([age, before]) =>
    [`price_change_${age}`, now && before && changeText(before, now)])) as Pick<Pool, keyof typeof PRICE_CHANGES>
