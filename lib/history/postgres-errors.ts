import pg from 'pg'

/** What the driver says in one line. A connection tried at several addresses fails with a list and no words of its own. */
export function messageOf (error: unknown): string {
  if (error instanceof AggregateError && error.message === '') return error.errors.map(messageOf).join('; ')
  return (error instanceof Error ? error.message : String(error)).replace(/\s+/g, ' ')
}

/** Whether the server refused a row for a constraint (SQLSTATE class 23): the transaction is undone and the connection as good as before. */
export const isRefusedRow = (error: unknown): boolean => error instanceof pg.DatabaseError && (error.code ?? '').startsWith('23')

/** SQLSTATE classes of what passes by itself: connections, resources, locks, a server that starts or ends. */
const PASSING = ['08', '40', '53', '55', '57', '58', 'XX']

/** Whether the server has said no to the settings themselves: user, database, rights. Trying again would change nothing. */
export const isRefusal = (error: unknown): boolean => error instanceof pg.DatabaseError && !PASSING.includes((error.code ?? '').slice(0, 2))
