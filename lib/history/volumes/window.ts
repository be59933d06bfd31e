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

  async function changedSince ({ end: before, revision }: NonNullable<typeof kept>, end: number): Promise<Set<string>> {
    const [from, to] = [Math.min(before, end), Math.max(before, end)]
    return new Set([
      ...await store.daosChanged(revision, Math.max(0, from - span), to),
      ...await store.daosTraded(from, to),
      ...span < to ? await store.daosTraded(Math.max(0, from - span), to - span) : []
    ])
  }

  return (end, daos) => inTurn(async () => {
    const revision = await store.revision()
    const isNew = kept === undefined || revision - kept.revision > TOO_MANY
    const stale = isNew ? new Set(daos) : await changedSince(kept!, end)
    const fresh = stale.size === 0 ? new Map<string, T>() : await make([...stale], end - span, end)
    const made = new Map(kept?.made)
    for (const dao of stale) made.delete(dao)
    for (const [dao, value] of fresh) made.set(dao, value)
    kept = { end, revision, made }
    return made
  })
}
