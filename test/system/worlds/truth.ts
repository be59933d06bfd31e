/**
 * What the answers of a world may say, from the ledger alone: at each moment of its time what was in every pool, and
 * what had been traded up to a slot.
 */
import { ratio, toFixed, type Rational } from '../../../lib/decimal.js'
import type { Dao, Ledger, SpotSwap } from '../../../simulator/index.js'

/** A state of a pool from `at` on, ms of simulated time. */
interface State { at: number, price: string, liquidity: string, empty: boolean }

/** How swaps are counted: what one adds to each leg, in parts of a raw unit of which `scale` make one. */
export interface Counting { scale: bigint, legs (swap: SpotSwap): { base: bigint, quote: bigint } }

/** What was paid and what was received. */
const BY_AMOUNTS: Counting = {
  scale: 1n,
  legs: ({ side, input, output }) => side === 'buy' ? { base: output, quote: input } : { base: input, quote: output }
}

const DAY = 86_400

/** A price as it is shown. */
export function significant ({ n, d }: Rational): string {
  let places = 12
  while (n * 10n ** BigInt(places) / d < 10n ** 11n) places++
  return toFixed({ n, d }, places)
}

/** An amount without noughts at its end. */
export const plain = (units: bigint, decimals: number): string => decimals === 0
  ? String(units)
  : toFixed(ratio(units, 10n ** BigInt(decimals)), decimals).replace(/\.?0+$/, '')

/**
 * @param dollar the quote mint that counts as USD; `finalityLag`: slots between confirmed and finalized where that is
 * quickest
 */
export function createTruth (
  ledger: Ledger, dollar: string, finalityLag: () => number, { scale, legs }: Counting = BY_AMOUNTS
) {
  const texts = new WeakMap<Dao, string>()
  const states = new Map<string, State[]>()
  const swaps = new Map<string, SpotSwap[]>()
  const born = new Map<string, number>()
  let taken = 0
  /** The chain's milliseconds less those of the world. */
  let offset = 0

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
        price: empty
          ? ''
          : significant(ratio(quote * 10n ** BigInt(dao.base.decimals), base * 10n ** BigInt(dao.quote.decimals))),
        liquidity: dao.quote.address === dollar
          ? toFixed(ratio(2n * quote, 10n ** BigInt(dao.quote.decimals)), 2)
          : '0.00'
      })
    }
    for (; taken < ledger.swaps.length; taken++) {
      const swap = ledger.swaps[taken]!
      const list = swaps.get(swap.dao) ?? []
      swaps.set(swap.dao, list)
      list.push(swap)
    }
    offset = ledger.elapsed - now
  }

  /** How many of a list had happened up to a slot. */
  const countUpTo = (list: SpotSwap[], slot: number): number => list.findLastIndex(swap => swap.slot <= slot) + 1
  /** The newest slot at a moment. */
  const slotAt = (moment: number): number => ledger.slotAt(moment + offset)
  /** The newest slot that may be final at a moment. */
  const finalAt = (moment: number): number => slotAt(moment) - finalityLag()

  return {
    note,
    born: (dao: string) => born.get(dao),
    /** States of a pool between two moments, both included. */
    statesBetween (dao: string, from: number, to: number): State[] {
      const list = states.get(dao) ?? []
      return list.filter((state, at) => state.at <= to && (list[at + 1]?.at ?? Infinity) >= from)
    },
    slotAt,
    finalAt,
    /** The slot of the newest trade before a second of the chain's time; a state of that second may lack some of it. */
    tradedBefore: (second: number): number => ledger.swaps.findLast(swap => swap.time < second)?.slot ?? -1,
    /**
     * Whether two texts are what a pool traded in the 24 hours up to one head of the history, from one slot to another;
     * else what they could have been.
     */
    volumes (
      dao: Dao, [from, to]: readonly [number, number], served: { base: string, quote: string }
    ): string[] | undefined {
      const list = swaps.get(dao.address) ?? []
      const text = (amount: bigint, decimals: number) => toFixed(ratio(amount, scale * 10n ** BigInt(decimals)), 8)
      const most = Math.max(from, to)
      const [begin, end] = [ledger.timeOf(from) - DAY, ledger.timeOf(most) + 1 - DAY]
      /** The slots at which a trade turns a day old: the second after a head's slot may count as the head's, too. */
      function * leaving () {
        for (const { time } of list) {
          if (time <= begin || time > end) continue
          let slot = from
          while (slot < most && ledger.timeOf(slot) + 1 - DAY < time) slot++
          yield * [slot, slot + 1]
        }
      }
      const coming = list.map(({ slot }) => slot)
      const heads = new Set([from, most, ...[...coming, ...leaving()].filter(slot => slot > from && slot < most)])
      const possible = new Set<string>()
      for (const head of heads) {
        for (const late of [0, 1]) {
          const edge = ledger.timeOf(head) + late - DAY
          const legsOf = list.filter(({ slot, time }) => slot <= head && time > edge).map(legs)
          const base = text(legsOf.reduce((sum, { base }) => sum + base, 0n), dao.base.decimals)
          const quote = text(legsOf.reduce((sum, { quote }) => sum + quote, 0n), dao.quote.decimals)
          if (base === served.base && quote === served.quote) return undefined
          possible.add(`${base}/${quote}`)
        }
      }
      return [...possible].slice(0, 6)
    },
    /** USD cents and swaps since launch, up to a slot. */
    total (slot: number): { usd: Rational, trades: number } {
      let units = 0n
      let trades = 0
      for (const dao of ledger.daos) {
        const list = swaps.get(dao.address) ?? []
        const count = countUpTo(list, slot)
        trades += count
        if (dao.quote.address === dollar) for (const swap of list.slice(0, count)) units += legs(swap).quote
      }
      return { usd: ratio(units, scale * 1_000_000n), trades }
    },
    /** Swaps of a DAO up to a slot. */
    swapsUpTo: (dao: string, slot: number) => countUpTo(swaps.get(dao) ?? [], slot)
  }
}
