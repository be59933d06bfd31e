/** Types of the layers between a reader and a node: calls go in, one reply for each comes out, errors too. */
import type { ServiceError } from '../errors.js'
import type { Commitment, Moment, NodeFacts } from './moment.js'
import type { AtMoment, CallOptions, Priority } from './types.js'

export interface Call {
  method: string
  params: readonly unknown[]
  /** 0: a result is believed; else the other nodes are asked, too, and the least doubted result is taken. */
  doubt?: ((result: unknown) => number) | undefined
}

export type Reply = { result: unknown, error?: undefined } | { error: ServiceError, result?: undefined }

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
  read (results: readonly unknown[], node: Pick<NodeFacts, 'host' | 'pace'>): { moment: Moment, value: T }
}

/** All nodes together. */
export interface Rpc {
  /** The result of one call, unchecked. Throws its ServiceError, or the reason of the caller's signal. */
  call (method: string, params: readonly unknown[], options?: CallOptions & Pick<Call, 'doubt'>): Promise<unknown>
  /** One reply for each call. Throws the reason of the caller's signal only. */
  send (calls: readonly Call[], options?: CallOptions): Promise<Reply[]>
  /** The youngest answer, however old. Throws its ServiceError. */
  ask<T> (question: Question<T>, options?: CallOptions): Promise<AtMoment<T>>
  /** What each node that answers gives. */
  ofEach (call: Call, options?: CallOptions): Promise<unknown[]>
}

/** Methods that not every node offers: being refused one says nothing of the node. */
export const OPTIONAL_METHODS: ReadonlySet<string> = new Set(['getTransactionsForAddress', 'getTokenAccountsByOwner'])

export const failAll = (calls: readonly Call[], error: ServiceError): Reply[] => calls.map(() => ({ error }))

/** The reason of a signal whose reasons are ours. */
export const reasonOf = (signal: AbortSignal): ServiceError => signal.reason as ServiceError
