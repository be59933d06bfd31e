/**
 * The coded errors of the library. A code is an interface: `plugins/errors.ts` maps each to one status and message,
 * so codes are never reused. The message of the error itself is for the log; what a client reads is in that table.
 */
export type ErrorCode =
  | 'INVALID_MINT'          // a path parameter that is no 32-byte base58 key
  | 'MINT_NOT_FOUND'        // a key that holds no mint
  | 'INVALID_TICKER_ID'
  | 'TICKER_NOT_FOUND'
  | 'INVALID_POOL_ID'
  | 'POOL_NOT_FOUND'
  | 'INVALID_DAO'
  | 'DAO_NOT_FOUND'
  | 'INVALID_PROPOSAL'
  | 'PROPOSAL_NOT_FOUND'
  | 'INVALID_PARAMETER'     // a query parameter that is malformed, missing or unknown; the message is the client's
  | 'NODE_UNAVAILABLE'      // unreachable, timed out, refusing (5xx, 429), after retries
  | 'NODE_BAD_ANSWER'       // answered with what can't be used: no JSON, a JSON-RPC error, undecodable bytes
  | 'VERSION_UNSUPPORTED'   // a transaction of a version that can't be read yet
  | 'CURSOR_UNKNOWN'        // no node knows the signature that a page of history begins or ends at
  | 'BREAKER_OPEN'          // every node has been failing; not asked again before the next probe
  | 'WARMING_UP'            // the history does not yet cover what the answer needs
  | 'HISTORY_UNAVAILABLE'   // the store can't be read or written, or has fallen behind
  | 'WRONG_NETWORK'         // the store holds the rows of another network than the node's
  | 'OVERLOADED'            // event loop or memory at their limit
  | 'SHUTTING_DOWN'

export class ServiceError extends Error {
  override readonly name = 'ServiceError'
  readonly code: ErrorCode
  /** Seconds after which trying again makes sense, where the node said so. */
  readonly retryAfter: number | undefined

  constructor (code: ErrorCode, message: string, options: { cause?: unknown, retryAfter?: number } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.code = code
    this.retryAfter = options.retryAfter
  }
}

/** Whether `error` is one of ours, and of one of `codes` where any are given. */
export function isServiceError (error: unknown, ...codes: ErrorCode[]): error is ServiceError {
  return error instanceof ServiceError && (codes.length === 0 || codes.includes(error.code))
}

/**
 * What was thrown, in one line and without its cause, for a log line of ours. A connection that was tried at several
 * addresses fails with a list and no words of its own.
 */
export function messageOf (thrown: unknown): string {
  if (thrown instanceof AggregateError && thrown.message === '') return thrown.errors.map(messageOf).join('; ')
  return (thrown instanceof Error ? thrown.message : String(thrown)).replace(/\s+/g, ' ')
}
