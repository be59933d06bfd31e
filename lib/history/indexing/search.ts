/** The search for what is missing: sequence gaps in their DAOs' lists, and transactions not given. */
import type { SignatureInfo } from '../../chain/types.js'
import { gapKey, type SequenceGap } from '../rules/sequence-gaps.js'
import type { Context } from './context.js'
import { isMissing, type Wanted } from './fetch.js'
import { createLister, type Cursor, firstAvailable } from './list.js'

const FIRST_RETRY_MS = 10_000
const MAX_RETRY_MS = 3_600_000
/** One search, ms; missing transactions have their half of it first. */
const SEARCH_MS = 3000
/** What one call may take, ms, however little of the search is left. */
const CALL_MS = 1000
/** Transactions read and written at a time, and those of one bulk call. */
const STEP = 25
const BULK_PAGE = 250
const BEGINNING = 'where the nodes begin'

/** What is known of something that is looked for, ever less often. */
interface Sought {
  /** Searches in vain. */
  tries: number
  at: number
  /** Where a search goes on, and whether it has met something listed and not given. */
  cursor?: Cursor | undefined
  meetsMissing?: boolean
  /** Whether the last that ended has. */
  isWithheld?: boolean
}

export function createSearch (
  context: Context, sequenceGaps: () => ReadonlyMap<string, readonly SequenceGap[]>
) {
  const { reader, fetcher, writer, store, clock, signal, onLog } = context
  const lister = createLister(context)
  const known = new Map<string, Sought>()
  const call = (until: number) =>
    ({ priority: 'idle' as const, deadlineMs: Math.max(CALL_MS, until - clock.now()), signal })
  const isOver = (until: number): boolean => clock.now() >= until || signal.aborted
  const isDue = (key: string): boolean => (known.get(key)?.at ?? 0) <= clock.now()
  const wasTried = (key: string): boolean => (known.get(key)?.tries ?? 0) > 0

  function noteFailed (key: string, isWithheld = false): void {
    const tries = (known.get(key)?.tries ?? 0) + 1
    const at = clock.now() + Math.min(FIRST_RETRY_MS * 4 ** (tries - 1), MAX_RETRY_MS)
    known.set(key, { tries, at, isWithheld })
  }

  /** Reads and stores what is given of `entries`, newest first; the walk's cursors stay. */
  async function storeListed (entries: readonly Wanted[], until: number) {
    const open = entries.filter(entry => !entry.failed && !fetcher.isHeld(entry))
    if (open.length > 0) await fetcher.fetch(open, 'idle', call(until).deadlineMs)
    const outcomes = entries.map(entry => ({ entry, outcome: fetcher.outcome(entry, 0) }))
    fetcher.forget(entries)
    const given = outcomes.flatMap(({ entry, outcome }) => Array.isArray(outcome) ? [{ entry, events: outcome }] : [])
    const missing = new Set(writer.state.missing.map(({ signature }) => signature))
    const found = given.map(({ entry }) => entry.signature).filter(signature => missing.has(signature))
    const events = given.toReversed().flatMap(({ events }) => events)
    const added = events.length + found.length === 0 ? 0 : await writer.commit({ events, found })
    for (const signature of found) known.delete(signature)
    return { outcomes, added, found: found.length }
  }

  async function fetchMissing (until: number): Promise<void> {
    const due = writer.state.missing.filter(({ signature }) => isDue(signature)).slice(0, STEP)
    if (due.length === 0) return
    fetcher.forget(due)   // what was said of them before
    const { outcomes, found } = await storeListed(due, until)
    for (const { entry, outcome } of outcomes) {
      if (outcome !== undefined && isMissing(outcome)) noteFailed(entry.signature)
    }
    if (found === 0) return
    const message = `${found} transactions that were missing have been read`
    onLog({ level: 'info', code: 'transaction-found', message })
  }

  /**
   * Looks for a gap's events in the DAO's own signatures: every instruction that numbers an event writes its account
   * (programs/futarchy/src/instructions). Gives how many were found, and whether the search has ended.
   */
  async function refetch (gap: SequenceGap, sought: Sought, until: number): Promise<{ found: number, ended: boolean }> {
    let found = 0

    /** Gives the last one read, and whether all that may hold the events were. */
    async function read (
      entries: readonly SignatureInfo[]
    ): Promise<{ last: SignatureInfo | undefined, all: boolean }> {
      const inside = entries.filter(({ slot }) => slot <= gap.toSlot && slot >= gap.fromSlot)
      for (let at = 0; at < inside.length; at += STEP) {
        if (at > 0 && isOver(until)) return { last: inside[at - 1], all: false }
        const { outcomes, added } = await storeListed(inside.slice(at, at + STEP), until)
        found += added
        sought.meetsMissing ||= outcomes.some(({ outcome }) => outcome !== undefined && isMissing(outcome))
        const open = outcomes.findIndex(({ outcome }) => outcome === undefined)
        if (open !== -1) return { last: inside[at + open - 1], all: false }
      }
      return { last: undefined, all: true }
    }

    const [after] = sought.cursor === undefined ? await store.origins([{ dao: gap.dao, seq: gap.to + 1n }]) : []
    let isFirst = sought.cursor === undefined
    let cursor = after === undefined ? sought.cursor : { signature: after.signature, slot: gap.toSlot }
    for (let token: string | undefined; ; isFirst = false) {
      const bulk = { limit: BULK_PAGE, fromSlot: gap.fromSlot, token }
      const page = await lister.page(gap.dao, cursor, { bulk }, call(until))
      const end = page.infos.at(-1)
      if (end === undefined) {
        // a node that does not know where to begin answers with nothing: once more from its newest
        if (!isFirst || cursor === undefined) return { found, ended: true }
        cursor = undefined
        continue
      }
      const { last, all } = await read(page.infos)
      fetcher.forget(page.infos)
      if (all && end.slot < gap.fromSlot) return { found, ended: true }
      sought.cursor = cursor = all ? end : last ?? cursor
      if (!all || isOver(until)) return { found, ended: false }
      token = page.token
    }
  }

  async function fillGaps (until: number): Promise<void> {
    for (const gap of [...sequenceGaps().values()].flat()) {
      if (isOver(until)) return
      const [{ dao, from, to }, key] = [gap, gapKey(gap)]
      if (!isDue(key)) continue
      const sought = known.get(key) ?? { tries: 0, at: 0 }
      known.set(key, sought)
      const { found, ended } = await refetch(gap, sought, until)
      if (!ended) continue
      const detail = { dao, from: String(from), to: String(to) }
      if (sequenceGaps().get(dao)?.some(other => other.from <= to && other.to >= from) !== true) {
        known.delete(key)
        const message = `events ${from} to ${to} of ${dao} were missing and have been found`
        onLog({ level: 'info', code: 'sequence-gap-filled', message, detail })
        continue
      }
      if (!wasTried(key)) {
        const message = `events ${from} to ${to} of ${dao} are missing; the node gave ${found} of them`
        onLog({ level: 'warn', code: 'sequence-gap', message, detail })
      }
      noteFailed(key, sought.meetsMissing)
    }
  }

  /**
   * A DAO's first events that no node has happened before the first node begins, not before its first transaction
   * listed. A node that claims to have what it lacks is not believed.
   */
  async function noteBeginning (created: ReadonlyMap<string, number>): Promise<void> {
    const { indexedRanges: [range, ...others], ended, beginning } = writer.state
    if (!ended || range === undefined || others.length > 0 || beginning !== null || !isDue(BEGINNING)) return
    const lost = [...sequenceGaps().values()].flat().filter(gap => gap.from === 1n && wasTried(gapKey(gap)))
    if (lost.length === 0) return
    noteFailed(BEGINNING)
    const begins = await firstAvailable(reader)
    if (begins === undefined || begins.slot > range.oldestSlot) return
    if (lost.some(({ dao }) => (created.get(dao) ?? Infinity) > begins.time)) return
    await writer.commit({ events: [], beginning: begins.time })
  }

  return {
    /** Whether a gap has been looked for, in vain. */
    wasTried: (gap: SequenceGap): boolean => wasTried(gapKey(gap)),
    /** Whether the last search met transactions that are listed and not given. */
    isWithheld: (gap: SequenceGap): boolean => known.get(gapKey(gap))?.isWithheld === true,
    /** Looks for what is due. `created`: when DAOs were made, Unix seconds. */
    async run (created: ReadonlyMap<string, number>): Promise<void> {
      const begun = clock.now()
      await fetchMissing(begun + SEARCH_MS / 2)
      await fillGaps(begun + SEARCH_MS)
      await noteBeginning(created)
    }
  }
}
