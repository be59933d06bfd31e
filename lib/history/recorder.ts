import type { Valuation } from '../market/volume.js'
import { rateFact, type OnFact } from './facts.js'
import { place, revisit, type Directory, type Sighting } from './placing.js'
import { plan, type PlacedEvent, type Plan } from './record.js'
import type { MissingTransaction, Segment, Store, StoreState, UnplacedEvent } from './store.js'

/** What one step of the walk brings. */
export interface Step {
  /** Oldest first. */
  events: Sighting[]
  missing?: MissingTransaction[]
  /** Signatures that were missing and have been read now. */
  found?: string[]
  segments?: Segment[]
  ended?: boolean
}

/** The only writer of a store, with what it must know of its contents in memory. One call at a time. */
export interface Recorder {
  readonly state: Readonly<StoreState>
  /** Whether `address` is a DAO by an event or by what `learn` was told. */
  isDao (address: string): boolean
  /** Writes a step at once and whole, or throws HISTORY_UNAVAILABLE and leaves everything as it was. Gives the number of new events. */
  commit (step: Step): Promise<number>
  /** Tells of DAOs that exist on the chain: events that waited for one are placed. */
  learn (daos: Iterable<string>): Promise<void>
  /** Grows with every change of the state. */
  readonly version: number
}

const isPlaced = (row: PlacedEvent | UnplacedEvent): row is PlacedEvent => 'event' in row
const isWaiting = (row: PlacedEvent | UnplacedEvent): row is UnplacedEvent => !isPlaced(row)

/** Loads the state of `store` and becomes its writer. */
export async function createRecorder (store: Store, valuation: Valuation, onFact: OnFact): Promise<Recorder> {
  const state = await store.load()
  const learnt = new Set<string>()
  const warned = new Set<string>()
  let version = 0
  warn(state.rates)

  function warn (rates: ReadonlyMap<string, number>): void {
    for (const [bps, swaps] of rates) {
      const fact = swaps > 0 && !warned.has(bps) ? rateFact(bps, valuation.rate) : undefined
      warned.add(bps)
      if (fact !== undefined) onFact(fact)
    }
  }

  const isDao = (address: string) => learnt.has(address) || state.intervals.has(address)

  /** What is known once this step's events are. */
  function directoryOf (sightings: readonly Sighting[]): Directory & { proposals: Map<string, string>, daos: Set<string> } {
    const proposals = new Map<string, string>()
    const daos = new Set<string>()
    for (const { event: { dao, proposal, name } } of sightings) {
      if (dao === null || name === 'Unreadable') continue
      if (!isDao(dao)) daos.add(dao)
      if (proposal !== null && !state.proposals.has(proposal)) proposals.set(proposal, dao)
    }
    return {
      proposals,
      daos,
      isDao: address => isDao(address) || daos.has(address),
      daoOfProposal: proposal => state.proposals.get(proposal) ?? proposals.get(proposal)
    }
  }

  /** Rows that waited for one of `keys`. */
  async function released (keys: Iterable<string>, directory: Directory): Promise<PlacedEvent[]> {
    const wanted = [...keys].filter(key => state.unplacedKeys.has(key))
    if (wanted.length === 0) return []
    return (await store.unplaced(wanted)).map(row => revisit(row, directory)).filter(row => row !== undefined)
  }

  /** Tells of different events under one number: nodes that disagree, or a fault of ours. */
  async function compareRepeated ({ repeated }: Plan): Promise<void> {
    const origins = new Map((await store.origins(repeated)).map(row => [`${row.seq} ${row.dao}`, row]))
    for (const { dao, seq, signature, place } of repeated) {
      const kept = origins.get(`${seq} ${dao}`)
      if (kept === undefined || (kept.signature === signature && kept.place === place)) continue
      onFact({ level: 'error', code: 'conflict', message: `event ${seq} of ${dao} is in ${kept.signature} and in ${signature}: the first one stays`, detail: { dao } })
    }
  }

  function report ({ missing = [] }: Step, unplaced: readonly UnplacedEvent[], events: Plan['events']): void {
    for (const { signature, reason } of missing) {
      onFact({ level: 'warn', code: 'missing', message: `transaction ${signature} can't be read, it is looked for again later: ${reason}` })
    }
    for (const row of unplaced) {
      onFact({ level: 'warn', code: 'unplaced', message: `an event of kind ${row.kind} in ${row.signature} has no known DAO: ${row.reason ?? 'kept until it has'}` })
    }
    for (const { kind, dao, signature, reason } of events) {
      if (kind === 'Unreadable') onFact({ level: 'warn', code: 'unreadable', message: `an event of ${dao} in ${signature} can't be read: ${reason}`, detail: { dao } })
    }
  }

  /** Day rows and rates are kept as totals, so that writing a step twice would not add it twice. */
  async function totals ({ days, rates }: Plan) {
    const stored = new Map((await store.days(days)).map(row => [`${row.day} ${row.dao}`, row]))
    return {
      days: days.map(({ dao, day, base, quote, trades }) => {
        const old = stored.get(`${day} ${dao}`)
        return { dao, day, base: base + (old?.base ?? 0n), quote: quote + (old?.quote ?? 0n), trades: trades + (old?.trades ?? 0) }
      }),
      rates: Array.from(rates, ([bps, swaps]) => ({ bps, swaps: swaps + (state.rates.get(bps) ?? 0) }))
    }
  }

  async function commit (step: Step): Promise<number> {
    const directory = directoryOf(step.events)
    const rows = step.events.map(sighting => place(sighting, directory))
    const freed = await released([...directory.proposals.keys(), ...directory.daos], directory)
    return await apply(step, [...freed, ...rows.filter(isPlaced)], rows.filter(isWaiting), freed, directory.proposals)
  }

  async function apply (
    step: Step, placed: PlacedEvent[], unplaced: UnplacedEvent[], freed: PlacedEvent[], proposals: ReadonlyMap<string, string>
  ): Promise<number> {
    const planned = plan(state, placed, valuation)
    const sums = await totals(planned)
    const [events, swaps] = [state.events + planned.events.length, state.swaps + planned.swaps]
    const ended = step.ended ?? state.ended
    await store.write({
      events: planned.events,
      fees: planned.fees,
      intervals: Array.from(planned.intervals, ([dao, { put, drop }]) => ({ dao, put, drop })),
      ...sums,
      firstSwaps: Array.from(planned.firstSwaps, ([dao, at]) => ({ dao, at })),
      proposals: Array.from(proposals, ([proposal, dao]) => ({ proposal, dao })),
      unplaced,
      placed: freed.map(({ event }) => event),
      missing: step.missing ?? [],
      found: step.found ?? [],
      segments: step.segments ?? null,
      ended,
      events_total: events,
      swaps_total: swaps
    })
    for (const [dao, { runs }] of planned.intervals) state.intervals.set(dao, runs)
    for (const [dao, at] of planned.firstSwaps) state.firstSwaps.set(dao, at)
    for (const [proposal, dao] of proposals) state.proposals.set(proposal, dao)
    for (const { bps, swaps } of sums.rates) state.rates.set(bps, swaps)
    for (const { dao, at, reason } of planned.events) {
      if (reason !== null) state.unreadable.set(dao, Math.max(at, state.unreadable.get(dao) ?? 0))
    }
    for (const { keys } of unplaced) for (const key of keys) state.unplacedKeys.add(key)
    const gone = new Set([...step.found ?? [], ...(step.missing ?? []).map(({ signature }) => signature)])
    if (gone.size > 0) state.missing = [...step.missing ?? [], ...state.missing.filter(({ signature }) => !gone.has(signature))]
    if (step.segments !== undefined) state.segments = step.segments
    Object.assign(state, { ended, events, swaps })
    version++
    if (planned.repeated.length > 0) await compareRepeated(planned)
    report(step, unplaced, planned.events)
    warn(state.rates)
    return planned.events.length
  }

  async function learn (daos: Iterable<string>): Promise<void> {
    const fresh = [...daos].filter(dao => !isDao(dao))
    for (const dao of fresh) learnt.add(dao)
    const freed = await released(fresh, { isDao, daoOfProposal: proposal => state.proposals.get(proposal) })
    if (freed.length > 0) await apply({ events: [] }, freed, [], freed, new Map())
    if (fresh.length > 0) version++
  }

  return { state, isDao, commit, learn, get version () { return version } }
}
