import { eachInSlices } from '../../async.js'
import type { Clock } from '../../clock.js'
import type { HistoryReader } from '../../chain/transactions.js'
import type { CallOptions, Priority, RawTransaction, SignatureInfo } from '../../chain/types.js'
import { backoff } from '../../backoff.js'
import { badAnswer, isServiceError, messageOf, type ServiceError } from '../../errors.js'
import { eventAuthority } from '../../protocol/addresses.js'
import { readEvents } from '../../protocol/events.js'
import type { LocatedEvent } from '../rules/attribution.js'
import { UNREADABLE_VERSION } from '../rules/losses.js'
import type { MissingTransaction } from '../rules/rows.js'

export interface FetchOptions {
  reader: HistoryReader
  program: string
  clock: Clock
  signal: AbortSignal
}

/** A listed signature, or the row of a missing transaction. */
export type Wanted = Pick<SignatureInfo, 'signature' | 'slot'> & Partial<SignatureInfo & Pick<MissingTransaction, 'at'>>

/** The events of a transaction in their order, or why it can't be had. */
export type Outcome = LocatedEvent[] | MissingTransaction

/** 'open': the calls for it fail, which may be the node's fault; 'given up': final. */
type RefusalKind = 'open' | 'refused' | 'given up'

/** First, last and next try, ms. */
interface Refusal { since: number, tries: number, last: number, at: number, reason: string, kind: RefusalKind }

/** Two pages of the bulk method and a step. */
const MAX_HELD = 2_500
/** More refused, and none given since: the node is ill, rather than its archive, and gets this long, ms. */
const SUSPICIOUS = 10
const ILL_MS = 60_000
/** How long a bulk method that fails is left alone, ms: it may fail over one transaction. */
const BULK_REST_MS = 300_000

const missed = ({ signature, slot, blockTime, at }: Wanted, reason: string): MissingTransaction =>
  ({ signature, slot, at: at ?? blockTime ?? null, reason })

export const isMissing = (outcome: Outcome): outcome is MissingTransaction => !Array.isArray(outcome)

/** Fetches transactions, and keeps their events until they are stored. */
export function createFetcher ({ reader, program, clock, signal }: FetchOptions) {
  const authority = eventAuthority(program)
  const held = new Map<string, LocatedEvent[]>()
  const refused = new Map<string, Refusal>()
  const inFlight = new Map<string, Promise<void>>()
  let givenAt = -Infinity
  let bulkFrom = -Infinity

  function refuse (signature: string, reason: string, kind: RefusalKind = 'refused'): void {
    const last = clock.now()
    const { since = last, tries = 0 } = refused.get(signature) ?? {}
    refused.set(signature, { since, tries: tries + 1, last, at: last + backoff(tries + 1, clock), reason, kind })
  }

  /** Of a call the first without an answer: if it fails again though others were given between, it is at fault. */
  function fail ({ signature }: Wanted, reason: string): void {
    refuse(signature, reason, givenAt >= (refused.get(signature)?.last ?? Infinity) ? 'refused' : 'open')
  }

  function eventsOf (tx: RawTransaction, { signature, slot, transactionIndex }: Wanted): LocatedEvent[] {
    const found = tx.transaction.signatures[0]
    if (found !== signature) throw badAnswer(`asked for ${signature}, given ${found ?? 'none'}`)
    if (tx.slot !== slot) throw badAnswer(`listed in slot ${slot}, given from slot ${tx.slot}`)
    const blockIndex = tx.transactionIndex ?? transactionIndex ?? null
    return readEvents(tx, program, authority).map(event => ({ event, signature, blockIndex }))
  }

  function hold (tx: RawTransaction, wanted: Wanted): void {
    try {
      held.set(wanted.signature, eventsOf(tx, wanted))
      refused.delete(wanted.signature)
      givenAt = clock.now()
    } catch (error) {
      if (!isServiceError(error, 'NODE_BAD_ANSWER')) throw error
      refuse(wanted.signature, error.message)
    }
    const [oldest] = held.keys()
    if (held.size > MAX_HELD) held.delete(oldest!)
  }

  async function ask (wanted: readonly Wanted[], options: CallOptions): Promise<void> {
    const signatures = wanted.map(({ signature }) => signature)
    const outcomes = await reader.transactions(signatures, { ...options, signal }).catch((error: unknown) => {
      fail(wanted[0]!, messageOf(error))
      throw error
    })
    for (const [at, outcome] of outcomes.entries()) {
      const one = wanted[at]!
      if (outcome === null) refuse(one.signature, 'the node does not have it')
      else if (isServiceError(outcome)) {
        const isLost = outcome.code === 'VERSION_UNSUPPORTED'
        refuse(one.signature, isLost ? UNREADABLE_VERSION : outcome.message, isLost ? 'given up' : 'refused')
      } else if (outcome !== undefined) hold(outcome, one)
    }
    const failed = outcomes.indexOf(undefined)
    if (failed !== -1) fail(wanted[failed]!, 'every call for it fails')
  }

  const isIll = ({ since }: Refusal): boolean => refused.size > SUSPICIOUS && givenAt < since

  const isOpen = ({ signature, failed = false }: Wanted) =>
    !failed && !held.has(signature) && refused.get(signature)?.kind !== 'given up'

  const dueAt = ({ signature }: Wanted): number => refused.get(signature)?.at ?? -Infinity

  return {
    isHeld: ({ signature }: Wanted) => held.has(signature),

    /** Fetches consecutive transactions of the program by one call; false: no node offers it. */
    async bulk (entries: readonly Wanted[], priority: Priority): Promise<boolean> {
      if (clock.now() < bulkFrom) return false
      const [first, last] = [entries[0]!.slot, entries.at(-1)!.slot]
      const slots = { gte: Math.min(first, last), lte: Math.max(first, last) }
      const page = { order: first < last ? 'asc' : 'desc', slots } as const
      const found = await reader.bulk(program, page, { priority, signal }).catch((error: unknown) => {
        if (!isServiceError(error)) throw error
        bulkFrom = clock.now() + BULK_REST_MS
        return undefined
      })
      if (found === undefined) return false
      const wanted = new Map(entries.map(entry => [entry.signature, entry]))
      // a thousand take some 100 ms
      await eachInSlices(found, tx => {
        const entry = wanted.get(tx.transaction.signatures[0] ?? '')
        if (entry !== undefined) hold(tx, entry)
      })
      return true
    },

    /** The first `most` of `entries` to fetch now. */
    due: (entries: readonly Wanted[], most: number): Wanted[] => entries.filter(entry =>
      !inFlight.has(entry.signature) && dueAt(entry) <= clock.now() && isOpen(entry)).slice(0, most),

    /** When the first open one is due; Infinity: none is open. */
    dueAt: (entries: readonly Wanted[]): number => Math.min(...entries.filter(isOpen).map(dueAt)),

    /** Asks once. Throws the ServiceError of a reader that answered nothing at all. */
    async fetch (entries: readonly Wanted[], options: CallOptions): Promise<void> {
      const others = entries.flatMap(({ signature }) => inFlight.get(signature) ?? [])
      const own = entries.filter(({ signature }) => !inFlight.has(signature))
      if (own.length > 0) {
        const asked = ask(own, options).finally(() => {
          for (const { signature } of own) inFlight.delete(signature)
        })
        const settled = asked.catch(() => {})
        for (const { signature } of own) inFlight.set(signature, settled)
        await asked
      }
      await Promise.all(others)
    },

    illness: (): ServiceError | undefined => {
      const refusal = [...refused.values()].find(isIll)
      const what = `the node does not give ${refused.size} transactions that it lists`
      return refusal && badAnswer(`${what}: ${refusal.reason}`)
    },

    /** undefined: not known yet. A refused one is missing after `patienceMs`. */
    outcome (entry: Wanted, patienceMs: number): Outcome | undefined {
      if (entry.failed === true) return []
      const events = held.get(entry.signature)
      if (events !== undefined) return events
      const refusal = refused.get(entry.signature)
      if (refusal === undefined || refusal.kind === 'open') return undefined
      const patience = patienceMs > 0 && isIll(refusal) ? ILL_MS : patienceMs
      const isOver = refusal.kind === 'given up' || clock.now() - refusal.since >= patience
      return isOver ? missed(entry, refusal.reason) : undefined
    },

    forget (entries: Iterable<{ signature: string }>): void {
      for (const { signature } of entries) {
        held.delete(signature)
        refused.delete(signature)
      }
    }
  }
}

export type Fetcher = ReturnType<typeof createFetcher>
