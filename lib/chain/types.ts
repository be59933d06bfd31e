/** What goes between readers and nodes, and what is read. */
import type { ServiceError } from '../errors.js'
import type { Commitment, Moment, NodeFacts } from './moment.js'
import type { RawTransaction, SignatureInfo } from './parse-transaction.js'

export type { RawTransaction, SignatureInfo }

/**
 * Whom a call serves: all requests, one request, the newest history, that of the last day, what is older or missing.
 * Each goes before the next, but for the turns that single requests leave to the others (`node.ts`).
 */
export type Priority = 'state' | 'live' | 'head' | 'day' | 'past'

export interface CallOptions {
  /** Default: 'live'. */
  priority?: Priority
  /** Of the whole answer, ms. Default: by priority and methods. */
  deadlineMs?: number
  signal?: AbortSignal
}

export interface Call<T = unknown> {
  method: string
  params: readonly unknown[]
  /**
   * What a result says, or why it can't be used. `doubt` 0: it is believed; else the other nodes are asked, too, and
   * what is doubted least is taken. Default: the result itself is believed.
   */
  read?: ((result: unknown) => { value: T, doubt: number } | ServiceError) | undefined
}

export type Reply<T = unknown> = { result: T, error?: undefined } | { error: ServiceError, result?: undefined }

export interface SendOptions {
  priority: Priority
  /** Its reason, a ServiceError, is the reply to what is still open. */
  signal: AbortSignal
  /** By the clock. */
  deadline?: number
  /** How long calls may wait for a node's rate, ms: another may be free. */
  patience?: number | undefined
  /** How long a request may take, ms, so that time is left for the other nodes. */
  shareMs?: number
}

/** One reply for each call, in their order. Never rejects. */
export type Send = (calls: readonly Call[], options: SendOptions) => Promise<Reply[]>

/** Calls that one node answers together. */
export interface Question<T> {
  calls: readonly Call[]
  commitment: Commitment
  /** Throws NODE_BAD_ANSWER for what can't be used: then the next node is asked. */
  read (results: readonly unknown[], node: Pick<NodeFacts, 'host' | 'pace'>): Omit<AtMoment<T>, 'readAt'>
}

/** All nodes together. */
export interface Rpc {
  /** What one call gives. Throws its ServiceError, or the reason of the caller's signal. */
  call<T> (method: string, params: readonly unknown[], options?: CallOptions & Pick<Call<T>, 'read'>): Promise<T>
  /** One reply for each call. Throws the reason of the caller's signal only. */
  send<T> (calls: ReadonlyArray<Call<T>>, options?: CallOptions): Promise<Array<Reply<T>>>
  /** The youngest answer, however old. Throws its ServiceError. */
  ask<T> (question: Question<T>, options?: CallOptions): Promise<AtMoment<T>>
  /** What each node that answers gives, unread. */
  ofEach (call: Call, options?: CallOptions): Promise<unknown[]>
}

/** `owner`: the program it belongs to, base58. */
export interface RawAccount {
  address: string
  owner: string
  data: Buffer
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
