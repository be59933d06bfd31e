import { ServiceError } from '../../errors.js'
import { type Aged, createFreshCache, RENEW_FROM } from '../../live/fresh.js'
import type { DaoFacts, DaoFactsReader, Facts } from '../../live/dao-facts.js'
import type { Snapshot } from '../../live/snapshot.js'
import { byDepth } from '../../market/ticker.js'
import { daoNotFound } from '../../../schemas/errors.js'
import { ALL, cacheOptions, keepResponse, type Kept, type Sources, TICKER_TTL, usdValuationOf } from '../sources.js'

/** The facts of the deepest listed pools, and the state that they go with. */
export interface AllFacts { snapshot: Snapshot, facts: Facts }
export interface OneFacts { snapshot: Snapshot, facts: DaoFacts }

export interface DaoFactsKept {
  all: Kept<AllFacts>['get']
  /** Throws DAO_NOT_FOUND for a DAO that is not known, and what is wrong with its accounts. */
  one (address: string): Promise<Aged<OneFacts>>
}

/**
 * Pools of which supply and treasury are read with the lists, the deepest ones: making a pool is free, and each costs
 * some 15 accounts.
 */
const MAX_WITH_FACTS = 300
const MAX_KEPT = 1_000

/** Supplies and treasuries of DAOs, kept as long as tickers are. */
export function createDaoFacts (sources: Sources, reader: DaoFactsReader): DaoFactsKept {
  const { snapshot: snapshots, settings } = sources

  const all = keepResponse<AllFacts>(sources, async () => {
    const { value: snapshot, parts } = await snapshots.get(ALL, TICKER_TTL * RENEW_FROM)
    const deepest = byDepth(snapshot.pairs, usdValuationOf(snapshot, settings)).slice(0, MAX_WITH_FACTS)
    const facts = await reader.all(deepest.flatMap(({ address }) => snapshot.daos.get(address) ?? []))
    return { value: { snapshot, facts: facts.value }, parts: [...parts, ...facts.parts] }
  })

  const one = createFreshCache<string, OneFacts>({
    ...cacheOptions(sources),
    async load (address) {
      // what tokens are worth is of the list; all else is read anew
      const { value: snapshot, parts } = await snapshots.get(ALL, TICKER_TTL * RENEW_FROM)
      const dao = snapshot.daos.get(address)
      if (dao === undefined) throw new ServiceError('DAO_NOT_FOUND', daoNotFound(address))
      const facts = await reader.one(dao)
      return { value: { snapshot, facts: facts.value }, parts: [...parts, ...facts.parts] }
    },
    max: MAX_KEPT
  })

  return { all: all.get, one: address => one.get(address) }
}
