/** The ports of this folder: what the other rooms ask of a node. */

import type { ServiceError } from '../errors.js'
import type { Moment } from './moment.js'

/** An account as a node gave it. `owner` is the program it belongs to, base58. */
export interface RawAccount {
  address: string
  owner: string
  data: Buffer
  /** It is a program. */
  executable?: true
}

/** What a node read of one moment of the chain, and when it was asked for, by the steady clock, ms. */
export interface AtMoment<T> {
  moment: Moment
  readAt: number
  value: T
}

/** Accounts that are there for good, and from which slot on at the latest. */
export type KnownAccounts = ReadonlyMap<string, number>

/** Reads of the state now, at commitment `confirmed`, in one node call each. Throws a ServiceError. */
export interface AccountReader {
  /**
   * Every account of `program` whose data begin with `prefix`. An answer that lacks one of `known` which was there by
   * its slot is the node's fault: another is asked, then NODE_BAD_ANSWER.
   */
  programAccounts (
    program: string, prefix: Buffer, options?: CallOptions & { known?: KnownAccounts }
  ): Promise<AtMoment<RawAccount[]>>
  /** At most 99 accounts, in the order asked for, at `minSlot` or later; null: there is none. */
  accounts (
    addresses: readonly string[], minSlot?: number, options?: CallOptions
  ): Promise<AtMoment<Array<RawAccount | null>>>
  /** The same of several lists, a node call for each, of the oldest of their moments. */
  accountLists (
    lists: ReadonlyArray<readonly string[]>, minSlot?: number, options?: CallOptions
  ): Promise<AtMoment<Array<Array<RawAccount | null>>>>
}

/** Whom a call serves: a request's answer, the newest history, the past, nobody who waits. Lower never delay higher. */
export type Priority = 'live' | 'head' | 'past' | 'idle'

export interface CallOptions {
  /** 'live' where not given. */
  priority?: Priority
  /** What the whole answer may take, waiting for its turn included, ms; where not given, what suits the method. */
  deadlineMs?: number
  signal?: AbortSignal
}

/** One line of an address's history. */
export interface SignatureInfo {
  signature: string
  slot: number
  failed: boolean
  /** Unix seconds; null where the node has none. */
  blockTime: number | null
  /** Place in its block; null where the node does not tell (before Agave 4.0). */
  transactionIndex: number | null
}

/** One transaction asked for; null: no node has it; an error: it can't be read; undefined: no answer, ask again. */
export type TransactionOutcome = RawTransaction | null | ServiceError | undefined

export interface SlotRange { gte?: number, gt?: number, lte?: number, lt?: number }

export interface BulkPage {
  order: 'asc' | 'desc'
  /** At most 1,000, which is the default. */
  limit?: number
  /** Where a former page ended. */
  token?: string
  slots?: SlotRange
}

export interface BulkResult {
  entries: Array<RawTransaction & { transactionIndex: number }>
  /** Token of the following page; null at the end. */
  next: string | null
}

/** Reads of the past, at commitment `finalized`. Throws a ServiceError. */
export interface HistoryReader {
  /**
   * At most `limit` (1,000) signatures that touch `address`, newest first, older than `before` and newer than `until`,
   * both exclusive, from a node at `minSlot` or later. Throws CURSOR_UNKNOWN where no node knows `before` or `until`.
   */
  signatures (
    address: string, page: { before?: string, until?: string, limit?: number, minSlot?: number }, options?: CallOptions
  ): Promise<SignatureInfo[]>
  /** One outcome for each of `signatures`, in that order. Throws only where nothing at all was answered. */
  transactions (signatures: readonly string[], options?: CallOptions): Promise<TransactionOutcome[]>
  /** Whole transactions that touch `address`, failed ones included; undefined: no node offers it now. */
  bulk (address: string, page: BulkPage, options?: CallOptions): Promise<BulkResult | undefined>
  /** The signatures of a block in their order; null: the slot has none, or it is not to be had. */
  blockSignatures (slot: number, options?: CallOptions): Promise<string[] | null>
  /** The finalized head, from the node whose one is youngest. */
  head (options?: CallOptions): Promise<AtMoment<null>>
  /** From which slot on each node has transactions, as far as they tell. */
  firstAvailableBlocks (options?: CallOptions): Promise<number[]>
  /** Unix seconds of a block; null: the slot has none, or it is not to be had. */
  blockTime (slot: number, options?: CallOptions): Promise<number | null>
  /** Which network this is, base58. */
  genesisHash (options?: CallOptions): Promise<string>
}

/** The parts of a transaction's JSON (`getTransaction`, encoding json) that events are read from. */
export interface RawTransaction {
  slot: number
  blockTime: number | null
  /** Place in its block, where the node tells (from Agave 4.0). */
  transactionIndex?: number | null
  version?: 'legacy' | number
  transaction: { signatures: string[], message: { accountKeys: string[], instructions?: RawInstruction[] } }
  meta: {
    err: unknown
    innerInstructions: Array<{ index: number, instructions: RawInstruction[] }> | null
    loadedAddresses?: { writable: string[], readonly: string[] } | null
  }
}

export interface RawInstruction {
  programIdIndex: number
  accounts: number[]
  /** Base58, in every encoding. */
  data: string
  /** 1 for an instruction of the transaction itself, one more for each call down; null on older nodes. */
  stackHeight?: number | null
}
