import { createTurns } from '../../async.js'
import type { Store } from '../store/store.js'

/** Beyond, making all anew costs less than looking which DAOs changed. */
const TOO_MANY = 20_000

/**
 * What `make` makes of each DAO's trades in the `span` seconds before `end`, made anew only where a trade has come,
 * gone or changed. `daos`: all there are. Throws what `make` throws.
 */
export function createWindow<T> (
  store: Store, span: number, make: (daos: readonly string[], from: number, to: number) => Promise<Map<string, T>>
): (end: number, daos: Iterable<string>) => Promise<ReadonlyMap<string, T>> {
  const inTurn = createTurns()
  let kept: { end: number, revision: number, made: ReadonlyMap<string, T> } | undefined

  async function affected (
    before: number, end: number, after: number, daos: Iterable<string>
  ): Promise<{ revision: number, daos: string[] }> {
    const revision = await store.revision()
    if (revision - after > TOO_MANY) return { revision, daos: [...daos] }
    const [from, to] = [Math.min(before, end), Math.max(before, end)]
    const found = new Set((await store.daosChanged(after, Math.max(0, from - span), to)).rows)
    if (from < to) for (const dao of await store.daosTraded(from, to)) found.add(dao)
    if (from < to && span < to) {
      for (const dao of await store.daosTraded(Math.max(0, from - span), to - span)) found.add(dao)
    }
    return { revision, daos: [...found] }
  }

  return (end, daos) => inTurn(async () => {
    const isNew = kept === undefined
    const stale = isNew
      ? { revision: await store.revision(), daos: [...daos] }
      : await affected(kept!.end, end, kept!.revision, daos)
    const fresh = stale.daos.length === 0 ? new Map<string, T>() : await make(stale.daos, end - span, end)
    const made = new Map(kept?.made)
    for (const dao of stale.daos) {
      const value = fresh.get(dao)
      if (value === undefined) made.delete(dao)
      else made.set(dao, value)
    }
    kept = { end, revision: stale.revision, made }
    return made
  })
}
