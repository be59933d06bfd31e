import type { Clock } from '../../clock.js'
import type { HistoryReader, SignatureInfo } from '../../chain/types.js'
import { isServiceError } from '../../errors.js'
import { type Fetcher, isMissing } from './fetch-transactions.js'
import { infoOf, orNone } from './listings.js'
import type { SequenceGap } from '../rules/sequence-gaps.js'
import type { StepWriter } from './step-writer.js'
import { checkPageOrder } from '../rules/signature-ranges.js'
import type { Store } from '../store/store.js'

/** A place in a list of signatures: what comes after it, older, is looked at next. */
export interface Cursor { signature: string, slot: number }

export interface Refetched {
  /** New events. */
  found: number
  /** Some of what was looked at is listed, and was not given. */
  withheld: boolean
  /** All that may hold the missing events has been looked at. */
  ended: boolean
  /** Where to go on otherwise; undefined: at the beginning. */
  next: Cursor | undefined
}

export interface RefetchOptions {
  reader: HistoryReader
  fetcher: Fetcher
  writer: StepWriter
  store: Store
  clock: Clock
  signal: AbortSignal
}

/** Transactions read and written at a time, and those of one bulk call. */
const STEP = 25
const BULK_PAGE = 250
/** What one call may take, ms, however little of the attempt is left. */
const CALL_MS = 1000

/**
 * Looks for the events of a sequence gap in the DAO's own signatures: its account is written by every instruction that
 * numbers an event (programs/futarchy/src/instructions), so they are all listed under it. Begins at `from`, or just
 * below the event after the sequence gap, and ends at the time `until` of the clock. What is found is stored; the
 * cursors of the walk stay.
 */
export async function refetchGap (
  gap: SequenceGap, from: Cursor | undefined, until: number, options: RefetchOptions
): Promise<Refetched> {
  const { reader, fetcher, writer, store, clock, signal } = options
  const call = () => ({ priority: 'idle' as const, deadlineMs: Math.max(CALL_MS, until - clock.now()), signal })
  const isOver = () => clock.now() >= until || signal.aborted
  let [found, withheld] = [0, false]

  /**
   * Reads those of `entries` that may hold the missing events, a step at least; gives the last one that was looked at,
   * and whether all were.
   */
  async function read (entries: readonly SignatureInfo[]): Promise<{ last: SignatureInfo | undefined, all: boolean }> {
    const inside = entries.filter(({ slot }) => slot <= gap.toSlot && slot >= gap.fromSlot)
    let last: SignatureInfo | undefined
    for (let at = 0; at < inside.length && (at === 0 || !isOver()); at += STEP) {
      const some = inside.slice(at, at + STEP)
      const open = some.filter(entry => !entry.failed && !fetcher.isHeld(entry))
      if (open.length > 0) await fetcher.fetch(open, 'idle', call().deadlineMs)
      const outcomes = some.map(entry => ({ entry, outcome: fetcher.outcome(entry, 0) }))
      const unanswered = outcomes.findIndex(({ outcome }) => outcome === undefined)
      const known = unanswered === -1 ? outcomes : outcomes.slice(0, unanswered)
      const given = known.flatMap(({ entry, outcome }) => !entry.failed && Array.isArray(outcome)
        ? [{ signature: entry.signature, events: outcome }]
        : [])
      const missing = new Set(writer.state.missing.map(({ signature }) => signature))
      found += await writer.commit({
        events: given.toReversed().flatMap(({ events }) => events),
        found: given.map(({ signature }) => signature).filter(signature => missing.has(signature))
      })
      withheld ||= known.some(({ outcome }) => isMissing(outcome!))
      fetcher.forget(known.map(({ entry }) => entry))
      last = known.at(-1)?.entry ?? last
      if (unanswered !== -1) return { last, all: false }
    }
    return { last, all: last === inside.at(-1) }
  }

  /** By the bulk method, where a node offers it; undefined: none does. */
  async function inBulk (): Promise<Refetched | undefined> {
    const top = Math.min(from?.slot ?? Infinity, gap.toSlot)
    const slots = { gte: gap.fromSlot, ...(top < Number.MAX_SAFE_INTEGER && { lte: top }) }
    let next = from
    for (let token: string | undefined; ;) {
      const result = await orNone(reader.bulk(gap.dao, {
        order: 'desc',
        limit: BULK_PAGE,
        ...(token === undefined
          ? { slots }
          : { token })
      }, call()))
      if (result === undefined) return undefined
      const infos = result.entries.map(infoOf)
      checkPageOrder(infos)
      for (const [at, tx] of result.entries.entries()) if (!infos[at]!.failed) fetcher.hold(tx, infos[at]!)
      const { last, all } = await read(infos)
      fetcher.forget(infos)
      if (all && result.next === null) return { found, withheld, ended: true, next: undefined }
      next = last ?? next
      if (!all || isOver()) return { found, withheld, ended: false, next }
      token = result.next ?? undefined
    }
  }

  async function bySignatures (): Promise<Refetched> {
    const [after] = await store.origins([{ dao: gap.dao, seq: gap.to + 1n }])
    let before = from ?? (after && { signature: after.signature, slot: gap.toSlot })
    for (let isFirst = from === undefined; ; isFirst = false) {
      const page = await reader.signatures(
        gap.dao,
        { limit: 1000, ...(before && { before: before.signature }) },
        call()
      ).catch((error: unknown) => {
        if (isServiceError(error, 'CURSOR_UNKNOWN')) return []
        throw error
      })
      checkPageOrder(page, before)
      const end = page.at(-1)
      if (end === undefined) {
        // A node that does not know where to begin answers with nothing: once more from its newest
        if (!isFirst || before === undefined) return { found, withheld, ended: true, next: undefined }
        before = undefined
        continue
      }
      const { last, all } = await read(page)
      if (all && end.slot < gap.fromSlot) return { found, withheld, ended: true, next: undefined }
      before = all ? end : last ?? before
      if (!all || isOver()) return { found, withheld, ended: false, next: before }
    }
  }

  return await inBulk() ?? await bySignatures()
}
