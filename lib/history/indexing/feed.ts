/** Transactions of listed signatures in their order, read ahead of what is stored. */
import type { Priority, SignatureInfo } from '../../chain/types.js'
import type { LocatedEvent } from '../rules/attribution.js'
import type { MissingTransaction } from '../rules/rows.js'
import type { Context } from './context.js'
import { isMissing } from './fetch.js'

export interface WalkSizes {
  /** Signatures asked for at once; nodes give 1,000 at most. */
  pageSize?: number | undefined
  /** Signatures of a step at most. */
  stepSize?: number | undefined
}

/** What a step has come to; `waitUntil`, ms: before, nothing can be stored. */
export interface StepResult {
  taken: number
  waitUntil?: number | undefined
  failure?: unknown
}

/** Entries that are read ahead. */
const WINDOW = 500
/** Entries of a bulk call at most, and beyond how many it is worth its price. */
const BULK_PAGE = 1000
const BULK_FROM = 50
/** Between two looks where all is being fetched for somebody else, ms. */
const UNDER_WAY_MS = 50
/** Calls at a time. */
const AHEAD = 2

/** How long a step should take, ms, as the head is looked at in between; how large the first one is. */
const STEP_MS = 2000
const FIRST_STEP = 10

/**
 * Gives the first of some entries that can be stored, at most a step, and fetches what follows meanwhile. The size of a
 * step is learnt from how long it takes.
 */
export function createFeed ({ fetcher, clock, signal }: Context, most: number) {
  const ahead = new Map<Priority, Array<Promise<unknown>>>()
  let size = Math.min(most, FIRST_STEP)
  let seeded: string | undefined
  let isSeeding = false
  /** Whether the list had the last event's time right: else its times are not used. */
  let isDated = true

  /** By one call; false: no node offers that. */
  async function seed (entries: readonly SignatureInfo[], priority: Priority): Promise<boolean> {
    const some = entries.slice(0, BULK_PAGE).filter(entry => !entry.failed && !fetcher.isHeld(entry))
    if (some.length <= BULK_FROM || seeded === some[0]!.signature) return false
    seeded = some[0]!.signature
    isSeeding = true
    return await fetcher.bulk(some, priority).finally(() => { isSeeding = false })
  }

  /** Fetches what the first entries still need. */
  async function bring (entries: readonly SignatureInfo[], priority: Priority): Promise<void> {
    if (await seed(entries, priority)) return
    const due = fetcher.due(entries.slice(0, WINDOW), size)
    const begun = clock.now()
    await fetcher.fetch(due, { priority })
    const [given, ms] = [due.filter(fetcher.isHeld).length, clock.now() - begun]
    if (given > 0) size = Math.round(Math.min(most, 2 * size, Math.max(1, given / Math.max(ms, 1) * STEP_MS)))
  }

  /** Fetches what comes next while a step is written. */
  function bringAhead (entries: readonly SignatureInfo[], priority: Priority, queue: Array<Promise<unknown>>): void {
    const mayAsk = () => queue.length < AHEAD && !isSeeding && fetcher.due(entries.slice(0, WINDOW), 1).length > 0
    while (mayAsk()) {
      const done = bring(entries, priority)
      done.catch(() => {})   // thrown where it is awaited
      queue.push(done)
    }
  }

  function ready (entries: readonly SignatureInfo[], patienceMs: number) {
    const found = { entries: [] as SignatureInfo[], events: [] as LocatedEvent[], missing: [] as MissingTransaction[] }
    for (const entry of entries.slice(0, most)) {
      const outcome = fetcher.outcome(entry, patienceMs)
      if (outcome === undefined) break
      const told = isMissing(outcome) ? undefined : outcome[0]?.event.at
      if (told !== undefined) isDated = told === entry.blockTime
      const at = told ?? (isDated ? entry.blockTime : null)
      found.entries.push({ ...entry, blockTime: at })
      if (isMissing(outcome)) found.missing.push({ ...outcome, at })
      else found.events.push(...outcome)
    }
    return found
  }

  return async (entries: readonly SignatureInfo[], priority: Priority, patienceMs: number) => {
    const queue = ahead.get(priority) ?? []
    ahead.set(priority, queue)
    let failure: unknown
    const window = entries.slice(0, WINDOW)
    if (ready(window, patienceMs).entries.length < Math.min(size, window.length)) {
      bringAhead(entries, priority, queue)
      await queue.shift()?.catch((error: unknown) => { failure = error })
    }
    const found = ready(window, patienceMs)
    if (found.entries.length === 0 && (failure ??= fetcher.illness()) !== undefined) throw failure
    if (failure === undefined) bringAhead(entries, priority, queue)
    return {
      ...found,
      taken: found.entries.length,
      failure,
      waitUntil: found.entries.length === 0 && queue.length === 0
        ? Math.max(fetcher.dueAt(window), clock.now() + UNDER_WAY_MS)
        : undefined
    }
  }
}
