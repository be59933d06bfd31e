import { LRUCache } from 'lru-cache'
import type { Rational } from '../../decimal.js'
import { upTo } from '../../lru.js'
import type { LocatedState, ProgramEvent } from '../../protocol/events.js'
import { DAY } from '../../time.js'
import type { OnLog } from '../log-events.js'
import type { LocatedEvent } from '../rules/attribution.js'
import { formOf, type PoolState, provenSwap, swapWithoutBefore } from '../rules/grown-swap.js'

/**
 * Known events of a form that a newer release of the program writes: read where they prove themselves, told once per form. A swap whose event
 * before is not at hand, and which does not prove itself alone, is left out: it shows as a sequence gap, is fetched again together with that event, and then proves itself or does not.
 * So is one of a pool with a live proposal, for a day, while no swap of a pool without one has proved its form: nothing is published past it until then.
 */

export interface GrownEventsOptions {
  rate: Rational
  isDao: (address: string) => boolean
  /** Unix milliseconds of the chain; undefined: not known yet. */
  chainTime: () => number | undefined
  onLog: OnLog
}

export interface GrownEvents {
  /** The events of a step, oldest first, with those made whole that prove themselves. */
  resolve (events: readonly LocatedEvent[]): LocatedEvent[]
  /** The newest number of each DAO of which an event was left out so: it is stored, or missing. */
  readonly leftOut: ReadonlyMap<string, bigint>
  /** Forms that have been read. */
  readonly forms: number
}

/** For so long a swap waits for another to prove its form, seconds. */
const WAITED = DAY
/** DAOs whose pool is remembered, a few hundred bytes each. */
const MAX_POOLS = 20_000

type KnownPool = PoolState & { seq: bigint }

export function createGrownEvents ({ rate, isDao, chainTime, onLog }: GrownEventsOptions): GrownEvents {
  /** The pool after the newest event that told of it, and that event's number or that of a later one which left the pool alone. */
  const pools = new LRUCache<string, KnownPool>(upTo(MAX_POOLS))
  const proven = new Map<string, number>()
  const told = new Set<string>()
  const leftOut = new Map<string, bigint>()

  function leaveOut ({ seq, dao, grown }: ProgramEvent): void {
    const owner = grown?.dao ?? dao
    if (owner != null && seq !== null && isDao(owner) && seq > (leftOut.get(owner) ?? 0n)) leftOut.set(owner, seq)
  }

  function tell (form: string, { signature }: LocatedEvent): void {
    if (told.has(form)) return
    told.add(form)
    onLog({ level: 'warn', code: 'grown-event', message: `the program writes a new form of an event, which proves itself and is read: ${form}, first in ${signature}; look for a newer version of this service`, detail: { form } })
  }

  /** Goes on from what the step has told of a DAO's pool so far, or else from what is remembered. */
  function follow (step: Map<string, KnownPool>, dao: string, seq: bigint, pool: PoolState | null, isNeutral: boolean): void {
    const known = step.get(dao) ?? pools.get(dao)
    const next = pool !== null ? { ...pool, seq } : known?.seq === seq - 1n && isNeutral ? { ...known, seq } : undefined
    if (next === undefined) return
    step.set(dao, next)
    if (next.seq >= (pools.get(dao)?.seq ?? 0n)) pools.set(dao, next)
  }

  const whole = (event: ProgramEvent, changes: Partial<ProgramEvent>): ProgramEvent =>
    ({ ...event, name: event.grown!.name, keepsFees: event.grown!.layout.keepsFees ?? false, reason: null, raw: null, candidates: [], ...changes })

  function mayProveItselfLater ({ grown, at }: ProgramEvent, state: LocatedState): boolean {
    if (state.kind === 'spot' || proven.has(formOf(grown!, state)) || at === null) return false
    // of a released form nothing is left to be proved
    const { amm = [], behind = [0] } = grown!.layout
    if (amm.includes(state.from) && behind.includes(state.behind)) return false
    const now = chainTime()
    return now === undefined || at > now / 1000 - WAITED
  }

  /** The event made whole; itself where it stays unreadable; undefined where that can't be told yet. */
  function read (located: LocatedEvent, step: Map<string, KnownPool>): ProgramEvent | undefined {
    const { event } = located
    const { grown, seq } = event
    if (grown === null || seq === null) return event
    if (grown.layout.amm === undefined) {
      // its name says that the pool is left alone, and its DAO or proposal stands where it always has
      if (grown.layout.keepsFees !== true) return event
      if (event.dao !== null && !isDao(event.dao)) return undefined
      tell(`${grown.name} of ${grown.data.length} bytes`, located)
      return whole(event, {})
    }
    const { dao, state } = grown
    if (dao === null || state === null) return event
    const before = step.get(dao) ?? pools.get(dao)
    follow(step, dao, seq, state, false)
    const pool = { dao, reserves: state.reserves, fees: state.fees }
    if (grown.name !== 'SpotSwap') {
      tell(formOf(grown, state), located)
      return whole(event, pool)
    }
    const isKnown = before?.seq === seq - 1n
    const found = isKnown ? provenSwap(grown, state, before, proven, rate) : swapWithoutBefore(grown, state, proven)
    if (found === undefined && !isKnown) return undefined
    if (found === undefined) return mayProveItselfLater(event, state) ? undefined : event
    proven.set(formOf(grown, state), found.at)
    tell(formOf(grown, state), located)
    return whole(event, { ...pool, swap: found.swap, user: event.dao === dao ? event.user : null })
  }

  return {
    resolve (events) {
      const inOrder = [...events].sort((a, b) => Number((a.event.seq ?? 0n) - (b.event.seq ?? 0n)))
      const step = new Map<string, KnownPool>()
      const made = new Map<LocatedEvent, ProgramEvent | undefined>()
      for (const located of inOrder) {
        const { event } = located
        if (event.grown !== null) made.set(located, read(located, step))
        else if (event.dao !== null && event.seq !== null) {
          const { dao, seq, reserves, fees, keepsFees, liquidity } = event
          follow(step, dao, seq, reserves === null || fees === null ? null : { reserves, fees }, keepsFees && liquidity === null)
        }
      }
      return events.flatMap(located => {
        if (!made.has(located)) return [located]
        const event = made.get(located)
        if (event !== undefined) return [{ ...located, event }]
        leaveOut(located.event)
        return []
      })
    },
    leftOut,
    get forms () { return told.size }
  }
}
