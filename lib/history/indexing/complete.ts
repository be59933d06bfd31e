/**
 * Learns of rows of 1.0 what that did not read, from their transactions, and from blocks the places in them, which
 * `getTransaction` of today's nodes does not tell.
 */
import { isServiceError, messageOf, ServiceError } from '../../errors.js'
import { readEvents } from '../../protocol/events.js'
import { dayOf } from '../../time.js'
import { pause } from '../pause.js'
import { eventIndexOf } from '../rules/attribution.js'
import type { CompletedEvent, IncompleteEvent } from '../store/store.js'
import type { Context } from './context.js'

const PAGE = 100
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
export function createCompleter (
  { reader, store, writer, program, eventAuthority, signal }: Omit<Context, 'daos' | 'clock' | 'onLog' | 'fetcher'>
) {
  const options = { priority: 'idle', signal } as const

  async function fromTransactions (rows: readonly IncompleteEvent[], found: Completed): Promise<void> {
    const signatures = [...new Set(rows.map(({ signature }) => signature))]
    if (signatures.length === 0) return
    for (const [at, tx] of (await reader.transactions(signatures, options)).entries()) {
      if (tx == null || tx instanceof ServiceError) continue
      const events = readEvents(tx, program, eventAuthority)
      for (const row of rows) {
        if (row.signature !== signatures[at]) continue
        const event = events.find(event => eventIndexOf(event) === row.eventIndex)
        const maker = event?.user ?? event?.accounts[0]
        if (event === undefined || event.seq !== row.seq || maker === undefined) continue
        const { liquidity, facts } = event
        found.set(row, { dao: row.dao, seq: row.seq, maker, liquidity, facts, blockIndex: tx.transactionIndex ?? null })
      }
    }
  }

  async function fromBlocks (rows: readonly IncompleteEvent[], found: Completed): Promise<void> {
    for (const slot of new Set(rows.map(({ slot }) => slot))) {
      signal.throwIfAborted()
      const signatures = await reader.blockSignatures(slot, options)
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

/** Completes stored events beside the indexer, with a look at the newest every `pollMs`. Never throws. */
export async function completeAll (
  complete: Complete, pollMs: number, { clock, signal, onLog }: Pick<Context, 'clock' | 'signal' | 'onLog'>
): Promise<void> {
  /** Above it all is done or tried often enough; from here down to `below` it is still to come. */
  let top = 0
  let tries = 0
  let below = Number.MAX_SAFE_INTEGER
  let again = -Infinity

  async function head (): Promise<void> {
    const { tried, completed, newest } = await complete(top, Number.MAX_SAFE_INTEGER)
    if (tried === 0) return
    tries = completed === tried ? 0 : tries + 1
    if (tries !== 0 && tries < TRIES) return
    tries = 0
    top = newest
  }

  async function backlog (): Promise<boolean> {
    if (clock.now() < again) return false
    const { tried, oldest } = await complete(0, below)
    below = tried > 0 ? oldest : Number.MAX_SAFE_INTEGER
    if (tried === 0) again = clock.now() + AGAIN_MS
    return tried > 0
  }

  while (!signal.aborted) {
    let more = false
    try {
      await head()
      more = await backlog()
    } catch (error) {
      if (signal.aborted) return
      const message = `stored events can't be completed: ${messageOf(error)}; tried again`
      onLog({ level: 'warn', code: 'retry', message })
    }
    await pause(clock, more ? 1 : pollMs, signal)
  }
}
