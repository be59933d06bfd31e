import { createPauses } from '../../async.js'
import type { Clock } from '../../clock.js'
import type { HistoryReader } from '../../chain/types.js'
import type { OnLog } from '../log-events.js'
import { type Fetcher, isMissing } from './fetch-transactions.js'
import { expectedEvents } from '../status.js'
import {
  gapKey, isToCome, type ProvedNumbers, sequenceGapsOf, type SequenceGap, withProved
} from '../rules/sequence-gaps.js'
import { refetchGap, type Cursor } from './refetch-gap.js'
import { beginningOf } from '../rules/signature-ranges.js'
import { firstAvailable } from './first-available.js'
import type { StepWriter } from './step-writer.js'
import type { Store } from '../store/store.js'
import { type AccountReading, provenReading } from '../rules/proven-reading.js'
import type { AccountState } from '../rules/types.js'
import { createUnknownKinds } from './unknown-kinds.js'

/**
 * The DAO accounts, their sequence numbers and when they were made (Unix seconds; undefined: not known), at commitment
 * `confirmed`, and when they were asked for, by the clock, ms.
 */
export type ListDaos = () => Promise<{ slot: number, readAt?: number, daos: readonly AccountState[] }>

export interface ReconcilerOptions {
  reader: HistoryReader
  fetcher: Fetcher
  writer: StepWriter
  store: Store
  daos: ListDaos
  clock: Clock
  /** The chain's time as of its newest finalized moment, Unix seconds; undefined: not known yet. */
  headTime: () => number | undefined
  signal: AbortSignal
  onLog: OnLog
}

/** A slot that is still shown after so long is over: the chain has halted. */
const SLOT_OVER_MS = 5_000
const FIRST_RETRY_MS = 10_000
const MAX_RETRY_MS = 3_600_000
/**
 * All searching of one check together, ms, so that the walk is not kept waiting; missing transactions have their half
 * of it first.
 */
const SEARCH_MS = 3000
const MISSING_AT_ONCE = 20
const BEGINNING = 'where the nodes begin'
/** Readings of the accounts that wait for the walk at once: beyond, the walk has stalled. */
const MAX_WAITING = 8

/** When something that was not to be had is looked for again: ever less often. */
function createSchedule (now: () => number) {
  const entries = new Map<string, { tries: number, at: number }>()
  return {
    due: (key: string) => (entries.get(key)?.at ?? 0) <= now(),
    isNew: (key: string) => !entries.has(key),
    failed (key: string): void {
      const tries = (entries.get(key)?.tries ?? 0) + 1
      entries.set(key, { tries, at: now() + Math.min(FIRST_RETRY_MS * 4 ** (tries - 1), MAX_RETRY_MS) })
    },
    done: (key: string) => entries.delete(key)
  }
}

/** Compares what is stored with what the accounts say, and looks for what is missing. */
export function createReconciler (
  { reader, fetcher, writer, store, daos, clock, headTime, signal, onLog }: ReconcilerOptions
) {
  const now = () => clock.now()
  const schedule = createSchedule(now)
  const judge = createUnknownKinds({ store, writer, onLog })
  const later = createSchedule(now)
  /** Where the search for a sequence gap goes on. */
  const cursors = new Map<string, Cursor>()
  /**
   * Gaps in the search for which something was listed and not given: in the one under way, and in the last that ended.
   */
  const withholding = new Set<string>()
  const withheld = new Set<string>()
  /** Numbers that the accounts had at slots which the walk may not have covered yet, oldest slot first. */
  let waiting: AccountReading[] = []
  /** The slot that accounts were read at last, and when they first were, by our clock. */
  let shown: { slot: number, at: number } | undefined
  /**
   * Such numbers once it has, or once all of them are stored: every event up to them should be. At first those that an
   * earlier process has found to be ahead.
   */
  let verified: ReadonlyMap<string, bigint> = writer.state.numbersAhead
  let verifiedSlot = 0
  /** When each DAO was made, Unix seconds; and which of its numbers have proved something. */
  let created: ReadonlyMap<string, number> = new Map()
  const proved = new Map<string, ProvedNumbers>()
  /** Everything up to here has been walked. */
  let walkedSlot = 0
  let expected: number | null = null
  let cached: {
    version: number,
    verified: ReadonlyMap<string, bigint>,
    sequenceGaps: Map<string, SequenceGap[]>
  } | undefined

  function current (): NonNullable<typeof cached> {
    const { indexedRanges, ended, sequenceRanges } = writer.state
    if (cached === undefined || cached.version !== writer.version || cached.verified !== verified) {
      cached = {
        version: writer.version,
        verified,
        sequenceGaps: sequenceGapsOf({ sequenceRanges, indexedRanges, ended, accounts: verified })
      }
    }
    return cached
  }
  const sequenceGaps = (): ReadonlyMap<string, SequenceGap[]> => current().sequenceGaps

  async function readAccounts (): Promise<readonly AccountState[]> {
    const { slot, readAt = now(), daos: list } = await daos()
    const pause = createPauses()
    const seqNums = new Map(list.map(({ address, seqNum }) => [address, seqNum]))
    created = new Map(list.flatMap(({ address, createdAt }) => createdAt === undefined ? [] : [[address, createdAt]]))
    await writer.learn(seqNums.keys())
    await pause()
    if (shown?.slot !== slot) shown = { slot, at: readAt }
    const isOver = readAt - shown.at >= SLOT_OVER_MS
    if (slot <= verifiedSlot || waiting.some(other => other.slot === slot && (other.isOver || !isOver))) return list
    waiting = [...waiting.filter(other => other.slot !== slot), { slot, seqNums, isOver }].sort((a, b) =>
      a.slot - b.slot).slice(0, MAX_WAITING)
    settle()
    return list
  }

  function settle (): void {
    const found = provenReading(waiting, walkedSlot, dao => writer.state.sequenceRanges.get(dao)?.at(-1)?.last ?? 0n)
    if (found === undefined) return
    verified = found.reading.seqNums
    verifiedSlot = Math.max(verifiedSlot, found.upTo)
    for (const [dao, seq] of verified) {
      proved.set(
        dao,
        withProved(proved.get(dao), { seq, slot: found.upTo, at: now() })
      )
    }
    expected = expectedEvents(verified) ?? 0
    waiting = waiting.filter(({ slot, isOver }) => (isOver ? slot : slot - 1) > verifiedSlot)
  }

  /**
   * What was missing at the end of a DAO's numbers shows in nothing that is stored: it is noted, or a restart would
   * take what there is for all.
   */
  async function noteAhead (): Promise<void> {
    const { sequenceRanges, numbersAhead } = writer.state
    const ahead = new Map<string, bigint>()
    for (const [dao, seq] of verified) if (seq > (sequenceRanges.get(dao)?.at(-1)?.last ?? 0n)) ahead.set(dao, seq)
    if (ahead.size === numbersAhead.size && [...ahead].every(([dao, seq]) => numbersAhead.get(dao) === seq)) return
    await writer.commit({ events: [], numbersAhead: ahead })
  }

  async function fillGaps (until: number): Promise<void> {
    for (const gap of [...sequenceGaps().values()].flat()) {
      if (now() >= until || signal.aborted) return
      if (!schedule.due(gapKey(gap))) continue
      const { dao, from, to } = gap
      const { found, withheld: isWithheld, ended, next } = await refetchGap(gap, cursors.get(gapKey(
        gap
      )), until, { reader, fetcher, writer, store, clock, signal })
      if (isWithheld) withholding.add(gapKey(gap))
      if (!ended) {
        if (next !== undefined) cursors.set(gapKey(gap), next)
        continue
      }
      cursors.delete(gapKey(gap))
      if (withholding.delete(gapKey(gap))) withheld.add(gapKey(gap))
      else withheld.delete(gapKey(gap))
      const left = sequenceGaps().get(dao)?.some(other => other.from <= to && other.to >= from) ?? false
      const detail = { dao, from: String(from), to: String(to) }
      if (!left) {
        schedule.done(gapKey(gap))
        onLog({
          level: 'info',
          code: 'sequence-gap-filled',
          message: `events ${from} to ${to} of ${dao} were missing and have been found`,
          detail
        })
        continue
      }
      if (schedule.isNew(gapKey(gap))) {
        onLog({
          level: 'warn',
          code: 'sequence-gap',
          message: `events ${from} to ${to} of ${dao} are missing; the node gave ${found} of them`,
          detail
        })
      }
      schedule.failed(gapKey(gap))
    }
  }

  /**
   * A DAO's first events that no node has any more happened before the first node begins, not before the first
   * transaction that it happens to list. A node that claims to have what it lacks is not believed.
   */
  async function noteBeginning (): Promise<void> {
    const { indexedRanges: [range, ...others], ended, beginning } = writer.state
    if (!ended || range === undefined || others.length > 0 || beginning !== null || !later.due(BEGINNING)) return
    const lost = [...sequenceGaps().values()].flat().filter(gap => gap.from === 1n && !schedule.isNew(gapKey(gap)))
    if (lost.length === 0) return
    later.failed(BEGINNING)
    const begins = await firstAvailable(reader)
    if (begins === undefined || begins.slot > range.oldestSlot) return
    if (lost.some(({ dao }) => (created.get(dao) ?? Infinity) > begins.time)) return
    await writer.commit({ events: [], beginning: begins.time })
  }

  async function fetchMissing (until: number): Promise<void> {
    const due = writer.state.missing.filter(({ signature }) => later.due(signature)).slice(0, MISSING_AT_ONCE)
    if (due.length === 0) return
    fetcher.forget(due)   // what was said of them before
    await fetcher.fetch(due, 'idle', until - now())
    const outcomes = due.map(entry => ({ entry, outcome: fetcher.outcome(entry, 0) }))
    fetcher.forget(due)
    const found = outcomes.flatMap(({ entry, outcome }) => Array.isArray(outcome)
      ? [{ signature: entry.signature, events: outcome }]
      : [])
    for (const { entry, outcome } of outcomes) {
      if (outcome !== undefined && isMissing(outcome)) {
        later.failed(entry.signature)
      }
    }
    if (found.length === 0) return
    await writer.commit({
      events: found.flatMap(({ events }) => events),
      found: found.map(({ signature }) => signature)
    })
    for (const { signature } of found) later.done(signature)
    onLog({
      level: 'info',
      code: 'transaction-found',
      message: `${found.length} transactions that were missing have been read`
    })
  }

  return {
    sequenceGaps,
    /** The DAOs that the accounts have shown, with the numbers that they had. */
    get accounts () { return verified },
    /** Every sequence gap has been looked for, at least once. */
    get searched () { return [...sequenceGaps().values()].flat().every(gap => !schedule.isNew(gapKey(gap))) },
    /** Whether one has, in vain, so that what is missing may be lost. */
    wasSearched: (gap: SequenceGap) => !schedule.isNew(gapKey(gap)) &&
      !isToCome(
        gap,
        { createdAt: created.get(gap.dao), first: proved.get(gap.dao)?.base },
        { lostBefore: beginningOf(writer.state), losses: writer.state.losses, now: headTime() }
      ),
    /** Whether that one met transactions that the node lists and does not give. */
    isWithheld: (gap: SequenceGap) => withheld.has(gapKey(gap)),
    /** Events that those numbers amount to. */
    get expected () { return expected },
    /**
     * How far the walk and those numbers both are: a transaction missing before it leaves a sequence gap, a later one
     * may yet do so.
     */
    get verifiedSlot () { return verifiedSlot },
    /** Whether numbers wait for the walk to come past their slot. */
    get isPending () { return waiting.length > 0 },
    /** Tells that everything up to `slot` has been walked. */
    reached (slot: number): void {
      walkedSlot = Math.max(walkedSlot, slot)
      settle()
    },
    /** Reads the accounts, and where `search` says so looks for what is missing, for a while. */
    async check (search: boolean): Promise<void> {
      // each looks at every DAO
      const pause = createPauses()
      const list = await readAccounts()
      await pause()
      await noteAhead()
      await judge(list)
      if (!search) return
      await pause()
      const begun = now()
      await fetchMissing(begun + SEARCH_MS / 2)
      await fillGaps(begun + SEARCH_MS)
      await noteBeginning()
    }
  }
}

export type Reconciler = ReturnType<typeof createReconciler>
