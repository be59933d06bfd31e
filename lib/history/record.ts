import type { SwapFacts, Valuation } from '../market/volume.js'
import { observedBps, swapVolume } from '../market/volume.js'
import { difference, holds, insert, runOf, type FoundFee } from './intervals.js'
import type { Interval, SwapRow, StoredEvent } from './store.js'
import { dayOf, scaled } from './sums.js'

/** A placed event with what is not stored of it. */
export interface PlacedEvent { event: StoredEvent, keepsFees: boolean }

/** What is known before a step. Never changed by planning: the step may yet fail. */
export interface Known {
  intervals: ReadonlyMap<string, readonly Interval[]>
  firstSwaps: ReadonlyMap<string, number>
}

export interface DayChange { dao: string, day: number, base: bigint, quote: bigint, trades: number }

/** The consequences of a step's events. */
export interface Plan {
  events: StoredEvent[]
  /** Events whose number is stored already, or came twice in this step. */
  repeated: StoredEvent[]
  fees: Array<{ dao: string, seq: bigint, fee: bigint }>
  intervals: Map<string, { runs: Interval[], put: Interval[], drop: bigint[] }>
  days: DayChange[]
  rates: Map<string, number>
  firstSwaps: Map<string, number>
  swaps: number
}

/** The label under which a swap that disagrees with the configured rate is counted; null where it agrees or nothing is known. */
export function disagreement ({ fee, input }: SwapFacts, agrees: boolean): string | null {
  if (agrees || fee === null) return null
  return observedBps(fee, input)?.toString() ?? 'other'
}

/** Sums up swaps by DAO and day, and by the fee rate they disagree with; `sign` −1 takes one away again. */
export function createTally (valuation: Valuation) {
  const days = new Map<string, DayChange>()
  const rates = new Map<string, number>()
  return {
    days,
    rates,
    count (swap: Omit<SwapRow, 'seq'>, sign: 1n | -1n = 1n) {
      const { base, quote, agrees } = swapVolume(swap, valuation)
      const day = dayOf(swap.at)
      const key = `${day} ${swap.dao}`
      let sums = days.get(key)
      if (sums === undefined) days.set(key, sums = { dao: swap.dao, day, base: 0n, quote: 0n, trades: 0 })
      sums.base += sign * scaled(base)
      sums.quote += sign * scaled(quote)
      sums.trades += Number(sign)
      const bps = disagreement(swap, agrees)
      if (bps !== null) rates.set(bps, (rates.get(bps) ?? 0) + Number(sign))
    }
  }
}

/** What storing `events` would change. Pure: the same events in any order and any split into steps end in the same figures. */
export function plan (known: Known, events: readonly PlacedEvent[], valuation: Valuation): Plan {
  const fresh: StoredEvent[] = []
  const repeated: StoredEvent[] = []
  const runs = new Map<string, Interval[]>()
  const found = new Map<string, FoundFee[]>()
  for (const { event, keepsFees } of events) {
    let list = runs.get(event.dao)
    if (list === undefined) {
      runs.set(event.dao, list = [...known.intervals.get(event.dao) ?? []])
      found.set(event.dao, [])
    }
    if (holds(list, event.seq)) {
      repeated.push(event)
      continue
    }
    insert(list, runOf(event, keepsFees), found.get(event.dao)!)
    fresh.push(event)
  }

  const tally = createTally(valuation)
  const fees: Plan['fees'] = []
  const firstSwaps = new Map<string, number>()
  const own = new Map(fresh.filter(({ swap }) => swap !== null).map(event => [`${event.seq} ${event.dao}`, event]))
  for (const [dao, settled] of found) {
    for (const { swap, fee } of settled) {
      const event = own.get(`${swap.seq} ${dao}`)
      if (event?.swap != null) {
        event.swap = { ...event.swap, fee }
        continue
      }
      fees.push({ dao, seq: swap.seq, fee })
      tally.count({ ...swap, dao, fee: null }, -1n)
      tally.count({ ...swap, dao, fee })
    }
  }
  for (const { dao, at, swap } of own.values()) {
    tally.count({ ...swap!, dao, at })
    const first = firstSwaps.get(dao) ?? known.firstSwaps.get(dao) ?? Infinity
    if (at < first) firstSwaps.set(dao, at)
  }
  const intervals: Plan['intervals'] = new Map()
  for (const [dao, list] of runs) intervals.set(dao, { runs: list, ...difference(known.intervals.get(dao) ?? [], list) })
  return { events: fresh, repeated, fees, intervals, days: [...tally.days.values()], rates: tally.rates, firstSwaps, swaps: own.size }
}
