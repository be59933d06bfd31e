import { eachInSlices } from '../../async.js'
import { type Rational, shortText } from '../../decimal.js'
import { isServiceError, ServiceError } from '../../errors.js'
import type { PoolWindow } from '../../history/history.js'
import type { Snapshot } from '../../live/snapshot.js'
import type { Kept } from '../../live/fresh.js'
import { amountText, changeText, exactUnits, ifKnown, textsOf } from '../../market/pool-figures.js'
import { quotes, quoteTexts } from '../../market/price.js'
import { liquidityUsd, type Pair, poolsByPair, usdText } from '../../market/ticker.js'
import type { Dao } from '../../protocol/dao.js'
import type { Pool, PRICE_CHANGES } from '../../../schemas/pools.js'
import { startDate } from '../daos/dao.js'
import type { DaoFactsKept } from '../daos/facts.js'
import { factFigures } from '../daos/treasury.js'
import { timeText } from '../../time.js'
import { createdAt, sinceText } from '../known.js'
import { headOf, keepOne, type PricedState, pricedStateOf, priceRules, type Sources } from '../sources.js'

/** The pools as they are listed, with what their records are made of. */
export interface PoolList {
  /** Unix second at which the windows end. */
  windowsEnd: number
  slot: number
  tokens: Snapshot['tokens']
  pools: Pool[]
  byId: ReadonlyMap<string, { pool: Pool, dao: Dao }>
  /** The pools of each pair by ticker id, deepest first. */
  byPair: ReadonlyMap<string, readonly string[]>
}

/**
 * The pools, kept. Throws the ServiceError of the chain, WARMING_UP before the head is reached, HISTORY_UNAVAILABLE.
 */
export function createPoolList (sources: Sources, daoFacts: DaoFactsKept): Kept<PoolList> {
  const { history } = sources
  const rules = priceRules(sources.settings)

  function record (
    { slot, usd }: PricedState, pair: Pair, dao: Dao, window: PoolWindow, at: number | null,
    facts: typeof UNKNOWN | ReturnType<typeof factFigures>
  ): Pool {
    const day = window.complete ? window : null
    const { quote, price } = textsOf(pair)
    const sumOf = (value: Rational | null | undefined, decimals: number) =>
      ifKnown(value, sum => exactUnits(sum, decimals))
    return {
      pool_id: pair.address,
      ticker_id: `${pair.baseMint}_${pair.quoteMint}`,
      base: { mint: pair.baseMint, symbol: pair.baseSymbol, name: pair.baseName, decimals: pair.baseDecimals },
      quote: { mint: pair.quoteMint, symbol: pair.quoteSymbol, name: pair.quoteName, decimals: pair.quoteDecimals },
      state: dao.state === 'spot' ? 'spot' : 'proposal',
      created_at: ifKnown(at, timeText),
      startDate: startDate(dao),
      last_price: quoteTexts(quotes(pair, rules)).last,
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
      ...facts,
      slot
    }
  }

  return keepOne(sources, async parts => {
    const state = await pricedStateOf(sources, parts)
    const known = await orUnknown(daoFacts.all(parts))
    const head = headOf(sources, parts)
    const { windows, created } = await history.read(async reading => ({
      windows: await reading.windows(head.time),
      created: new Map(Array.from(reading.known.sequenceRanges.keys(), dao => [dao, createdAt(reading, dao)]))
    }))
    const byId = new Map<string, { pool: Pool, dao: Dao }>()
    await eachInSlices(state.deepest, pair => {
      const { address } = pair
      const [window, dao] = [windows.get(address), state.daos.get(address)]
      if (window?.wholeAfter === undefined || dao === undefined) return
      const at = created.get(address) ?? null
      const own = known?.facts.get(address)
      const facts = own === undefined ? UNKNOWN : factFigures({ state: known!.state, facts: own })
      byId.set(address, { dao, pool: record(state, pair, dao, window, at, facts) })
    })
    // As with the tickers: an empty list would look like a market without pools
    if (byId.size === 0 && state.pairs.length > 0) {
      throw new ServiceError('HISTORY_UNAVAILABLE', 'events of every pool are missing')
    }
    const byPair = poolsByPair(state.deepest.filter(({ address }) => byId.has(address)))
    const pools = Array.from(byId.values(), ({ pool }) => pool)
    return { windowsEnd: head.time, slot: state.slot, tokens: state.tokens, pools, byId, byPair }
  })
}

const UNKNOWN = { market_cap_usd: null, fdv_usd: null, treasury_usdc_aum: null }

/** Undefined where it can't be had now, as the many accounts of supply and treasury: what it makes is null. */
export const orUnknown = <T>(wanted: Promise<T>): Promise<T | undefined> => wanted.catch((error: unknown) => {
  if (isServiceError(error)) return undefined
  throw error
})

/** Changes from the newest price before each period to the newest now. */
function priceChanges ({ last, before, past }: PoolWindow): Pick<Pool, keyof typeof PRICE_CHANGES> {
  const change = (from: typeof last) => ifKnown(last && from, before => changeText(before, last!))
  return {
    price_change_5m: change(past['5m']),
    price_change_1h: change(past['1h']),
    price_change_6h: change(past['6h']),
    price_change_24h: change(before),
    price_change_7d: change(past['7d']),
    price_change_30d: change(past['30d'])
  }
}

/** Rates by the settings have so many places at most. */
export const RATE_PLACES = 18

/** A rate as plain decimal text without trailing zeros. */
export const rateText = (bps: string): string => shortText({ n: BigInt(bps), d: 10_000n }, 4)
