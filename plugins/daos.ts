import fp from 'fastify-plugin'
import { createDaoFactsReader } from '../lib/live/dao-facts.js'
import { createTokenReader } from '../lib/live/tokens.js'
import { createDaoFacts } from '../lib/responses/daos/facts.js'
import { createDaoResponses, type DaoResponses } from '../lib/responses/daos/index.js'
import { createPoolResponses, type PoolResponses } from '../lib/responses/pools/index.js'
import { createProposals, type ProposalAnswers } from '../lib/responses/proposals.js'
import { createPrices, type PriceAnswers } from '../lib/responses/prices.js'

declare module 'fastify' {
  interface FastifyInstance {
    /** What is told of single pools and days. */
    pools: PoolResponses
    /** What is told of single DAOs, and of what they own. */
    daos: DaoResponses
    /** What DAOs decide. */
    proposals: ProposalAnswers
    /** Prices of many tokens. */
    prices: PriceAnswers
  }
}

/** Lifetime of what is known of a token, ms. */
const METADATA_TTL = 100_000

export default fp(async fastify => {
  const {
    config: settings, cache: { snapshot, daosOf, readSets }, chain: { accounts, tokenAccounts, clock: { now }, time },
    program, history, market
  } = fastify
  const sources = { snapshot, history, settings, now, time }
  const reader = createDaoFactsReader({
    readSets,
    client: program,
    list: tokenAccounts,
    mints: [...new Set([...settings.usdMints, ...settings.usdPricedMints.keys()])],
    daosOf
  })
  const facts = createDaoFacts(sources, reader)
  const pools = createPoolResponses(sources, market.totals, facts)
  fastify.decorate('pools', pools)
  fastify.decorate('prices', createPrices(sources, market.tickerList))
  const proposals = createProposals(sources, accounts, program)
  fastify.decorate('proposals', proposals)
  fastify.decorate('daos', createDaoResponses({
    ...sources,
    facts,
    pools: pools.known,
    proposals,
    incomplete: market.incomplete,
    tokens: createTokenReader({ reader: accounts, ttl: METADATA_TTL, now })
  }))
}, { name: 'daos', dependencies: ['config', 'chain', 'cache', 'program', 'history', 'market'] })
