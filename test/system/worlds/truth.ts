/** What the answers of a world may say, from the ledger alone: at each moment of simulated time what stood in every pool and was final. */
import { ratio, toFixed, type Rational } from '../../../lib/decimal.js'
import type { Dao, Ledger, SpotSwap } from '../../../simulator/index.js'

/** A state of a pool from `at` on, ms of simulated time. */
interface State { at: number, price: string, liquidity: string, empty: boolean }

/** How swaps are counted: what one adds to each leg, in parts of a raw unit of which `scale` make one. */
export interface Counting { scale: bigint, legs (swap: SpotSwap): { base: bigint, quote: bigint } }

/** What was paid and what was received. */
const BY_AMOUNTS: Counting = { scale: 1n, legs: ({ side, input, output }) => side === 'buy' ? { base: output, quote: input } : { base: input, quote: output } }

/** A swap and when it became final. */
interface Settled { swap: SpotSwap, finalAt: number }

const DAY = 86_400

/** A price as it is shown. */
export function significant ({ n, d }: Rational): string {
  let places = 12
  while (n * 10n ** BigInt(places) / d < 10n ** 11n) places++
  return toFixed({ n, d }, places)
}

/** An amount without noughts at its end. */
export const plain = (units: bigint, decimals: number): string => decimals === 0 ? String(units) : toFixed(ratio(units, 10n ** BigInt(decimals)), decimals).replace(/\.?0+$/, '')

/** @param dollar the quote mint that counts as USD */
export function createTruth (ledger: Ledger, dollar: string, finalityLag: number, { scale, legs }: Counting = BY_AMOUNTS) {
  const texts = new WeakMap<Dao, string>()
  const states = new Map<string, State[]>()
  const settled = new Map<string, Settled[]>()
  const pending: SpotSwap[] = []
  const born = new Map<string, number>()
  let taken = 0

  /** To be called after each action and whenever time has moved. */
  function note (now: number): void {
    for (const dao of ledger.daos) {
      const { base, quote } = dao.reserves
      const key = `${base}/${quote}`
      if (texts.get(dao) === key) continue
      texts.set(dao, key)
      if (!born.has(dao.address)) born.set(dao.address, now)
      const list = states.get(dao.address) ?? []
      states.set(dao.address, list)
      const empty = base === 0n || quote === 0n
      list.push({
        at: now,
        empty,
        price: empty ? '' : significant(ratio(quote * 10n ** BigInt(dao.base.decimals), base * 10n ** BigInt(dao.quote.decimals))),
        liquidity: dao.quote.address === dollar ? toFixed(ratio(2n * quote, 10n ** BigInt(dao.quote.decimals)), 2) : '0.00'
      })
    }
    for (; taken < ledger.swaps.length; taken++) pending.push(ledger.swaps[taken]!)
    while (pending.length > 0 && pending[0]!.slot <= ledger.slot - finalityLag) {
      const swap = pending.shift()!
      const list = settled.get(swap.dao) ?? []
      settled.set(swap.dao, list)
      list.push({ swap, finalAt: now })
    }
  }

  /** How many of a list were final at `at`. */
  const countAt = (list: Settled[], at: number) => {
    let low = 0
    let high = list.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if (list[middle]!.finalAt <= at) low = middle + 1
      else high = middle
    }
    return low
  }

  return {
    note,
    born: (dao: string) => born.get(dao),
    /** States of a pool between two moments, both included. */
    statesBetween (dao: string, from: number, to: number): State[] {
      const list = states.get(dao) ?? []
      return list.filter((state, at) => state.at <= to && (list[at + 1]?.at ?? Infinity) >= from)
    },
    /**
     * Whether two texts are what a pool traded in 24 hours, for some head between `from` and `to` and some end of the window between the
     * Unix seconds `fromTime` and `toTime`; else what they could have been.
     */
    volumes (dao: Dao, from: number, to: number, fromTime: number, toTime: number, served: { base: string, quote: string }): string[] | undefined {
      const list = settled.get(dao.address) ?? []
      const text = (amount: bigint, decimals: number) => toFixed(ratio(amount, scale * 10n ** BigInt(decimals)), 8)
      const ends = Array.from({ length: countAt(list, to) - countAt(list, from) + 1 }, (_, at) => countAt(list, from) + at)
      const begin = (time: number) => { const at = list.findIndex(({ swap }) => swap.time > time - DAY); return at === -1 ? list.length : at }
      const [first, last] = [begin(fromTime), begin(toTime)]
      const possible: string[] = []
      for (let start = first; start <= last; start++) {
        let [base, quote] = [0n, 0n]
        for (let at = start; at <= ends.at(-1)!; at++) {
          if (at >= ends[0]!) {
            const [baseText, quoteText] = [text(base, dao.base.decimals), text(quote, dao.quote.decimals)]
            if (baseText === served.base && quoteText === served.quote) return undefined
            possible.push(`${baseText}/${quoteText}`)
          }
          if (at === list.length) break
          const moved = legs(list[at]!.swap)
          base += moved.base
          quote += moved.quote
        }
        if (start > ends.at(-1)! && served.base === text(0n, dao.base.decimals) && served.quote === text(0n, dao.quote.decimals)) return undefined
      }
      return possible.slice(0, 6)
    },
    /** USD cents and swaps since launch of everything that was final at a moment. */
    total (at: number): { usd: Rational, trades: number } {
      let units = 0n
      let trades = 0
      for (const dao of ledger.daos) {
        const list = settled.get(dao.address) ?? []
        const count = countAt(list, at)
        trades += count
        if (dao.quote.address === dollar) for (const { swap } of list.slice(0, count)) units += legs(swap).quote
      }
      return { usd: ratio(units, scale * 1_000_000n), trades }
    },
    /** Swaps that are final and whose DAO is named. */
    finalSwaps: (dao: string, at: number) => countAt(settled.get(dao) ?? [], at)
  }
}
