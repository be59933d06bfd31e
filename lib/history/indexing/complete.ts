/**
 * Reads what rows of 1.0 lack from their transactions, and from blocks the index in the block, which transactions tell
 * since Agave 4.0.
 */
import { isServiceError } from '../../errors.js'
import { dayOf } from '../../time.js'
import { eventIndexOf } from '../rules/attribution.js'
import type { AmendedEvent, IncompleteEvent } from '../store/types.js'
import type { Context } from './context.js'

const PAGE = 100
/** After so many passes in vain a pause, ms. */
const TRIES = 5
const AGAIN_MS = 600_000

type Learnt = IncompleteEvent & AmendedEvent

/** Completes stored events, newest first, a page at a time; gives when the next is due. */
export function createCompletion ({ reader, fetcher, store, writer, signal, clock }: Context, pollMs: number) {
  /** Up to this slot nothing is asked for until `again`. */
  let above = 0
  let again = Infinity
  let behind: IncompleteEvent | undefined
  /** The newest slot that this pass leaves incomplete. */
  let open = 0
  let tries = 0

  async function fromTransactions (rows: readonly Learnt[]): Promise<void> {
    if (rows.length === 0) return
    const wanted = [...new Map(rows.map(({ signature, slot }) => [signature, { signature, slot }])).values()]
    try {
      await fetcher.fetch(wanted, { priority: 'past' })
      for (const row of rows) {
        const outcome = fetcher.outcome(row, 0)
        const located = Array.isArray(outcome)
          ? outcome.find(({ event }) => eventIndexOf(event) === row.eventIndex)
          : undefined
        const maker = located?.event.user ?? located?.event.accounts[0]
        if (located === undefined || located.event.seq !== row.seq || maker === undefined) continue
        const { event: { liquidity, facts }, blockIndex = null } = located
        Object.assign(row, { maker, liquidity, facts, blockIndex })
      }
    } finally {
      fetcher.forget(wanted)
    }
  }

  async function fromBlocks (rows: readonly Learnt[]): Promise<void> {
    for (const slot of new Set(rows.map(({ slot }) => slot))) {
      signal.throwIfAborted()
      const signatures = await reader.blockSignatures(slot, { priority: 'past', signal })
      if (signatures === null) continue
      for (const row of rows.filter(row => row.slot === slot)) {
        const blockIndex = signatures.indexOf(row.signature)
        if (blockIndex !== -1) row.blockIndex = blockIndex
      }
    }
  }

  /** Gives the newest slot that is still incomplete; 0: none. */
  async function complete (rows: readonly IncompleteEvent[]): Promise<number> {
    const learnt = rows.map((row): Learnt => ({ ...row, blockIndex: null, liquidity: null, facts: null }))
    try {
      await fromTransactions(learnt.filter(({ maker }) => maker === null))
      await fromBlocks(learnt.filter(({ maker, blockIndex }) => maker !== null && blockIndex === null))
    } catch (error) {
      // what was learnt before is kept
      if (!isServiceError(error)) throw error
    }
    signal.throwIfAborted()
    const named = learnt.filter(({ maker }, at) => maker !== rows[at]!.maker)
    const found = new Set([...named, ...learnt.filter(({ blockIndex }) => blockIndex !== null)])
    if (found.size > 0) {
      const makers = named.filter(({ swap }) => swap !== null)
        .map(({ dao, at, maker }) => ({ dao, day: dayOf(at), maker: maker! }))
      await writer.amend([...found], makers)
    }
    return learnt.find(({ blockIndex }) => blockIndex === null)?.slot ?? 0
  }

  return async (): Promise<number> => {
    const rows = await store.incomplete(above, PAGE, behind)
    open = Math.max(open, await complete(rows))
    behind = rows.length === PAGE ? rows.at(-1) : undefined
    if (behind !== undefined) return clock.now()
    tries = open === 0 ? 0 : tries + 1
    if (tries === TRIES) {
      [above, tries] = [open, 0]
      again = Math.min(again, clock.now() + AGAIN_MS)
    }
    if (clock.now() >= again) [above, again, tries] = [0, Infinity, TRIES - 1]
    open = 0
    return clock.now() + pollMs
  }
}
