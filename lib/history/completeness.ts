import type { HistoryReader } from '../chain/types.js'
import type { OnFact } from './facts.js'
import type { Fetcher } from './fetch.js'
import { holesOf, type Hole } from './gaps.js'
import { heal, type Cursor } from './heal.js'
import type { Recorder } from './recorder.js'
import type { Store } from './store.js'

/** The DAO accounts and their sequence numbers, at commitment `confirmed`. */
export type ListDaos = () => Promise<{ slot: number, daos: ReadonlyArray<{ address: string, seqNum: bigint }> }>

export interface CompletenessOptions {
  reader: HistoryReader
  fetcher: Fetcher
  recorder: Recorder
  store: Store
  daos: ListDaos
  now: () => number
  onFact: OnFact
}

const FIRST_RETRY_MS = 10_000
const MOST_RETRY_MS = 3_600_000
/** Holes and missing transactions looked for in one go, so that the walk is not kept waiting. */
const AT_ONCE = 20
const MISSING_AT_ONCE = 20

/** When something that was not to be had is looked for again: ever less often. */
function createSchedule (now: () => number) {
  const entries = new Map<string, { tries: number, at: number }>()
  return {
    due: (key: string) => (entries.get(key)?.at ?? 0) <= now(),
    isNew: (key: string) => !entries.has(key),
    failed (key: string): void {
      const tries = (entries.get(key)?.tries ?? 0) + 1
      entries.set(key, { tries, at: now() + Math.min(FIRST_RETRY_MS * 4 ** (tries - 1), MOST_RETRY_MS) })
    },
    done: (key: string) => entries.delete(key)
  }
}

/** Compares what is stored with what the accounts say, and looks for what is missing. */
export function createCompleteness ({ reader, fetcher, recorder, store, daos, now, onFact }: CompletenessOptions) {
  const schedule = createSchedule(now)
  const later = createSchedule(now)
  /** Where the search for a hole goes on. */
  const cursors = new Map<string, Cursor>()
  /** Numbers that the accounts had at a slot which the walk may not have covered yet. */
  let pending: { slot: number, seqNums: Map<string, bigint> } | undefined
  /** Such numbers once it has: every event up to them should be stored. */
  let proven: ReadonlyMap<string, bigint> = new Map()
  let provenSlot = 0
  let expected: number | null = null
  let cached: { version: number, proven: ReadonlyMap<string, bigint>, holes: Map<string, Hole[]> } | undefined

  function holes (): ReadonlyMap<string, Hole[]> {
    const { segments, ended, intervals } = recorder.state
    if (cached === undefined || cached.version !== recorder.version || cached.proven !== proven) {
      cached = { version: recorder.version, proven, holes: holesOf({ intervals, segments, ended, accounts: proven }) }
    }
    return cached.holes
  }

  async function readAccounts (): Promise<void> {
    const { slot, daos: list } = await daos()
    const seqNums = new Map(list.map(({ address, seqNum }) => [address, seqNum]))
    await recorder.learn(seqNums.keys())
    pending = { slot, seqNums }
  }

  const key = ({ dao, from }: Hole) => `${dao} ${from}`

  async function healSome (): Promise<void> {
    const due = [...holes().values()].flat().filter(hole => schedule.due(key(hole))).slice(0, AT_ONCE)
    for (const hole of due) {
      const { dao, from, to } = hole
      const { found, next } = await heal(hole, cursors.get(key(hole)), { reader, fetcher, recorder, store, now })
      if (next !== undefined) {
        cursors.set(key(hole), next)
        continue
      }
      cursors.delete(key(hole))
      const left = holes().get(dao)?.some(other => other.from <= to && other.to >= from) ?? false
      const detail = { dao, from: String(from), to: String(to) }
      if (!left) {
        schedule.done(key(hole))
        onFact({ level: 'info', code: 'healed', message: `events ${from} to ${to} of ${dao} were missing and have been found`, detail })
        continue
      }
      if (schedule.isNew(key(hole))) {
        onFact({ level: 'warn', code: 'hole', message: `events ${from} to ${to} of ${dao} are missing; the node gave ${found} of them`, detail })
      }
      schedule.failed(key(hole))
    }
  }

  async function fetchMissing (): Promise<void> {
    const due = recorder.state.missing.filter(({ signature }) => later.due(signature)).slice(0, MISSING_AT_ONCE)
    if (due.length === 0) return
    const { events, missing } = await fetcher.fetch(due)
    const still = new Set(missing.map(({ signature }) => signature))
    const found = due.map(({ signature }) => signature).filter(signature => !still.has(signature))
    for (const signature of still) later.failed(signature)
    for (const signature of found) later.done(signature)
    if (found.length === 0) return
    await recorder.commit({ events, found })
    onFact({ level: 'info', code: 'found', message: `${found.length} transactions that were missing have been read` })
  }

  return {
    holes,
    /** The DAOs that the accounts have shown, with the numbers that they had. */
    get accounts () { return proven },
    /** Every hole has been looked for, at least once. */
    get searched () { return [...holes().values()].flat().every(hole => !schedule.isNew(key(hole))) },
    /** Whether one has, in vain. */
    wasSearched: (hole: Hole) => !schedule.isNew(key(hole)),
    /** Events that those numbers amount to. */
    get expected () { return expected },
    /** The slot of those numbers: a transaction missing before it leaves a hole, a later one may yet do so. */
    get provenSlot () { return provenSlot },
    /** Whether numbers wait for the walk to come past their slot. */
    get isPending () { return pending !== undefined },
    /** Tells that everything up to `slot` has been walked. */
    reached (slot: number): void {
      if (pending === undefined || slot < pending.slot) return
      proven = pending.seqNums
      provenSlot = pending.slot
      expected = [...proven.values()].reduce((sum, seqNum) => sum + Number(seqNum), 0)
      pending = undefined
    },
    async check (): Promise<void> {
      await readAccounts()
      await fetchMissing()
      await healSome()
    }
  }
}

export type Completeness = ReturnType<typeof createCompleteness>
