import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { createSetReader } from '../lib/live/account-sets.js'
import { createDaoFactsReader } from '../lib/live/dao-facts.js'
import { createSupplyReader } from '../lib/live/supply.js'
import { createDayResponses } from '../lib/responses/aggregate.js'
import { createDaoFigures } from '../lib/responses/dao-figures.js'
import { createDaoResponses } from '../lib/responses/daos.js'
import { createBlockRange } from '../lib/responses/forms/block-range.js'
import { createCmc } from '../lib/responses/forms/cmc.js'
import { createCoinGecko } from '../lib/responses/forms/coingecko.js'
import { createDayTickers } from '../lib/responses/forms/day-tickers.js'
import { createPoolResponses } from '../lib/responses/pools.js'
import { createPrices } from '../lib/responses/prices.js'
import { createProposals } from '../lib/responses/proposals.js'
import { readiness } from '../lib/responses/readiness.js'
import { createPriced, keep, MAX_RECORDS, type Sources } from '../lib/responses/sources.js'
import { createTickers } from '../lib/responses/tickers.js'

declare module 'fastify' {
  interface FastifyInstance {
    /** What endpoints answer. */
    answers: ReturnType<typeof createAnswers>
  }
}

function createAnswers ({ config: settings, cache, chain, program, history }: FastifyInstance) {
  const { snapshot, tokens } = cache
  const { accounts, clock: { now }, time } = chain
  const sources: Sources = { snapshot, priced: createPriced(snapshot, settings), history, settings, now, time }
  const tickers = createTickers(sources)
  const { tickerList, incomplete } = tickers
  const market = {
    ...tickers,
    ...createDayResponses(sources),
    readiness: () => readiness(sources, tickerList)
  }
  const readSets = createSetReader(accounts)
  const supply = keep(sources, createSupplyReader(accounts, readSets, program, snapshot.get), { max: MAX_RECORDS })
  const reader = createDaoFactsReader({
    readSets,
    client: program,
    tokenAccounts: accounts.tokenAccounts,
    mints: [...new Set([...settings.usdRules.usdMints, ...settings.usdRules.pricedBy.keys()])],
    state: snapshot.get
  })
  const facts = createDaoFigures(sources, reader, tokens)
  const pools = createPoolResponses(sources, facts)
  const proposals = createProposals(sources, accounts, program)
  const days = createDayTickers(sources, tickerList, pools.traded)
  const listed = { ...sources, supply, tickers: tickerList, days }
  return {
    sources,
    supply,
    market,
    pools,
    proposals,
    daos: createDaoResponses({ ...sources, facts, pools: pools.known, proposals, incomplete }),
    prices: createPrices(sources, tickerList),
    /** In the forms of listing sites. */
    forms: {
      coingecko: createCoinGecko(listed),
      cmc: createCmc(listed),
      dexscreener: createBlockRange('dexscreener', listed),
      geckoterminal: createBlockRange('geckoterminal', listed)
    }
  }
}

export default fp(async fastify => {
  fastify.decorate('answers', createAnswers(fastify))
}, { name: 'answers', dependencies: ['config', 'chain', 'cache', 'history'] })
