import { ServiceError } from '../../errors.js'
import type { DaoFacts, DaoFactsReader, Facts } from '../../live/dao-facts.js'
import type { Snapshot } from '../../live/snapshot.js'
import { byDepth } from '../../market/ticker.js'
import { daoNotFound } from '../../../schemas/errors.js'
import { keepEach, keepResponse, type Sources, stateOf, usdValuationOf } from '../sources.js'

/** The facts of the deepest listed pools, and the state that they go with. */
export interface AllFacts { snapshot: Snapshot, facts: Facts }
export interface OneFacts { snapshot: Snapshot, facts: DaoFacts }

/** The deepest pools, of which supply and treasury are read with the lists: anyone can make one, of 15 accounts. */
const MAX_WITH_FACTS = 300
const MAX_KEPT = 1_000

export type DaoFactsKept = ReturnType<typeof createDaoFacts>

/** Supplies and treasuries of DAOs, kept as long as tickers are. */
export function createDaoFacts (sources: Sources, reader: DaoFactsReader) {
  const { settings } = sources
  return {
    all: keepResponse<AllFacts>(sources, async () => {
      const { value: snapshot, parts } = await stateOf(sources)
      const deepest = byDepth(snapshot.pairs, usdValuationOf(snapshot, settings)).slice(0, MAX_WITH_FACTS)
      const facts = await reader.all(deepest.flatMap(({ address }) => snapshot.daos.get(address) ?? []))
      return { value: { snapshot, facts: facts.value }, parts: [...parts, ...facts.parts] }
    }),

    /** Throws DAO_NOT_FOUND for a DAO that is not known, and what is wrong with its accounts. */
    one: keepEach<string, OneFacts>(sources, MAX_KEPT, async address => {
      // what tokens are worth is of the list; all else is read anew
      const { value: snapshot, parts } = await stateOf(sources)
      const dao = snapshot.daos.get(address)
      if (dao === undefined) throw new ServiceError('DAO_NOT_FOUND', daoNotFound(address))
      const facts = await reader.one(dao)
      return { value: { snapshot, facts: facts.value }, parts: [...parts, ...facts.parts] }
    })
  }
}
