import type { ErrorCode } from '../schemas/errors.js'

export type { ErrorCode } from '../schemas/errors.js'

/** A failure of a known kind. Its message is for the log; what a client reads is in `schemas/errors.ts`. */
export class ServiceError extends Error {
  override readonly name = 'ServiceError'
  readonly code: ErrorCode
  /** Seconds after which trying again makes sense, where the node said so. */
  readonly retryAfter: number | undefined

  constructor (code: ErrorCode, message: string, options: { cause?: unknown, retryAfter?: number | undefined } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.code = code
    this.retryAfter = options.retryAfter
  }
}

export const badAnswer = (message: string, cause?: unknown) =>
  new ServiceError('NODE_BAD_ANSWER', message, { cause })

/** The history can't be used, or lacks what is asked for. */
export const unusable = (message: string, cause?: unknown) =>
  new ServiceError('HISTORY_UNAVAILABLE', message, { cause })

/** What is asked for is not known yet; perhaps in `retryAfter` seconds. */
export const warmingUp = (message: string, retryAfter?: number) =>
  new ServiceError('WARMING_UP', message, { retryAfter })

/** Whether `error` is one of ours, and of one of `codes` where any are given. */
export function isServiceError (error: unknown, ...codes: ErrorCode[]): error is ServiceError {
  return error instanceof ServiceError && (codes.length === 0 || codes.includes(error.code))
}

/** `wanted`; undefined where it rejects with a ServiceError, of one of `codes` where any are given. */
export const orUnknown = <T>(wanted: Promise<T>, ...codes: ErrorCode[]): Promise<T | undefined> =>
  wanted.catch((error: unknown) => {
    if (isServiceError(error, ...codes)) return undefined
    throw error
  })

/** The message in one line, without its cause; of a connection tried at several addresses, that of each. */
export function messageOf (thrown: unknown): string {
  if (thrown instanceof AggregateError && thrown.message === '') return thrown.errors.map(messageOf).join('; ')
  return (thrown instanceof Error ? thrown.message : String(thrown)).replace(/\s+/g, ' ')
}
