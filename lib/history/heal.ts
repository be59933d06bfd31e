import type { HistoryReader, SignatureInfo } from '../chain/types.js'
import type { Fetcher } from './fetch.js'
import type { Hole } from './gaps.js'
import type { Recorder } from './recorder.js'
import { checkPage } from './segments.js'
import type { Store } from './store.js'

/** A place in a list of signatures: what comes after it, older, is looked at next. */
export interface Cursor { signature: string, slot: number }

export interface Healed {
  /** New events. */
  found: number
  /** Where to go on: the attempt ended before the list did. */
  next: Cursor | undefined
}

export interface Healers {
  reader: HistoryReader
  fetcher: Fetcher
  recorder: Recorder
  store: Store
  now: () => number
}

/** Transactions read and written at a time. */
const STEP = 25
/** An attempt ends after so long, so that the head is not kept waiting. */
const ATTEMPT_MS = 3000

/** Reads those of `entries` that may hold the missing events; gives the number of new ones. */
async function readSome (entries: readonly SignatureInfo[], { fetcher, recorder }: Healers): Promise<number> {
  const { events, missing } = await fetcher.fetch(entries)
  const open = new Set(missing.map(({ signature }) => signature))
  const read = new Set(entries.map(({ signature }) => signature).filter(signature => !open.has(signature)))
  const given = recorder.state.missing.map(({ signature }) => signature).filter(signature => read.has(signature))
  return await recorder.commit({ events, found: given })
}

/**
 * Looks for the events of a hole in the DAO's own signatures: its account is written by every instruction that numbers an event
 * (programs/futarchy/src/instructions), so they are all listed under it. Begins at `from`, or just below the event after the hole. What is
 * found is stored; the cursors of the walk stay.
 */
export async function heal (hole: Hole, from: Cursor | undefined, healers: Healers): Promise<Healed> {
  const { reader, store, now } = healers
  const [after] = await store.origins([{ dao: hole.dao, seq: hole.to + 1n }])
  let before = from ?? (after && { signature: after.signature, slot: hole.toSlot })
  let found = 0
  const begun = now()
  for (let pages = 0; ; pages++) {
    const page = await reader.signatures(hole.dao, { limit: 1000, ...(before && { before: before.signature }) })
    checkPage(page, before)
    const inside = page.filter(({ slot }) => slot <= hole.toSlot && slot >= hole.fromSlot)
    for (let at = 0; at < inside.length; at += STEP) {
      const some = inside.slice(at, at + STEP)
      found += await readSome(some.filter(({ failed }) => !failed), healers)
      if (now() - begun > ATTEMPT_MS) return { found, next: some.at(-1) }
    }
    const last = page.at(-1)
    // A node that does not know where to begin answers with nothing: once more from its newest
    if (last === undefined && pages === 0 && before !== undefined) before = undefined
    else if (last === undefined || last.slot < hole.fromSlot) return { found, next: undefined }
    else before = last
    if (now() - begun > ATTEMPT_MS) return { found, next: before }
  }
}
