import { add, type Rational, ratio, toFixed } from '../../../lib/decimal.js'
import type { Dao, Ledger } from '../../../simulator/index.js'

/** What any answer may say: the volumes of a DAO after each of its swaps, counted from the ledger's own swaps. */
export interface Truth {
  /** Counts what has been traded since the last call. */
  follow (): void
  /** How many of a DAO's swaps an answer has counted; undefined where it is the sum of no beginning of them. */
  counted (dao: string, base: string, target: string): number | undefined
  /** Swaps of a DAO up to a time, ms since 1970. */
  countAt (dao: string, time: number): number
}

interface Known { decimals: number, base: Rational, quote: Rational, times: number[], sums: Map<string, number> }

export function createTruth (ledger: Ledger, daos: readonly Dao[]): Truth {
  const known = new Map<string, Known>(daos.map(({ address, base }) => [address, {
    decimals: ledger.mints.get(base.address)!.decimals,
    base: ratio(0n),
    quote: ratio(0n),
    times: [],
    sums: new Map([['0.00000000 0.00000000', 0]])
  }]))
  let at = 0
  return {
    follow () {
      for (; at < ledger.swaps.length; at++) {
        const { dao, side, input, output } = ledger.swaps[at]!
        const sums = known.get(dao)!
        const [notional, other] = [ratio(input), ratio(output)]
        sums.base = add(sums.base, side === 'buy' ? other : notional)
        sums.quote = add(sums.quote, side === 'buy' ? notional : other)
        sums.times.push(Date.now())
        const shown = (value: Rational, decimals: number) => toFixed(
          ratio(value.n, value.d * 10n ** BigInt(decimals)), 8
        )
        sums.sums.set(`${shown(sums.base, sums.decimals)} ${shown(sums.quote, 6)}`, sums.times.length)
      }
    },
    counted: (dao, base, target) => known.get(dao)?.sums.get(`${base} ${target}`),
    countAt: (dao, time) => known.get(dao)!.times.filter(traded => traded <= time).length
  }
}
