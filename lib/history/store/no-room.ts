/** A store without room is the operator's to help. */
import type { Store } from './store.js'

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

/** The same store, which tells after each write whether the lack of room has stopped it. */
export function watchingRoom (store: Store, tell: (isFull: boolean) => void): Store {
  const watched = <A extends unknown[]>(write: (...args: A) => Promise<void>) => async (...args: A): Promise<void> => {
    try {
      await write(...args)
      tell(false)
    } catch (error) {
      tell(hasNoRoom(error))
      throw error
    }
  }
  return {
    ...store,
    write: watched(store.write),
    publish: watched(store.publish),
    writeRebuilt: watched(store.writeRebuilt),
    complete: watched(store.complete),
    judge: watched(store.judge),
    bindNetwork: watched(store.bindNetwork)
  }
}
