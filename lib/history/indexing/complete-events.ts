import type { HistoryReader, RawTransaction } from '../../chain/types.js'
import { isServiceError } from '../../errors.js'
import { readEvents } from '../../protocol/events.js'
import { dayOf } from '../../time.js'
import { eventIndexOf } from '../rules/attribution.js'
import type { DayMaker } from '../rules/types.js'
import type { CompletedEvent, IncompleteEvent, Store } from '../store/store.js'
import type { StepWriter } from './commit.js'

export interface CompleterOptions {
  reader: HistoryReader
  store: Store
  writer: StepWriter
  program: string
  eventAuthority: string
  signal: AbortSignal
}

/** Events completed at a time. */
const PAGE = 100

const isTransaction = (outcome: unknown): outcome is RawTransaction =>
  outcome !== null && outcome !== undefined && !(outcome instanceof Error)

/**
 * Learns what is not known of stored events: of rows of version 1.0 makers, amounts and what they tell of decisions, from
 * their transactions, and from the block the place in it where no node told it (`getTransaction` of today's nodes has
 * none).
 */
export function createCompleter ({ reader, store, writer, program, eventAuthority, signal }: CompleterOptions) {
  const options = { priority: 'idle', signal } as const

  async function fromTransactions (
    rows: readonly IncompleteEvent[], found: Map<IncompleteEvent, CompletedEvent>
  ): Promise<void> {
    const signatures = [...new Set(rows.map(({ signature }) => signature))]
    if (signatures.length === 0) return
    const outcomes = await reader.transactions(signatures, options)
    for (const [at, outcome] of outcomes.entries()) {
      if (!isTransaction(outcome)) continue
      const events = readEvents(outcome, program, eventAuthority)
      for (const row of rows.filter(({ signature }) => signature === signatures[at])) {
        const event = events.find(event => eventIndexOf(event) === row.eventIndex)
        if (event === undefined || event.seq !== row.seq) continue
        const maker = event.user ?? event.accounts[0]
        const blockIndex = outcome.transactionIndex ?? null
        if (maker !== undefined) {
          const { liquidity, facts } = event
          found.set(row, { dao: row.dao, seq: row.seq, maker, liquidity, facts, blockIndex })
        }
      }
    }
  }

  async function fromBlocks (
    rows: readonly IncompleteEvent[], found: Map<IncompleteEvent, CompletedEvent>
  ): Promise<void> {
    for (const slot of new Set(rows.map(({ slot }) => slot))) {
      signal.throwIfAborted()
      const signatures = await reader.blockSignatures(slot, options)
      if (signatures === null) continue
      const indexes = new Map(signatures.map((signature, index) => [signature, index]))
      for (const row of rows) {
        const blockIndex = row.slot === slot ? indexes.get(row.signature) : undefined
        if (blockIndex === undefined) continue
        found.set(row, { dao: row.dao, seq: row.seq, maker: row.maker, liquidity: null, ...found.get(row), blockIndex })
      }
    }
  }

  /** What is learnt of `rows`, as far as the nodes answer. A node that is away ends it: what was learnt stays. */
  async function learn (rows: readonly IncompleteEvent[]): Promise<Map<IncompleteEvent, CompletedEvent>> {
    const found = new Map<IncompleteEvent, CompletedEvent>()
    try {
      await fromTransactions(rows.filter(({ maker }) => maker === null), found)
      const isPlaceless = (row: IncompleteEvent) => (found.get(row)?.blockIndex ?? null) === null
      await fromBlocks(rows.filter(row => isPlaceless(row) && (row.maker !== null || found.has(row))), found)
    } catch (error) {
      if (!isServiceError(error)) throw error
    }
    return found
  }

  /**
   * Completes the newest events of slots between the two, both excluded. Gives how many were tried and completed, and
   * their oldest and newest slot.
   */
  return async (
    above: number, below: number
  ): Promise<{ tried: number, completed: number, oldest: number, newest: number }> => {
    const rows = await store.incomplete({ above, below, limit: PAGE })
    const found = await learn(rows)
    signal.throwIfAborted()
    if (found.size > 0) {
      await writer.alone(async () => {
        const makers: DayMaker[] = []
        for (const [{ dao, at, isTrade, maker: known }, { maker }] of found) {
          if (isTrade && known === null && maker !== null) makers.push({ dao, day: dayOf(at), maker })
        }
        await store.complete([...found.values()], makers)
      })
    }
    const completed = [...found.values()].filter(({ blockIndex }) => blockIndex !== null).length
    return { tried: rows.length, completed, oldest: rows.at(-1)?.slot ?? below, newest: rows[0]?.slot ?? above }
  }
}
