import { createSharedTurns, letGo } from '../../async.js'
import type { VolumeRule } from '../../market/volume.js'
import { feeRateLogEvent, type OnLog } from '../log-events.js'
import { EMPTY_CANDLE, joinCandles, type CandleRow } from '../rules/candles.js'
import { attribute, attributeLater, type Directory, type LocatedEvent } from '../rules/attribution.js'
import { planStep, type AttributedEvent, type StepPlan } from '../rules/plan-step.js'
import { sequenceGapsOf } from '../rules/sequence-gaps.js'
import { mayHold } from '../rules/sequence-ranges.js'
import type { Store } from '../store/create-store.js'
import type { AmendedEvent, NotedState } from '../store/types.js'
import type { DayMaker, MissingTransaction, StoreState, UnattributedEvent } from '../rules/rows.js'

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
  const learnt = new Set<string>()
  const warned = new Set<string>()
  const { alone, together: read } = createSharedTurns()
  let knowsAll = false
  warn(state.rates)

  function warn (rates: ReadonlyMap<string, number>): void {
    for (const bps of rates.keys()) {
      const event = warned.has(bps) ? undefined : feeRateLogEvent(bps, valuation.rate)
      warned.add(bps)
      if (event !== undefined) onLog(event)
    }
  }

  const isDao = (address: string) => learnt.has(address) || state.sequenceRanges.has(address)

  const fits: Directory['fits'] = (dao, seq, slot) => mayHold(state.sequenceRanges.get(dao) ?? [], seq, slot)

  /** With what these events and accounts add. */
  function directoryOf (located: readonly LocatedEvent[], accounts: Iterable<string>) {
    const proposals = new Map<string, string>()
    const daos = new Set([...accounts].filter(address => !isDao(address)))
    for (const { event: { dao, proposal, name } } of located) {
      if (dao === null || name === 'Unreadable') continue
      if (!isDao(dao)) daos.add(dao)
      if (proposal !== null && !state.proposals.has(proposal)) proposals.set(proposal, dao)
    }
    return {
      proposals,
      daos,
      isDao: (address: string) => isDao(address) || daos.has(address),
      daoOfProposal: (proposal: string) => state.proposals.get(proposal) ?? proposals.get(proposal),
      knowsAll,
      fits
    }
  }

  /** Stored events that its new proposals and DAOs attribute. */
  async function released (directory: ReturnType<typeof directoryOf>): Promise<AttributedEvent[]> {
    const keys = [...directory.proposals.keys(), ...directory.daos]
    const rows = keys.length === 0 ? [] : await store.unattributed(keys)
    return rows.map(row => attributeLater(row, directory)).filter(row => row !== undefined)
  }

  function report (
    missing: readonly MissingTransaction[], unattributed: readonly UnattributedEvent[], events: StepPlan['events']
  ): void {
    for (const { signature, reason } of missing) {
      const message = `transaction ${signature} can't be read, it is looked for again later: ${reason}`
      onLog({ level: 'warn', code: 'transaction-missing', message })
    }
    for (const { kind, signature, reason } of unattributed) {
      const message = `an event of kind ${kind} in ${signature} has no known DAO: ${reason ?? 'kept until it has'}`
      onLog({ level: 'warn', code: 'unattributed', message })
    }
    for (const { dao, signature, reason } of events) {
      if (reason === null) continue
      const message = `an event of ${dao} in ${signature} can't be read: ${reason}`
      onLog({ level: 'warn', code: 'unreadable', message, detail: { dao } })
    }
  }

  async function commit (
    { events, missing = [], found = [], ...noted }: Step, accounts: Iterable<string> = []
  ): Promise<number> {
    const directory = directoryOf(events, accounts)
    const { proposals } = directory
    const rows = events.map(event => attribute(event, directory))
    const unattributed = rows.filter(row => 'keys' in row)
    const freed = await released(directory)
    const attributed = freed.map(({ event }) => event)
    const planned = planStep(state, [...freed, ...rows.filter(row => 'event' in row)], valuation)
    const candles = await withStored(store, planned.candles)
    const [count, swaps] = [state.events + planned.events.length, state.swaps + planned.swaps]
    const next = { ...noted, rates: planned.rates, events: count, swaps }
    await letGo()   // between planning and writing
    await store.write({ ...planned, candles, proposals, unattributed, attributed, missing, found, state: next })
    for (const [dao, ranges] of planned.sequenceRanges) state.sequenceRanges.set(dao, ranges)
    for (const [proposal, dao] of proposals) state.proposals.set(proposal, dao)
    for (const { dao, at, swap, reason } of planned.events) {
      if (swap !== null) state.firstSwaps.set(dao, Math.min(at, state.firstSwaps.get(dao) ?? at))
      if (reason !== null) state.unreadable.set(dao, Math.max(at, state.unreadable.get(dao) ?? 0))
    }
    for (const row of missing) state.missing.set(row.signature, row)
    for (const signature of found) state.missing.delete(signature)
    Object.assign(state, next)
    report(missing, unattributed, planned.events)
    warn(state.rates)
    return planned.events.length
  }

  async function learn (accounts: Iterable<string>): Promise<void> {
    const directory = directoryOf([], accounts)
    const { daos } = directory
    if ((await released(directory)).length > 0) await commit({ events: [] }, daos)
    // after the write: if that fails, what waits for them is released the next time
    for (const dao of daos) learnt.add(dao)
    knowsAll = true
  }

  return {
    state: state as Readonly<StoreState>,
    /** Whether `address` is a DAO by an event or by what `learn` was told. */
    isDao,
    /** Writes a step whole, or throws HISTORY_UNAVAILABLE and changes nothing. Gives the number of new events. */
    commit: (step: Step) => alone(() => commit(step)),
    /** Tells all DAOs that exist: events that waited for one are attributed. */
    learn: (daos: Iterable<string>) => alone(() => learn(daos)),
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
