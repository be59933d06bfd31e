/** A store without room is the operator's to help. */

/** SQLite's code, PostgreSQL's, and the operating system's. */
const CODES = ['SQLITE_FULL', '53100', 'ENOSPC']

/** Whether an error, or what caused it, says that the disk or the database is full. */
export function hasNoRoom (error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if ('code' in cause && CODES.some(code => String(cause.code).startsWith(code))) return true
  }
  return false
}

export const NO_ROOM =
  "the history can't be written: there is no room left for its store; free some, it goes on by itself"
