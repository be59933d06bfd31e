import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { orUnknown } from '../lib/errors.js'
import type { Turn } from '../lib/line.js'
import { type Kept, type Part, within } from '../lib/live/fresh.js'
import { loadAssets } from '../lib/page/assets.js'
import { cardSource, drawCard, marketSource } from '../lib/page/card.js'
import { createPageList, createPageVolume } from '../lib/page/list.js'
import { asOf, createPages } from '../lib/page/pages.js'
import { figuresOf, findPool, marketFacts } from '../lib/page/pool-facts.js'
import { createSparklines } from '../lib/page/sparklines.js'
import { keep, noPool } from '../lib/responses/sources.js'

declare module 'fastify' {
  interface FastifyInstance {
    /** The market pages. */
    page: ReturnType<typeof createPage>
  }
}

/** How long a page waits for its figures, ms. */
const PATIENCE_MS = 500
/** Each image costs tens of milliseconds of CPU, and some 40 kB; those who show one keep it for hours. */
const IMAGES = { keyOf: ([pool]: [string, Turn]) => pool, ttl: 300_000, max: 64 }
/** Of a page. */
const PROPOSALS = { limit: 200 }

/** What `load` gives; undefined where it fails, or takes too long. */
async function soon<T> (parts: Part[], load: Kept<T>): Promise<T | undefined> {
  const own: Part[] = []
  const made = await orUnknown(within(load(own), PATIENCE_MS))
  if (made !== undefined) parts.push(...own)
  return made
}

function createPage ({ answers: { sources, market, pools, proposals } }: FastifyInstance) {
  const assets = loadAssets()
  const list = createPageList(pools.known)
  const sparklines = createSparklines(sources)
  async function imageOf (parts: Part[], pool: string): Promise<string> {
    if (pool === '') return marketSource(marketFacts(await list.known(parts)), asOf(parts))
    const found = findPool(await sources.snapshot.get(parts), pool)
    if (found.facts === undefined) throw noPool(pool)
    const week = await orUnknown(sparklines.of(pool))
    const row = (await orUnknown(list.known(parts)))?.byId.get(pool)
    return cardSource({ ...found.facts, ...row && figuresOf(row), ...week && { week } }, asOf(parts))
  }

  return {
    assets,
    pages: createPages(assets),
    list,
    volume: createPageVolume(market.totals),
    sparklines,
    /**
     * The share image of a listed pool, or of the market for '', a PNG file drawn in the client's turn. Throws
     * POOL_NOT_FOUND, OVERLOADED, the ServiceErrors of the chain, and for the market those of the list of pools.
     */
    card: keep(sources, async (parts, pool: string, turn: Turn) => {
      const source = await imageOf([], pool)
      // an image says of when it is, and is as old as its drawing: while the chain has halted it stays
      parts.push({ time: sources.time.utc() / 1000, readAt: sources.now(), commitment: 'confirmed' })
      return await turn(() => drawCard(source))
    }, IMAGES),
    /** The listed pools; undefined where reading them fails, or takes too long. */
    listed: (parts: Part[]) => soon(parts, list.known),
    /** The newest proposals; undefined likewise. */
    decided: (parts: Part[]) => soon(parts, own => proposals.rows(own, PROPOSALS)),
    /** What is at an address; undefined while the chain can't be read. */
    find: (parts: Part[], pool: string) =>
      orUnknown(sources.snapshot.get(parts).then(snapshot => findPool(snapshot, pool)))
  }
}

export default fp(async fastify => {
  fastify.decorate('page', createPage(fastify))
}, { name: 'page', dependencies: ['cache', 'answers'] })
