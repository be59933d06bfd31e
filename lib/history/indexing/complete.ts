/**
 * Learns of rows of 1.0 what that did not read, from their transactions, and from blocks the places in them, which
 * `getTransaction` of today's nodes does not tell.
 */
import { isServiceError } from '../../errors.js'
import { dayOf } from '../../time.js'
import { eventIndexOf } from '../rules/attribution.js'
import type { CompletedEvent, IncompleteEvent } from '../store/store.js'
import type { Context } from './context.js'

const PAGE = 100
const DEADLINE_MS = 20_000
/** What no node has told is asked for again after so long, ms. */
const AGAIN_MS = 600_000
/** Looks at the newest events before the others are left to the next pass. */
const TRIES = 5

type Completed = Map<IncompleteEvent, CompletedEvent>

export type Complete = ReturnType<typeof createCompleter>

/**
 * Completes the newest events of slots between the two, both excluded. Gives how many were tried and completed, and
 * their oldest and newest slot.
 */
export function createCompleter ({ reader, fetcher, store, writer, signal }: Context) {
  async function fromTransactions (rows: readonly IncompleteEvent[], found: Completed): Promise<void> {
    if (rows.length === 0) return
    const wanted = [...new Map(rows.map(({ signature, slot }) => [signature, { signature, slot }])).values()]
    try {
      await fetcher.fetch(wanted, 'idle', DEADLINE_MS)
      for (const row of rows) {
        const outcome = fetcher.outcome(row, 0)
        const located = Array.isArray(outcome)
          ? outcome.find(({ event }) => eventIndexOf(event) === row.eventIndex)
          : undefined
        const maker = located?.event.user ?? located?.event.accounts[0]
        if (located === undefined || located.event.seq !== row.seq || maker === undefined) continue
        const { event: { liquidity, facts }, blockIndex = null } = located
        found.set(row, { dao: row.dao, seq: row.seq, maker, liquidity, facts, blockIndex })
      }
    } finally {
      fetcher.forget(wanted)
    }
  }

  async function fromBlocks (rows: readonly IncompleteEvent[], found: Completed): Promise<void> {
    for (const slot of new Set(rows.map(({ slot }) => slot))) {
      signal.throwIfAborted()
      const signatures = await reader.blockSignatures(slot, { priority: 'idle', signal })
      if (signatures === null) continue
      for (const row of rows) {
        const blockIndex = row.slot === slot ? signatures.indexOf(row.signature) : -1
        if (blockIndex === -1) continue
        found.set(row, { dao: row.dao, seq: row.seq, maker: row.maker, liquidity: null, ...found.get(row), blockIndex })
      }
    }
  }

  return async (above: number, below: number) => {
    const rows = await store.incomplete({ above, below, limit: PAGE })
    const found: Completed = new Map()
    try {
      await fromTransactions(rows.filter(({ maker }) => maker === null), found)
      await fromBlocks(rows.filter(row =>
        (found.get(row)?.blockIndex ?? null) === null && (row.maker !== null || found.has(row))), found)
    } catch (error) {
      // a node that is away ends it: what was learnt stays
      if (!isServiceError(error)) throw error
    }
    signal.throwIfAborted()
    if (found.size > 0) {
      const makers = Array.from(found, ([{ dao, at, isTrade, maker: known }, { maker }]) =>
        isTrade && known === null && maker !== null ? [{ dao, day: dayOf(at), maker }] : []).flat()
      await writer.alone(() => store.complete([...found.values()], makers))
    }
    const completed = [...found.values()].filter(({ blockIndex }) => blockIndex !== null).length
    return { tried: rows.length, completed, oldest: rows.at(-1)?.slot ?? below, newest: rows[0]?.slot ?? above }
  }
}

/** Completes stored events, new ones every `pollMs`: as pieces of work, each of which gives when the next is due. */
export function createCompletion (complete: Complete, pollMs: number, { clock }: Pick<Context, 'clock'>) {
  /** Above it all is done or tried often enough; from here down to `below` it is still to come. */
  let top = 0
  let tries = 0
  let below = Number.MAX_SAFE_INTEGER

  return {
    async newest (): Promise<number> {
      const { tried, completed, newest } = await complete(top, Number.MAX_SAFE_INTEGER)
      tries = completed === tried ? 0 : tries + 1
      if (tried > 0 && (tries === 0 || tries === TRIES)) [top, tries] = [newest, 0]
      return clock.now() + pollMs
    },

    async backlog (): Promise<number> {
      const { tried, oldest } = await complete(0, below)
      below = tried > 0 ? oldest : Number.MAX_SAFE_INTEGER
      return clock.now() + (tried > 0 ? 0 : AGAIN_MS)
    }
  }
}
