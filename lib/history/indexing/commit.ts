import { createSharedTurns, letGo } from '../../async.js'
import type { VolumeRule } from '../../market/volume.js'
import { feeRateLogEvent, type OnLog } from '../log-events.js'
import { EMPTY_CANDLE, joinCandles, type CandleRow } from '../rules/candles.js'
import { attribute, type Directory, type LocatedEvent } from '../rules/attribution.js'
import { planStep, type StepPlan } from '../rules/plan-step.js'
import { sequenceGapsOf } from '../rules/sequence-gaps.js'
import type { Store } from '../store/create-store.js'
import type { AmendedEvent, NotedState } from '../store/types.js'
import type { DayMaker, MissingTransaction, StoreState } from '../rules/rows.js'

export interface Step extends Partial<Omit<NotedState, 'events' | 'swaps' | 'rates'>> {
  /** In any order. */
  events: LocatedEvent[]
  missing?: MissingTransaction[]
  /** Signatures that were missing and have been read now. */
  found?: string[]
}

/** The only writer of a store, with the state in memory. One call at a time. */
export type StepWriter = Awaited<ReturnType<typeof createStepWriter>>

/** Added candles joined with the stored ones: totals, so that a step written twice counts once. */
export async function withStored (store: Store, added: readonly CandleRow[]): Promise<CandleRow[]> {
  const keyOf = ({ size, start, dao }: CandleRow): string => `${size} ${start} ${dao}`
  const stored = new Map((await store.candles(added)).map(row => [keyOf(row), row]))
  return added.map(row => ({ ...row, ...joinCandles(stored.get(keyOf(row)) ?? EMPTY_CANDLE, row) }))
}

/** Loads the state of `store` and becomes its writer. */
export async function createStepWriter (store: Store, valuation: VolumeRule, onLog: OnLog) {
  const state = await store.load()
  const warned = new Set<string>()
  const { alone, together: read } = createSharedTurns()
  warn(state.rates)

  function warn (rates: ReadonlyMap<string, number>): void {
    for (const bps of rates.keys()) {
      const event = warned.has(bps) ? undefined : feeRateLogEvent(bps, valuation.rate)
      warned.add(bps)
      if (event !== undefined) onLog(event)
    }
  }

  /** A DAO has events, stored or numbered by an account, or names itself in these. */
  function directoryOf (located: readonly LocatedEvent[]): Directory {
    const named = new Set(located.map(({ event: { dao, reason } }) => reason === null ? dao : null))
    return {
      isDao: address => named.has(address) || state.sequenceRanges.has(address) || state.numbersAhead.has(address),
      fits: (dao, seq, slot) => (state.sequenceRanges.get(dao) ?? []).every(({ first, last, firstSlot, lastSlot }) =>
        seq < first ? slot <= firstSlot : seq > last && slot >= lastSlot)
    }
  }

  function report (
    missing: readonly MissingTransaction[], unattributed: readonly LocatedEvent[], events: StepPlan['events']
  ): void {
    for (const { signature, reason } of missing) {
      const message = `transaction ${signature} can't be read, it is looked for again later: ${reason}`
      onLog({ level: 'warn', code: 'transaction-missing', message })
    }
    for (const { event: { name, reason }, signature } of unattributed) {
      const message = `an event of kind ${name} in ${signature} has no known DAO: ${reason ?? 'it names none'}`
      onLog({ level: 'warn', code: 'unattributed', message })
    }
    for (const { dao, signature, reason } of events) {
      if (reason === null) continue
      const message = `an event of ${dao} in ${signature} can't be read: ${reason}`
      onLog({ level: 'warn', code: 'unreadable', message, detail: { dao } })
    }
  }

  async function commit ({ events, missing = [], found = [], ...noted }: Step): Promise<number> {
    const directory = directoryOf(events)
    const rows = events.map(event => attribute(event, directory))
    const planned = planStep(state, rows.filter(row => row !== undefined), valuation)
    const candles = await withStored(store, planned.candles)
    const [count, swaps] = [state.events + planned.events.length, state.swaps + planned.swaps]
    const next = { ...noted, rates: planned.rates, events: count, swaps }
    await letGo()   // between planning and writing
    await store.write({ ...planned, candles, missing, found, state: next })
    for (const [dao, ranges] of planned.sequenceRanges) state.sequenceRanges.set(dao, ranges)
    for (const { dao, at, swap, reason } of planned.events) {
      if (swap !== null) state.firstSwaps.set(dao, Math.min(at, state.firstSwaps.get(dao) ?? at))
      if (reason !== null) state.unreadable.set(dao, Math.max(at, state.unreadable.get(dao) ?? 0))
    }
    for (const row of missing) state.missing.set(row.signature, row)
    for (const signature of found) state.missing.delete(signature)
    Object.assign(state, next)
    report(missing, events.filter((_, at) => rows[at] === undefined), planned.events)
    warn(state.rates)
    return planned.events.length
  }

  return {
    state: state as Readonly<StoreState>,
    /** Writes a step whole, or throws HISTORY_UNAVAILABLE and changes nothing. Gives the number of new events. */
    commit: (step: Step) => alone(() => commit(step)),
    /** Reads of store and state between two steps. */
    read,
    get sequenceGaps () { return sequenceGapsOf(state) },
    /** Notes what is learnt of stored events, and who traded on their days. */
    amend: (found: readonly AmendedEvent[], makers: readonly DayMaker[] = []) => alone(async () => {
      await store.amend(found, makers)
      if (found.some(({ reason }) => reason !== undefined)) state.unreadable = (await store.load()).unreadable
    })
  }
}
