import { ServiceError } from '../../errors.js'
import type { DaoFacts, DaoFactsReader, Facts } from '../../live/dao-facts.js'
import type { Token, TokenReader } from '../../live/tokens.js'
import { daoNotFound } from '../../../schemas/errors.js'
import { keepEach, keepOne, type PricedState, pricedStateOf, type Sources } from '../sources.js'

/** The facts of the deepest listed pools, and the state that they go with. */
export interface AllFacts { state: PricedState, facts: Facts }
/** Those of one DAO; `more`: tokens of its vault that the state does not know. */
export interface OneFacts { state: PricedState, facts: DaoFacts, more: ReadonlyMap<string, Token | null> }

/** The deepest pools, of which supply and treasury are read with the lists: anyone can make one, of 15 accounts. */
const MAX_WITH_FACTS = 300
const MAX_KEPT = 1_000

export type DaoFactsKept = ReturnType<typeof createDaoFacts>

/** Supplies and treasuries of DAOs, kept as long as tickers are. */
export const createDaoFacts = (sources: Sources, reader: DaoFactsReader, tokens: TokenReader) => ({
  all: keepOne<AllFacts>(sources, async parts => {
    const state = await pricedStateOf(sources, parts)
    const deepest = state.deepest.slice(0, MAX_WITH_FACTS).flatMap(({ address }) => state.daos.get(address) ?? [])
    return { state, facts: await reader.all(parts, deepest) }
  }),

  /** Throws DAO_NOT_FOUND for a DAO that is not known, and what is wrong with its accounts. */
  one: keepEach<string, OneFacts>(sources, MAX_KEPT, async (parts, address) => {
    // what tokens are worth is of the list; all else is read anew
    const state = await pricedStateOf(sources, parts)
    const dao = state.daos.get(address)
    if (dao === undefined) throw new ServiceError('DAO_NOT_FOUND', daoNotFound(address))
    const facts = await reader.one(parts, dao)
    const unknown = facts.tokens.map(({ mint }) => mint).filter(mint => state.tokens.get(mint) == null)
    return { state, facts, more: await tokens.read(unknown, facts.slot) }
  })
})
