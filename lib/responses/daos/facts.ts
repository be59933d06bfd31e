import { ServiceError } from '../../errors.js'
import type { DaoFacts, DaoFactsReader } from '../../live/dao-facts.js'
import type { TokenReader } from '../../live/tokens.js'
import { daoNotFound } from '../../../schemas/errors.js'
import { keepEach, keepOne, type PricedState, pricedStateOf, type Sources } from '../sources.js'

/** The facts of a DAO, and the state that they go with: with the tokens that its vault holds and no DAO trades. */
export interface OneFacts { state: PricedState, facts: DaoFacts }
/** Those of the deepest listed pools, without the DAOs whose accounts are wrong. */
export interface AllFacts { state: PricedState, facts: ReadonlyMap<string, DaoFacts> }

/** The deepest pools, of which supply and treasury are read with the lists: anyone can make one, of 15 accounts. */
const MAX_WITH_FACTS = 300
const MAX_KEPT = 1_000

export type DaoFactsKept = ReturnType<typeof createDaoFacts>

/** Supplies and treasuries of DAOs, kept as long as tickers are. */
export function createDaoFacts (sources: Sources, reader: DaoFactsReader, tokens: TokenReader) {
  async function withHeld (state: PricedState, facts: readonly DaoFacts[], slot = state.slot): Promise<PricedState> {
    const mints = new Set(facts.flatMap(({ tokens }) => tokens.map(({ mint }) => mint)))
    const untraded = [...mints].filter(mint => state.tokens.get(mint) == null)
    return { ...state, tokens: new Map([...state.tokens, ...await tokens.read(untraded, slot)]) }
  }

  return {
    all: keepOne<AllFacts>(sources, async parts => {
      const state = await pricedStateOf(sources, parts)
      const deepest = state.deepest.slice(0, MAX_WITH_FACTS).flatMap(({ address }) => state.daos.get(address) ?? [])
      const read = [...await reader.all(parts, deepest)]
      const facts = new Map(read.flatMap(([dao, made]) => made instanceof ServiceError ? [] : [[dao, made]]))
      return { state: await withHeld(state, [...facts.values()]), facts }
    }),

    /** Throws DAO_NOT_FOUND for a DAO that is not known, and what is wrong with its accounts. */
    one: keepEach<string, OneFacts>(sources, MAX_KEPT, async (parts, address) => {
      // what tokens are worth is of the list; all else is read anew
      const state = await pricedStateOf(sources, parts)
      const dao = state.daos.get(address)
      if (dao === undefined) throw new ServiceError('DAO_NOT_FOUND', daoNotFound(address))
      const facts = await reader.one(parts, dao)
      return { state: await withHeld(state, [facts], facts.slot), facts }
    })
  }
}
