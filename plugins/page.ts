import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { within } from '../lib/live/fresh.js'
import { loadAssets } from '../lib/page/assets.js'
import { cardSource, createCards, marketSource } from '../lib/page/card.js'
import { createPageList, createPageVolume } from '../lib/page/list.js'
import { createPages } from '../lib/page/pages.js'
import { figuresOf, findPool, marketFacts } from '../lib/page/pool-facts.js'
import { createSparklines } from '../lib/page/sparklines.js'
import { orUnknown } from '../lib/responses/pools/pool-list.js'
import { noPool } from '../lib/responses/sources.js'

declare module 'fastify' {
  interface FastifyInstance {
    /** What the pages for people need beside the API. */
    page: ReturnType<typeof createPage>
  }
}

/** For so long a page waits for the figures that it is sent with, ms. */
const PATIENCE_MS = 500
/** Proposals that a page is sent with. */
const PROPOSALS = { limit: 200 }

/** What `load` gives, where it can be had at once. */
const soon = <T>(load: Promise<T>): Promise<T | undefined> => orUnknown(within(load, PATIENCE_MS))

function createPage ({ sources, market, pools, daos, proposals }: FastifyInstance) {
  const assets = loadAssets()
  const list = createPageList(pools.known, daos.allTreasuries)
  const sparklines = createSparklines(sources)
  return {
    assets,
    pages: createPages(assets),
    list,
    volume: createPageVolume(market.totals),
    sparklines,
    /**
     * The share image of a listed pool, or of the market for '', a PNG file. Throws POOL_NOT_FOUND, OVERLOADED, the
     * ServiceErrors of the chain, and for the market those of the list of pools.
     */
    card: createCards(async pool => {
      if (pool === '') return marketSource(marketFacts(await list.known([])))
      const found = findPool(await sources.snapshot.get([]), pool)
      if (found.facts === undefined) throw noPool(pool)
      const week = await orUnknown(sparklines.of(pool))
      const row = (await orUnknown(list.known([])))?.byId.get(pool)
      return cardSource({ ...found.facts, ...row && figuresOf(row), ...week && { week } })
    }),
    /** The pools as they are listed; undefined where they can't be had at once. */
    listed: () => soon(list.known([])),
    /** The newest proposals; undefined likewise. */
    decided: () => soon(proposals.rows([], PROPOSALS)),
    /** What an address names; undefined while the chain can't be read, since then nobody knows. */
    find: (pool: string) => orUnknown(sources.snapshot.get([]).then(snapshot => findPool(snapshot, pool)))
  }
}

export default fp(async fastify => {
  fastify.decorate('page', createPage(fastify))
}, { name: 'page', dependencies: ['cache', 'answers'] })
