/** What the figures should be, counted from the ledger's own swaps by plain long rationals and in no clever way. */
import { ratio, type Rational } from '../../../lib/decimal.js'
import type { SpotSwap } from '../../../simulator/index.js'

export interface Rule { bps: bigint, basis: 'input' | 'fees' }
export interface Count { base: Rational, quote: Rational, trades: number }

function reduce (n: bigint, d: bigint): Rational {
  let [a, b] = [n, d]
  while (b > 0n) [a, b] = [b, a % b]
  return a === 0n ? ratio(0n) : ratio(n / a, d / a)
}

const plus = (a: Rational, b: Rational): Rational => reduce(a.n * b.d + b.n * a.d, a.d * b.d)

/** Both legs of one swap. */
function legs ({ side, input, output, fee }: SpotSwap, { bps, basis }: Rule): { base: Rational, quote: Rational } {
  const notional = basis === 'fees' ? reduce(fee * 10_000n, bps) : ratio(input)
  const other = reduce(notional.n * output, notional.d * input)
  return side === 'buy' ? { base: other, quote: notional } : { base: notional, quote: other }
}

export function countOf (swaps: readonly SpotSwap[], rule: Rule): Count {
  let [base, quote] = [ratio(0n), ratio(0n)]
  for (const swap of swaps) {
    const volume = legs(swap, rule)
    base = plus(base, volume.base)
    quote = plus(quote, volume.quote)
  }
  return { base, quote, trades: swaps.length }
}

export function groupBy<T> (items: readonly T[], key: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>()
  for (const item of items) {
    const group = groups.get(key(item))
    if (group === undefined) groups.set(key(item), [item])
    else group.push(item)
  }
  return groups
}

export const dateOf = (time: number): string => new Date(time * 1000).toISOString().slice(0, 10)
