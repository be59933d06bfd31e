import { createTurns } from '../../async.js'
import { chunks } from '../../chunks.js'
import type { Store } from '../store/create-store.js'

/** Changes beyond which making all anew costs less than looking for them. */
const TOO_MANY = 20_000
/** DAOs in one statement, some 10 ms. */
const PART = 100

/**
 * What `make` makes of each DAO's trades in the `span` seconds before `end`, again only where a trade has come, gone or
 * changed. `daos`: all there are. Throws what `make` throws.
 */
export function createWindow<T> (
  store: Store, span: number,
  make: (daos: readonly string[], from: number, to: number) => Promise<Iterable<[dao: string, T]>>
): (end: number, daos: Iterable<string>) => Promise<ReadonlyMap<string, T>> {
  const inTurn = createTurns()
  let kept: { end: number, revision: number, made: ReadonlyMap<string, T> } | undefined

  async function changedSince ({ end: before, revision }: NonNullable<typeof kept>, end: number): Promise<Set<string>> {
    const [from, to] = [Math.min(before, end), Math.max(before, end)]
    return new Set((await Promise.all([
      store.daosTraded(Math.max(0, from - span), to, revision),
      store.daosTraded(from, to),
      span < to ? store.daosTraded(Math.max(0, from - span), to - span) : []
    ])).flat())
  }

  return (end, daos) => inTurn(async () => {
    const revision = await store.revision()
    const isNew = kept === undefined || revision - kept.revision > TOO_MANY
    const stale = isNew ? new Set(daos) : await changedSince(kept!, end)
    const made = new Map(kept?.made)
    for (const dao of stale) made.delete(dao)
    for (const some of chunks([...stale], PART)) {
      for (const [dao, value] of await make(some, end - span, end)) made.set(dao, value)
    }
    kept = { end, revision, made }
    return made
  })
}
