import { isServiceError, messageOf, ServiceError, unusable } from '../../errors.js'

/** A ServiceError as it is, else one that says `what` failed. Texts of drivers name host and user at most. */
export const failed = (what: string, cause: unknown): ServiceError =>
  isServiceError(cause) ? cause : unusable(`${what}: ${messageOf(cause)}`, cause)

/** Both by genesis hash. */
export const otherNetwork = (kept: string, genesis: string): ServiceError => new ServiceError('WRONG_NETWORK',
  'the history belongs to another network: ' +
    `it was made for the one of genesis ${kept}, CHAIN_RPC_URL leads to ${genesis}`)

/** Of SQLite, PostgreSQL and the operating system. */
const NO_ROOM_CODES = ['SQLITE_FULL', '53100', 'ENOSPC']

/** Whether an error, or its cause, says that the disk or the database is full. */
export function hasNoRoom (error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if ('code' in cause && NO_ROOM_CODES.some(code => String(cause.code).startsWith(code))) return true
  }
  return false
}

export const NO_ROOM =
  "the history can't be written: there is no room left for its store; free some, it goes on by itself"
