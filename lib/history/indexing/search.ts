import type { SignatureInfo } from '../../chain/types.js'
import { isOfUnreadableVersion, type Met } from '../rules/losses.js'
import { gapKey, type SequenceGap } from '../rules/sequence-gaps.js'
import type { LocatedEvent } from '../rules/attribution.js'
import type { MissingTransaction } from '../rules/rows.js'
import type { Context } from './context.js'
import { isMissing, type Wanted } from './fetch.js'
import { listSignatures } from './list.js'

const FIRST_RETRY_MS = 10_000
const MAX_RETRY_MS = 3_600_000
/** Once something is given that was searched in vain, a node may be back: all else is searched within so long, ms. */
const WOKEN_MS = 60_000
const STEP = 25
const DEADLINE_MS = 3_000

/** Searched in vain so many times, a gap up to the number `to`. `last`, `at`: when last, and when again, ms. */
interface Tried extends Met { times: number, last: number, at: number, to: bigint }

type End = Pick<Tried, 'to' | 'toSlot'>
/** Of a transaction. */
const NONE: End = { to: 0n, toSlot: 0 }

export function createSearch (context: Context) {
  const { fetcher, writer, store, clock, signal, onLog } = context
  const tried = new Map<string, Tried>()
  /** The gap at hand. */
  let current: Searched | undefined
  const isDue = (key: string, { to, toSlot } = NONE): boolean => {
    const one = tried.get(key)
    if (one === undefined) return true
    // with another end a gap is another one
    const isSame = to === one.to && toSlot === one.toSlot
    return Math.min(one.at, isSame ? Infinity : one.last + FIRST_RETRY_MS) <= clock.now()
  }

  function noteTried (key: string, { to, toSlot } = NONE, missed: Met['missed'] = new Set()): void {
    const before = tried.get(key)
    const times = before?.to === to ? before.times + 1 : 1
    const last = clock.now()
    const at = last + Math.min(FIRST_RETRY_MS * 2 ** (times - 1), MAX_RETRY_MS)
    tried.set(key, { times, last, at, to, toSlot, missed })
  }

  /** Stores what is given of `entries`, or lost, and no range. `inVain`: they have been searched before. */
  async function storeListed<T extends Wanted> (entries: readonly T[], inVain = false) {
    const open = entries.filter(entry => fetcher.outcome(entry, 0) === undefined)
    if (open.length > 0) await fetcher.fetch(open, { priority: 'past', deadlineMs: DEADLINE_MS })
    const given = new Map<string, LocatedEvent[]>()
    const [missing, unanswered]: [MissingTransaction[], T[]] = [[], []]
    for (const entry of entries) {
      const outcome = fetcher.outcome(entry, 0)
      if (outcome === undefined) unanswered.push(entry)
      else if (isMissing(outcome)) missing.push(outcome)
      else given.set(entry.signature, outcome)
    }
    fetcher.forget(entries.filter(entry => !unanswered.includes(entry)))
    const known = writer.state.missing
    const found = [...given.keys()].filter(signature => known.has(signature))
    // another node may tell it; 1.0.0 did not
    const lost = missing.filter(row => isOfUnreadableVersion(row) && known.get(row.signature)?.reason !== row.reason)
    const events = [...given.values()].flat()
    const isNew = events.length + found.length + lost.length > 0
    const added = isNew ? await writer.commit({ events, found, missing: lost }) : 0
    const isBack = (inVain && added > 0) || found.some(signature => tried.has(signature))
    if (isBack) for (const one of tried.values()) one.at = Math.min(one.at, clock.now() + WOKEN_MS)
    return { added, found: found.length, missing, unanswered }
  }

  /** Asks again for transactions; false: none is due. */
  async function missing (): Promise<boolean> {
    const due = [...writer.state.missing.values()].filter(({ signature }) => isDue(signature)).slice(0, STEP)
    if (due.length === 0) return false
    const { missing, found } = await storeListed(due)
    for (const { signature } of missing) noteTried(signature)
    const message = `${found} transactions that were missing have been read`
    if (found > 0) onLog({ level: 'info', code: 'transaction-found', message })
    return true
  }

  type Searched = Awaited<ReturnType<typeof begin>>
  async function begin (gap: SequenceGap) {
    // a gap at the end has no upper bound
    const bounds = gap.toSlot < Number.MAX_SAFE_INTEGER ? [{ dao: gap.dao, seq: gap.to + 1n }] : []
    const [after] = await store.origins(bounds)
    return {
      gap,
      cursor: after && { signature: after.signature, slot: gap.toSlot },
      entries: [] as SignatureInfo[],
      hasPage: false,
      isLastPage: false,
      found: 0,
      missed: new Set<string>()
    }
  }

  async function listMore (search: Searched): Promise<void> {
    const { gap: { dao, fromSlot, toSlot }, cursor } = search
    const query = { before: cursor, isOfEach: true, ...cursor && { minSlot: cursor.slot } }
    const page = await listSignatures(context, dao, query, { priority: 'past', deadlineMs: DEADLINE_MS, signal })
    const end = page.at(-1)
    if (end === undefined) {
      // the node may not know the cursor: once more from its newest
      search.isLastPage = search.hasPage || cursor === undefined
      search.cursor = undefined
      return
    }
    search.entries = page.filter(({ slot }) => slot >= fromSlot && slot <= toSlot)
    search.cursor = end
    search.hasPage = true
    search.isLastPage = end.slot < fromSlot
  }

  async function readSome (search: Searched): Promise<void> {
    const { gap, entries } = search
    const { added, missing, unanswered } = await storeListed(entries.slice(0, STEP), tried.has(gapKey(gap)))
    search.entries = [...unanswered, ...entries.slice(STEP)]
    search.found += added
    for (const { signature } of missing) search.missed.add(signature)
  }

  const isOpen = ({ dao, from, to }: SequenceGap): boolean =>
    writer.sequenceGaps.get(dao)?.some(other => other.from <= to && other.to >= from) === true

  function conclude ({ gap, found, missed }: Searched): void {
    const { dao, from, to } = gap
    const [events, detail] = [`events ${from} to ${to} of ${dao}`, { dao, from: String(from), to: String(to) }]
    if (!isOpen(gap)) {
      const message = `${events} were missing and have been found`
      onLog({ level: 'info', code: 'sequence-gap-filled', message, detail })
      return
    }
    const message = `${events} are missing; the nodes gave ${found} of them`
    if (!tried.has(gapKey(gap))) onLog({ level: 'warn', code: 'sequence-gap', message, detail })
    noteTried(gapKey(gap), gap, missed)
  }

  /**
   * Searches a gap's events in the DAO's own signatures: every instruction that numbers an event writes its account
   * (programs/futarchy/src/instructions). Lists a page, or reads some of it; false: no gap is due.
   */
  async function gaps (): Promise<boolean> {
    if (current === undefined) {
      const open = [...writer.sequenceGaps.values()].flat()
      const keys = new Set(open.map(gapKey))
      for (const key of tried.keys()) if (!keys.has(key) && !writer.state.missing.has(key)) tried.delete(key)
      const gap = open.find(gap => isDue(gapKey(gap), gap))
      if (gap === undefined) return false
      current = await begin(gap)
    }
    if (current.entries.length > 0) await readSome(current)
    else if (!current.isLastPage) await listMore(current)
    if (current.entries.length === 0 && current.isLastPage) {
      conclude(current)
      current = undefined
    }
    return true
  }

  return {
    missing,
    gaps,
    /** What the last search for a gap met; undefined: there was none, or the gap has grown since. */
    met (gap: SequenceGap): Met | undefined {
      const one = tried.get(gapKey(gap))
      return one !== undefined && gap.to <= one.to ? one : undefined
    }
  }
}
