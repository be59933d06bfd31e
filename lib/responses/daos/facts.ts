import { isServiceError } from '../../errors.js'
import type { DaoFacts, DaoFactsReader } from '../../live/dao-facts.js'
import type { TokenReader } from '../../live/tokens.js'
import { keep, MAX_RECORDS, noDao, type PricedState, type Sources } from '../sources.js'
import { type DaoFigures, figuresOf } from './treasury.js'

/** Deepest pools whose supply and treasury are read for lists: anyone can make a pool, of 15 accounts. */
const MAX_WITH_FACTS = 300

export type DaoFactsKept = ReturnType<typeof createDaoFacts>

/** Supplies and treasuries of DAOs, kept as long as tickers are. */
export function createDaoFacts (sources: Sources, reader: DaoFactsReader, tokens: TokenReader) {
  async function withHeld (state: PricedState, facts: readonly DaoFacts[], slot = state.slot): Promise<PricedState> {
    const mints = new Set(facts.flatMap(({ tokens }) => tokens.map(({ mint }) => mint)))
    const untraded = [...mints].filter(mint => state.tokens.get(mint) == null)
    return { ...state, tokens: new Map([...state.tokens, ...await tokens.read(untraded, slot)]) }
  }

  return {
    /** Figures by DAO of the deepest listed pools, without DAOs whose accounts are wrong. */
    all: keep(sources, async (parts): Promise<ReadonlyMap<string, DaoFigures>> => {
      const state = await sources.priced(parts)
      const deepest = state.deepest.slice(0, MAX_WITH_FACTS).flatMap(({ address }) => state.daos.get(address) ?? [])
      const read = [...(await reader.all(parts, deepest, state.tokens)).values()]
      const facts = read.flatMap(made => isServiceError(made) ? [] : [made])
      const known = await withHeld(state, facts)
      const figures = new Map<string, DaoFigures>()
      let wrong = read.find(made => isServiceError(made))
      for (const one of facts) {
        try {
          figures.set(one.dao.address, figuresOf(one, known))
        } catch (error) {
          if (!isServiceError(error)) throw error
          wrong = error
        }
      }
      // an empty list would look as if no DAO owned anything
      if (figures.size === 0 && wrong !== undefined) throw wrong
      return figures
    }),

    /** `state` has the tokens of its vault. Throws DAO_NOT_FOUND, and what is wrong with its accounts. */
    one: keep(sources, async (parts, address: string) => {
      const listed = await sources.priced(parts)
      const dao = listed.daos.get(address)
      if (dao === undefined) throw noDao(address)
      const facts = await reader.one(parts, dao, listed.tokens)
      const state = await withHeld(listed, [facts], facts.slot)
      return { state, facts, figures: figuresOf(facts, state) }
    }, { max: MAX_RECORDS })
  }
}
