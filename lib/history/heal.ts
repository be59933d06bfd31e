import type { HistoryReader, SignatureInfo } from '../chain/types.js'
import type { Fetcher } from './fetch.js'
import type { Hole } from './gaps.js'
import type { Recorder } from './recorder.js'
import { checkPage } from './segments.js'
import type { Store } from './store.js'

/** Pages of one DAO's signatures that one attempt reads at most. */
const PAGES = 50
/** Transactions read and written at a time. */
const STEP = 100

/**
 * Looks for the events of a hole in the DAO's own signatures: its account is written by every instruction that numbers an event
 * (programs/futarchy/src/instructions), so they are all listed under it. What is found is stored; the walk's cursors stay.
 * Gives the number of new events.
 */
export async function heal (hole: Hole, reader: HistoryReader, fetcher: Fetcher, recorder: Recorder, store: Store): Promise<number> {
  const [after] = await store.origins([{ dao: hole.dao, seq: hole.to + 1n }])
  let before = after && { signature: after.signature, slot: hole.toSlot }
  let found = 0

  async function keep (entries: readonly SignatureInfo[]): Promise<void> {
    const wanted = entries.filter(({ failed, slot }) => !failed && slot <= hole.toSlot && slot >= hole.fromSlot)
    for (let at = 0; at < wanted.length; at += STEP) {
      const some = wanted.slice(at, at + STEP)
      const { events, missing } = await fetcher.fetch(some)
      const open = new Set(missing.map(({ signature }) => signature))
      const read = new Set(some.map(({ signature }) => signature).filter(signature => !open.has(signature)))
      const given = recorder.state.missing.map(({ signature }) => signature).filter(signature => read.has(signature))
      found += await recorder.commit({ events, found: given })
    }
  }

  for (let pages = 0; pages < PAGES; pages++) {
    const page = await reader.signatures(hole.dao, { limit: 1000, ...(before && { before: before.signature }) })
    checkPage(page, before)
    await keep(page)
    const last = page.at(-1)
    if (last === undefined) {
      // A node that does not know where to begin answers with nothing: once more from its newest
      if (before === undefined || pages > 0) return found
      before = undefined
    } else {
      if (last.slot < hole.fromSlot) return found
      before = last
    }
  }
  return found
}
