import { compare, multiply, type Rational, ratio, toFixed, wholeTokens, ZERO } from '../decimal.js'
import type { Ticker } from '../../schemas/ticker.js'
import { type QuoteRules, quotes, quoteTexts } from './price.js'
import type { PricedPool, UsdValuation } from './usd.js'

/** A pool with the texts that its tokens carry. */
export interface Pair extends PricedPool {
  readonly baseSymbol: string
  readonly baseName: string
  readonly quoteSymbol: string
  readonly quoteName: string
}

/** What spot swaps moved in 24 hours, raw units of each token. */
export interface Volumes { base: Rational, quote: Rational }

const VOLUME_DIGITS = 8

/** Twice the quote reserves in USD; 0 where the quote token has no USD value. */
export function liquidityUsd ({ quoteReserves, quoteDecimals, quoteMint }: PricedPool, usd: UsdValuation): Rational {
  const worth = usd(quoteMint)
  return worth === undefined ? ZERO : multiply(worth, wholeTokens(ratio(2n * quoteReserves), quoteDecimals))
}

export const usdText = (value: Rational) => toFixed(value, 2)

/** Below any amount. */
const UNKNOWN = { n: -1n, d: 1n }

/** Largest amount first, then by id; those without an amount come last. */
export function largestFirst<T> (
  all: Iterable<T>, amountOf: (one: T) => Rational | null | undefined, idOf: (one: T) => string
): T[] {
  const rows = Array.from(all, one => ({ one, amount: amountOf(one) ?? UNKNOWN, id: idOf(one) }))
  rows.sort((a, b) => compare(b.amount, a.amount) || (a.id < b.id ? -1 : 1))
  return rows.map(({ one }) => one)
}

/** `pairs` deepest first, then by pool; those whose quote token has no USD value come last, whatever they hold. */
export const byDepth = <P extends PricedPool>(pairs: Iterable<P>, usd: UsdValuation): P[] => largestFirst(
  pairs, pair => usd(pair.quoteMint) && liquidityUsd(pair, usd), ({ address }) => address
)

/** The pools of each pair by ticker id, deepest first by what they hold of their common quote token, then by pool. */
export function poolsByPair (pairs: readonly PricedPool[]): Map<string, string[]> {
  const found = new Map<string, PricedPool[]>()
  for (const pair of pairs) {
    const id = tickerIdOf(pair)
    const pools = found.get(id)
    if (pools === undefined) found.set(id, [pair])
    else pools.push(pair)
  }
  return new Map(Array.from(found, ([id, pools]) => [
    id,
    largestFirst(pools, ({ quoteReserves }) => ratio(quoteReserves), ({ address }) => address)
      .map(({ address }) => address)
  ]))
}

export const tickerIdOf = ({ baseMint, quoteMint }: Pick<PricedPool, 'baseMint' | 'quoteMint'>) =>
  `${baseMint}_${quoteMint}`

/** The ticker of a pair with its `volume`. */
export function ticker (pair: Pair, volume: Volumes, usd: UsdValuation, rules: QuoteRules): Ticker {
  const { bid, last, ask } = quoteTexts(quotes(pair, rules))
  return {
    ticker_id: tickerIdOf(pair),
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
    liquidity_in_usd: usdText(liquidityUsd(pair, usd)),
    bid,
    ask
  }
}
