/** What other rooms use of this one. */
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

/** A value of one moment, and when it was asked for, by the steady clock, ms. */
export interface AtMoment<T> {
  moment: Moment
  readAt: number
  value: T
}

/** Accounts that are never closed, each with a slot from which on it exists. */
export type KnownAccounts = ReadonlyMap<string, number>

/** Whom a call serves: a request, the newest history, the past, nobody who waits. Lower never delay higher. */
export type Priority = 'live' | 'head' | 'past' | 'idle'

export interface CallOptions {
  /** Default: 'live'. */
  priority?: Priority
  /** Of the whole answer, ms. Default: by priority and methods. */
  deadlineMs?: number
  signal?: AbortSignal
}

/** null: no node has it; an error: it can't be read; undefined: no answer, ask again. */
export type TransactionOutcome = RawTransaction | null | ServiceError | undefined

/** The first transactions, at most 1,000, of some slots, ends included. */
export interface BulkPage {
  order: 'asc' | 'desc'
  slots: { gte: number, lte: number }
}

/** A place in a list of signatures: what follows it is older. */
export type Cursor = Pick<SignatureInfo, 'signature' | 'slot'>

/** At most `limit` (1,000) signatures older than `before`, from a node at `minSlot` or later. */
export interface SignaturePage {
  before?: Cursor | undefined
  limit?: number
  minSlot?: number
  /** A list that begins below this slot is old: another node is asked. */
  since?: number | undefined
  /** Joins the lists of all nodes: one that restarted from a snapshot lacks the time for which it was down. */
  isOfEach?: boolean
}
