import type { VolumeRule } from '../../market/volume.js'
import { holds, insert, rangeOf, type FoundFee } from './sequence-ranges.js'
import { createTally } from './tally.js'
import type { SequenceRange, StoredEvent, StoreState } from './rows.js'

export interface AttributedEvent { event: StoredEvent, keepsFees: boolean }

/** Candles are to be added to the stored ones. */
export type StepPlan = ReturnType<typeof planStep>

/** What storing `events` would change, and leaves `known` as it is. Any order and steps end in the same figures. */
export function planStep (
  known: Pick<StoreState, 'sequenceRanges' | 'rates'>, events: readonly AttributedEvent[], valuation: VolumeRule
) {
  const fresh: StoredEvent[] = []
  const sequenceRanges = new Map<string, SequenceRange[]>()
  const found = new Map<string, FoundFee[]>()
  for (const { event, keepsFees } of events) {
    let list = sequenceRanges.get(event.dao)
    if (list === undefined) {
      sequenceRanges.set(event.dao, list = [...known.sequenceRanges.get(event.dao) ?? []])
      found.set(event.dao, [])
    }
    // stored already, or given twice: the first one stays
    if (holds(list, event.seq)) continue
    insert(list, rangeOf(event, keepsFees), found.get(event.dao)!)
    fresh.push(event)
  }

  const tally = createTally(valuation, known.rates)
  const fees: Array<{ dao: string, seq: bigint, fee: bigint }> = []
  const own = new Map(fresh.filter(({ swap }) => swap !== null).map(event => [`${event.seq} ${event.dao}`, event]))
  for (const [dao, settled] of found) {
    for (const { swap, fee } of settled) {
      const event = own.get(`${swap.seq} ${dao}`)
      if (event?.swap != null) {
        event.swap = { ...event.swap, fee }
        continue
      }
      fees.push({ dao, seq: swap.seq, fee })
      tally.settle(dao, swap, fee)
    }
  }
  for (const { swap, ...event } of own.values()) tally.count({ ...event, swap: swap! })
  return {
    events: fresh,
    fees,
    /** All of each DAO that has an event in this step. */
    sequenceRanges,
    ...tally.rows(),
    /** All that are known. */
    rates: tally.rates,
    swaps: own.size
  }
}
