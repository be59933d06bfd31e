/** What the other rooms ask of a node. */

import type { ServiceError } from '../errors.js'
import type { Moment } from './moment.js'
import type { RawTransaction, SignatureInfo } from './parse-transaction.js'

export type { RawTransaction, SignatureInfo }

/** `owner`: the program it belongs to, base58. */
export interface RawAccount {
  address: string
  owner: string
  data: Buffer
  /** It is a program. */
  executable?: true
}

/** What a node read of one moment, and when it was asked for, by the steady clock, ms. */
export interface AtMoment<T> {
  moment: Moment
  readAt: number
  value: T
}

/** Accounts that are there for good, from which slot on at the latest. */
export type KnownAccounts = ReadonlyMap<string, number>

/** Reads of the state now, at commitment `confirmed`. Throws a ServiceError. */
export interface AccountReader {
  /**
   * Every account of `program` whose data begin with `prefix`. A node that leaves out one of `known`, or whose list
   * `check` refuses by a NODE_BAD_ANSWER, is not believed: the next is asked, then that is thrown.
   */
  programAccounts (
    program: string, prefix: Buffer, known?: KnownAccounts,
    check?: (accounts: readonly RawAccount[], moment: Moment) => void
  ): Promise<AtMoment<RawAccount[]>>
  /**
   * Lists of at most 99, a node call for each, at `minSlot` or later and of the oldest of their moments; in the order
   * asked for; null: there is none. `length`: bytes of each that are enough, 40 or more.
   */
  accounts (
    lists: ReadonlyArray<readonly string[]>, minSlot?: number, length?: number
  ): Promise<AtMoment<Array<Array<RawAccount | null>>>>
}

/** Whom a call serves: a request, the newest history, the past, nobody who waits. Lower never delay higher. */
export type Priority = 'live' | 'head' | 'past' | 'idle'

export interface CallOptions {
  /** Default: 'live'. */
  priority?: Priority
  /** What the whole answer may take, ms; what suits the method where not given. */
  deadlineMs?: number
  signal?: AbortSignal
}

/** null: no node has it; an error: it can't be read; undefined: no answer, ask again. */
export type TransactionOutcome = RawTransaction | null | ServiceError | undefined

/** The first of some slots, ends included, at most 1,000. */
export interface BulkPage {
  order: 'asc' | 'desc'
  slots: { gte: number, lte: number }
}

/** At most `limit` (1,000) signatures older than `before`, from a node at `minSlot` or later. */
export interface SignaturePage {
  before?: string
  limit?: number
  minSlot?: number
  /** What any node lists: one that began from a snapshot again lacks the time for which it was down. */
  isOfEach?: boolean
}

/** Reads of the past, at commitment `finalized`. Throws a ServiceError. */
export interface HistoryReader {
  /** Those that touch `address`, newest first. Throws CURSOR_UNKNOWN where no node knows `before`. */
  signatures (address: string, page: SignaturePage, options?: CallOptions): Promise<SignatureInfo[]>
  /** One outcome for each. Throws only where nothing at all was answered. */
  transactions (signatures: readonly string[], options?: CallOptions): Promise<TransactionOutcome[]>
  /** Whole transactions that touch `address`, failed ones too; undefined: no node offers it now. */
  bulk (
    address: string, page: BulkPage, options?: CallOptions
  ): Promise<Array<RawTransaction & { transactionIndex: number }> | undefined>
  /** Of a block, in their order; null: there is none, or it is not to be had. */
  blockSignatures (slot: number, options?: CallOptions): Promise<string[] | null>
  /** The finalized head, from the node whose one is youngest. */
  head (options?: CallOptions): Promise<AtMoment<null>>
  /** From which slot on each node that tells has transactions. */
  firstAvailableBlocks (options?: CallOptions): Promise<number[]>
  /** Unix seconds of a block; null: as above. */
  blockTime (slot: number, options?: CallOptions): Promise<number | null>
  /** Which network this is, base58. */
  genesisHash (options?: CallOptions): Promise<string>
}
