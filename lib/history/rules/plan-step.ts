import type { VolumeRule } from '../../market/volume.js'
import { insert, rangeOf, type FoundFee } from './sequence-ranges.js'
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
  const settled: Array<FoundFee & { dao: string }> = []
  for (const { event, keepsFees } of events) {
    const { dao } = event
    let list = sequenceRanges.get(dao)
    if (list === undefined) sequenceRanges.set(dao, list = [...known.sequenceRanges.get(dao) ?? []])
    const found = insert(list, rangeOf(event, keepsFees))
    // stored already, or given twice: the first one stays
    if (found === undefined) continue
    for (const one of found) settled.push({ dao, ...one })
    fresh.push(event)
  }

  const tally = createTally(valuation, known.rates)
  const fees: Array<{ dao: string, seq: bigint, fee: bigint }> = []
  const own = new Map(fresh.filter(({ swap }) => swap !== null).map(event => [`${event.seq} ${event.dao}`, event]))
  for (const { dao, swap, fee } of settled) {
    const event = own.get(`${swap.seq} ${dao}`)
    if (event?.swap != null) event.swap = { ...event.swap, fee }
    else {
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
