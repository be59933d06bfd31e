import { compare, multiply, type Rational, ratio, toFixed, wholeTokens, ZERO } from '../decimal.js'
import type { Ticker } from '../../schemas/ticker.js'
import { type QuoteRules, quotes, quoteTexts } from './price.js'
import type { PricedPool, Valuation } from './usd.js'

/** A pool with the texts that its tokens carry. */
export interface Pair extends PricedPool {
  baseSymbol: string
  baseName: string
  quoteSymbol: string
  quoteName: string
}

/** What spot swaps moved in 24 hours, raw units of each token. */
export interface Volumes {
  base: Rational
  quote: Rational
}

const TICKER_ID = /^[1-9A-HJ-NP-Za-km-z]{32,44}_[1-9A-HJ-NP-Za-km-z]{32,44}$/
/** Whether a text has the form of a ticker id: base mint, underscore, quote mint. */
export const isTickerId = (text: string): boolean => TICKER_ID.test(text)

const VOLUME_DIGITS = 8
const USD_DIGITS = 2
const RESERVE_SIDES = 2n

/** Twice the quote reserves in USD; 0 where nothing prices the quote token. */
export function liquidityUsd ({ quoteReserves, quoteDecimals, quoteMint }: PricedPool, usd: Valuation): Rational {
  const worth = usd(quoteMint)
  return worth === undefined ? ZERO : multiply(worth, wholeTokens(ratio(RESERVE_SIDES * quoteReserves), quoteDecimals))
}

/** Amounts in USD as text: two digits after the point. */
export const usdText = (value: Rational): string => toFixed(value, USD_DIGITS)

/**
 * The tickers of `pairs`, deepest first, then by pool. `volumes` gives each pool's 24 hours by its address; throws a RangeError for a pair
 * it doesn't know, since an unknown volume is not zero.
 */
export function tickers (pairs: readonly Pair[], volumes: ReadonlyMap<string, Volumes>, usd: Valuation, rules: QuoteRules): Ticker[] {
  return pairs
    .map(pair => ({ pair, depth: liquidityUsd(pair, usd) }))
    .sort((a, b) => compare(b.depth, a.depth) || (a.pair.address < b.pair.address ? -1 : 1))
    .map(({ pair, depth }) => {
      const volume = volumes.get(pair.address)
      if (volume === undefined) throw new RangeError(`no volume known of ${pair.address}`)
      return ticker(pair, volume, depth, rules)
    })
}

function ticker (pair: Pair, volume: Volumes, depth: Rational, rules: QuoteRules): Ticker {
  const { bid, last, ask } = quoteTexts(quotes(pair, rules))
  return {
    ticker_id: `${pair.baseMint}_${pair.quoteMint}`,
    base_currency: pair.baseMint,
    target_currency: pair.quoteMint,
    base_symbol: pair.baseSymbol,
    base_name: pair.baseName,
    target_symbol: pair.quoteSymbol,
    target_name: pair.quoteName,
    pool_id: pair.address,
    last_price: last,
    base_volume: toFixed(wholeTokens(volume.base, pair.baseDecimals), VOLUME_DIGITS),
    target_volume: toFixed(wholeTokens(volume.quote, pair.quoteDecimals), VOLUME_DIGITS),
    liquidity_in_usd: usdText(depth),
    bid,
    ask
  }
}
