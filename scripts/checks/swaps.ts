/** Figures of a pool from its swaps and reserves, written as the service writes them, by nothing of its code. */
import { amount, fraction, price, shortest, signed, text } from './decimal.js'

interface Token { mint: string, decimals: number }
export interface Pair { base: Token, quote: Token }
/** Raw units. */
export interface Reserves { base: bigint, quote: bigint }
export interface Swap extends Reserves {
  seq: bigint
  slot: number
  /** Unix s. */
  at: number
  isBuy: boolean
  /** Of what was paid; undefined: nobody tells it. */
  fee: bigint | undefined
  maker: unknown
}
interface Fraction { n: bigint, d: bigint }

/** Raw units below which a fee, rounded up, may be that of several rates in basis points. */
const WHOLE_POINT = 10_000n

const unitOf = ({ decimals }: Token): bigint => 10n ** BigInt(decimals)
/** One that received nothing, or too little to have paid for it, has none. */
export const hasPrice = ({ base, quote }: Reserves): boolean => base > 0n && quote > 0n
export const sumOf = (swaps: readonly Reserves[], of: 'base' | 'quote'): bigint =>
  swaps.reduce((all, swap) => all + swap[of], 0n)
const makersOf = (swaps: readonly Swap[]): number => new Set(swaps.map(({ maker }) => maker)).size

/** Whole quote tokens per whole base token. The base amount is not 0. */
export const priceOf = ({ base, quote }: Reserves, pair: Pair, round?: 'down' | 'up'): string =>
  price(quote * unitOf(pair.base), base * unitOf(pair.quote), round)

export const volumesOf = (swaps: readonly Swap[], { base, quote }: Pair) => ({
  base_volume: amount(sumOf(swaps, 'base'), base.decimals),
  target_volume: amount(sumOf(swaps, 'quote'), quote.decimals)
})

/** In quote tokens, each fee at its swap's own price; undefined where one is not told. */
export function feesOf (swaps: readonly Swap[], { quote: token }: Pair): string | undefined {
  const fine = 10n ** 30n
  let all = 0n
  for (const { fee, isBuy, base, quote } of swaps) {
    if (fee === undefined || (!isBuy && base === 0n)) return undefined
    all += isBuy ? fee * fine : fee * quote * fine / base
  }
  return shortest(all, fine * unitOf(token), 8)
}

/** Of swaps oldest first; prices are null where none has one. */
export function candleOf (swaps: readonly Swap[], pair: Pair) {
  const priced = swaps.filter(hasPrice)
  const sorted = priced.toSorted((a, b) => a.quote * b.base < b.quote * a.base ? -1 : 1)
  const at = (swap: Swap | undefined): string | null => swap === undefined ? null : priceOf(swap, pair)
  return {
    open: at(priced[0]),
    high: at(sorted.at(-1)),
    low: at(sorted[0]),
    close: at(priced.at(-1)),
    trades: swaps.length,
    ...volumesOf(swaps, pair)
  }
}

/** Of a window of 24 hours, by their names in `/api/pools`, but for its volumes and its change. */
export function windowFigures (swaps: readonly Swap[], pair: Pair) {
  const priced = swaps.filter(hasPrice)
  const { high, low } = candleOf(priced, pair)
  const [buys, sells] = [swaps.filter(({ isBuy }) => isBuy), swaps.filter(({ isBuy }) => !isBuy)]
  return {
    trades_24h: swaps.length,
    buys_24h: buys.length,
    sells_24h: sells.length,
    buy_volume_24h: volumesOf(buys, pair).target_volume,
    sell_volume_24h: volumesOf(sells, pair).target_volume,
    makers_24h: makersOf(swaps),
    buyers_24h: makersOf(buys),
    sellers_24h: makersOf(sells),
    high_24h: high,
    low_24h: low,
    vwap_24h: high === null ? null : priceOf({ base: sumOf(priced, 'base'), quote: sumOf(priced, 'quote') }, pair)
  }
}

/** Of a UTC day, by their names in `/api/pools/{pool_id}/days`, but for its date and its fees. */
export const dayFigures = (swaps: readonly Swap[], pair: Pair) =>
  ({ ...candleOf(swaps, pair), makers: makersOf(swaps) })

/** Percent between two prices; null where there are none. */
export function changeOf (from: Swap | undefined, to: Swap | undefined): string | null {
  if (from === undefined || to === undefined) return null
  const [before, after] = [from.quote * to.base, to.quote * from.base]
  return signed(100n * (after - before), before, 2)
}

export const inputOf = ({ isBuy, base, quote }: Swap): bigint => isBuy ? quote : base
/** The fee that never enters the reserves, rounded up. */
export const feeOf = (input: bigint, { n, d }: Fraction): bigint => input - input * (d - n) / d

/** What a swap of so much yields. */
export function outputOf (input: bigint, into: bigint, out: bigint, rate: Fraction): bigint {
  const net = input - feeOf(input, rate)
  return net * out / (into + net)
}

/**
 * What a swap for so much, at most 1 % of the pool, really yields; where that is nothing, the price less or plus the
 * fee.
 */
export function bidAndAsk (
  { base, quote }: Reserves, word: { takerFeeRate: string, quoteNotional: string }, pair: Pair
): { bid: string, ask: string } {
  const [fee, asked] = [fraction(word.takerFeeRate), fraction(word.quoteNotional)]
  const kept = fee.d - fee.n
  const [wanted, most] = [asked.n * unitOf(pair.quote) / asked.d, quote / 100n]
  const quoteIn = wanted < most ? wanted : most
  const baseIn = quoteIn * base / quote
  const [sold, bought] = [outputOf(baseIn, base, quote, fee), outputOf(quoteIn, quote, base, fee)]
  const bid = sold > 0n ? { quote: sold, base: baseIn } : { quote: quote * kept, base: base * fee.d }
  const ask = bought > 0n ? { quote: quoteIn, base: bought } : { quote: quote * fee.d, base: base * kept }
  return { bid: priceOf(bid, pair, 'down'), ask: priceOf(ask, pair, 'up') }
}

/** What a quote of `amount` whole tokens says beside its fee rates, of which that of `lp` stays in the reserves. */
export function quoteFigures (
  reserves: Reserves, { isBuy, amount: asked }: { isBuy: boolean, amount: string }, protocol: Fraction, lp: Fraction,
  { base, quote }: Pair
) {
  const [paid, got] = isBuy ? [quote, base] : [base, quote]
  const [into, out] = isBuy ? [reserves.quote, reserves.base] : [reserves.base, reserves.quote]
  const { n, d } = fraction(asked)
  const input = n * unitOf(paid) / d
  const fee = feeOf(input, protocol)
  const weighted = (input - fee) * (lp.d - lp.n)
  const atSpot = weighted * out
  const output = atSpot / (into * lp.d + weighted)
  const [sold, spent] = isBuy ? [output, input] : [input, output]
  return {
    amount: asked,
    output: amount(output, got.decimals),
    average_price: output === 0n ? null : priceOf({ base: sold, quote: spent }, { base, quote }),
    price_impact: atSpot === 0n ? '100.0000' : text(100n * (atSpot - output * into * lp.d), atSpot, 4),
    fee: { mint: paid.mint, amount: amount(fee, paid.decimals) }
  }
}

/** A rate of `fee_rates` and the slots, both included, that it is said to have held from and to. */
export interface Rate { rate: Fraction, from: number, to: number }

/** Whether the fee of a swap is that of a rate which is said to have held then, or does not tell a rate. */
export function hasRate (swap: Swap, rates: readonly Rate[]): boolean {
  const { fee, slot } = swap
  const input = inputOf(swap)
  return fee === undefined || input < WHOLE_POINT ||
    rates.some(({ rate, from, to }) => from <= slot && slot <= to && fee === feeOf(input, rate))
}
