import type { AddressInfo } from 'node:net'
import Fastify, { type FastifyInstance, type FastifyReply } from 'fastify'
import type { Test } from 'tap'
import budget from '../../../plugins/budget.js'
import representation from '../../../plugins/cached-response.js'
import client from '../../../plugins/client.js'
import market from '../../../routes/market/index.js'
import status from '../../../routes/status/index.js'
import { build, historyComplete, settings, startChain, until } from '../../helper.js'
import { buildMarket, type SimulatedNode, trade } from '../../../simulator/index.js'
import type { CachedResponse } from '../../../lib/http/cached-response.js'
import { ServiceError } from '../../../lib/errors.js'
import type { Snapshot } from '../../../lib/live/snapshot.js'
import { once } from '../../../lib/once.js'
import { timeText } from '../../../lib/time.js'
import { loadAssets } from '../../../lib/page/assets.js'
import type { Part } from '../../../lib/live/fresh.js'
import { cardSource, drawCard, marketSource } from '../../../lib/page/card.js'
import { listResponse, pageList } from '../../../lib/page/list.js'
import { createPages } from '../../../lib/page/pages.js'
import { findPool, marketFacts } from '../../../lib/page/pool-facts.js'
import {
  AGGREGATE, READY, candlesOf, DAYS, detailOf, POOLS, PROPOSALS, proposalOf, quotesOf, SNAPSHOT,
  SPARKLINES, supplyOf, tradesOf, TREASURIES, treasuryOf
} from './market-data.js'

/** The real page and its real headers, over an API whose answers a test decides. */

/** What an endpoint answers: a body, or with a status and headers. */
export interface Answer { status?: number, headers?: Record<string, string>, body: unknown }

export interface Service {
  url: string
  /** Answers from now on; each is asked for anew with every request. */
  answers: {
    pools: () => Answer
    pool: (id: string) => Answer
    ticker: (id: string) => Answer
    candles: (query: Record<string, string>) => Answer
    trades: (query: Record<string, string>) => Answer
    days: () => Answer
    volume: () => Answer
    supply: (mint: string) => Answer
    daos: () => Answer
    treasury: (dao: string) => Answer
    proposals: (query: Record<string, string>) => Answer
    ready: () => Answer
  }
  /** Paths asked for, in order. */
  asked: string[]
  close (): Promise<void>
}

const SECONDS: Record<string, number> = { '1m': 60, '5m': 300, '15m': 900, '1h': 3_600, '4h': 14_400, '1d': 86_400 }

/** The list as the page asks for it, of records such as the API's. */
const listOf = (pools: unknown): ReturnType<typeof pageList> =>
  pageList({ pools, tokens: new Map() } as never, dao => TREASURIES.find(row => row.dao === dao))
const LISTED = listOf(POOLS)

const bodyOf = ({ bodies }: CachedResponse): unknown => JSON.parse(String(bodies.get('identity')))

/** Packed once for all visits of a process: the chart library alone takes half a second. */
const assets = once(loadAssets)

/** The chain's time of what the pages are sent with, Unix seconds. */
export const AS_OF = Date.UTC(2026, 0, 2, 3, 4, 5) / 1000

/**
 * What the pages need of the service beside the API, made of a snapshot of the test's own; `age`: of its state, ms.
 */
export function decoratePage (
  fastify: FastifyInstance, snapshot: () => unknown = () => SNAPSHOT, age: () => number = () => 0
): void {
  const known = <T>(parts: Part[], value: T): T => {
    parts.push({ time: AS_OF, readAt: 0, commitment: 'confirmed' })
    return value
  }
  fastify.decorate('answers', { sources: { now: () => 0, time: { age } } } as never)
  const find = async (pool: string) => findPool(snapshot() as Snapshot, pool)
  fastify.decorate('page', {
    assets: assets(),
    pages: createPages(assets()),
    find: async (parts: Part[], pool: string) => {
      try {
        return known(parts, await find(pool))
      } catch {
        return undefined
      }
    },
    listed: async (parts: Part[]) => known(parts, LISTED),
    list: undefined as never,
    volume: undefined as never,
    decided: async (parts: Part[]) => known(parts, PROPOSALS as never),
    sparklines: undefined as never,
    async card (_parts: Part[], pool: string) {
      if (pool === '') return await drawCard(marketSource(marketFacts(LISTED)))
      const found = await find(pool)
      if (found.facts === undefined) throw new ServiceError('POOL_NOT_FOUND', `Pool not found: ${pool}`)
      return await drawCard(cardSource(found.facts))
    }
  })
}

export async function startService (): Promise<Service> {
  const fastify = Fastify({ forceCloseConnections: true })
  const asked: string[] = []
  const answers: Service['answers'] = {
    pools: () => ({ body: POOLS }),
    pool: id => {
      const pool = POOLS.find(({ pool_id: wanted }) => wanted === id)
      return pool === undefined ? { status: 404, body: { error: `Pool not found: ${id}` } } : { body: detailOf(id) }
    },
    ticker: id => ({ body: quotesOf(id) }),
    candles: ({ interval = '1h' }) => ({ body: candlesOf(SECONDS[interval]!) }),
    trades: ({ before }) => ({ body: before === undefined ? tradesOf(50) : tradesOf(20, Number(before) - 1) }),
    days: () => ({ body: DAYS }),
    volume: () => ({ body: AGGREGATE }),
    supply: mint => ({ body: supplyOf(mint) }),
    daos: () => ({
      body: {
        slot: 1,
        discovered: 13,
        listed: 12,
        left_out: 1,
        daos: [{ dao: POOLS[0]!.pool_id.replace(/.$/, 'x'), listed: false, reason: 'no reserves' }]
      }
    }),
    treasury: dao => ({ body: treasuryOf(dao) }),
    proposals: ({ before, dao }) => {
      if (dao !== undefined) return { body: [] }
      const from = before === undefined ? 0 : PROPOSALS.findIndex(({ proposal }) => proposal === before) + 1
      return { body: PROPOSALS.slice(from, from + 200) }
    },
    ready: () => ({ body: READY })
  }
  fastify.addHook('onRequest', async request => { asked.push(request.url) })
  const dated = { 'cache-control': 'public, max-age=0', 'x-chain-time': timeText(AS_OF) }
  const send = (reply: FastifyReply, { status = 200, headers = {}, body }: Answer): FastifyReply =>
    reply.code(status).headers({ ...dated, ...headers }).send(body)
  for (const plugin of [client, budget, representation]) await fastify.register(plugin)
  decoratePage(fastify)
  const own: Record<string, (query: Record<string, string>) => Answer> = {
    '/market/pools' ({ all }) {
      const answer = answers.pools()
      const pools = answer.body as Array<{ pool_id?: string }>
      const isList = Array.isArray(pools) && pools.every(pool => pool.pool_id !== undefined)
      return isList ? { ...answer, body: bodyOf(listResponse(listOf(pools), all === 'true')) } : answer
    },
    '/market/sparklines': () => ({ body: SPARKLINES }),
    '/market/volume': () => answers.volume()
  }
  fastify.addHook('preHandler', async (request, reply) => {
    const [path = ''] = request.url.split('?')
    const answer = own[path]?.(request.query as Record<string, string>)
    if (answer !== undefined) return send(reply, answer)
    if (path.startsWith('/market/marks/')) {
      return send(reply, { body: listOf(answers.pools().body).byId.get(path.split('/').at(-1)!)?.marks ?? [] })
    }
  })
  await fastify.register(market, { prefix: '/market' })
  await fastify.register(status, { prefix: '/status' })
  type Params = { Params: { id: string }, Querystring: Record<string, string> }
  const on = (path: string, answer: (request: { id: string, query: Record<string, string> }) => Answer): void => {
    fastify.get<Params>(path, ({ params: { id }, query }, reply) => send(reply, answer({ id, query })))
  }
  on('/api/pools', () => answers.pools())
  on('/api/pools/:id', ({ id }) => answers.pool(id))
  on('/api/pools/:id/ohlcv', ({ query }) => answers.candles(query))
  on('/api/pools/:id/trades', ({ query }) => answers.trades(query))
  on('/api/pools/:id/days', () => answers.days())
  on('/api/tickers/:id', ({ id }) => answers.ticker(id))
  on('/api/volume/aggregate', () => answers.volume())
  on('/api/supply/:id', ({ id }) => answers.supply(id))
  on('/api/daos', () => answers.daos())
  // the page asks anew some seconds after a failure, which would count as a request of a slow visit
  on('/api/daos/:id/treasury', ({ id }) => answers.treasury(id))
  on('/api/proposals', ({ query }) => answers.proposals(query))
  on('/api/proposals/:id', ({ id }) => ({ body: proposalOf(id) }))
  on('/ready', () => answers.ready())
  await fastify.listen({ port: 0, host: '127.0.0.1' })
  return {
    url: `http://127.0.0.1:${(fastify.server.address() as AddressInfo).port}/market`,
    answers,
    asked,
    close: () => fastify.close()
  }
}

export interface WholeService {
  /** Of the list of pools. */
  url: string
  app: FastifyInstance
  node: SimulatedNode
  /** Lets somebody trade now. */
  trade (): void
  /** Lets so much time pass for the chain and the service, ms, at once; from then on theirs passes by this alone. */
  pass (ms: number): void
}

const DAYS_OF_TRADES = 12
const TICK = 200

/**
 * The whole service on a simulated chain that goes on as you look, with trades of the last days; closed with the test.
 */
export async function startWholeService (t: Test, env: Record<string, string> = {}): Promise<WholeService> {
  let standing: number | undefined
  const now = (): number => standing ?? Date.now()
  const seconds = (): number => Math.floor(now() / 1000)
  const { ledger, node } = await startChain(t, { time: seconds() - DAYS_OF_TRADES * 86_400 })
  buildMarket(ledger, { daos: 10, swaps: 400, days: DAYS_OF_TRADES })
  const move = (): void => { ledger.advance(Math.max(0, seconds() - ledger.time)) }
  const timer = setInterval(move, TICK)
  t.teardown(() => clearInterval(timer))
  const app = await build(t, { env: settings(t, node, ledger, env), now, pollMs: 100 })
  await historyComplete(app)
  // a busy machine may have read no current state since all of this was built
  await until('the pools are there', async () => (await app.inject('/api/pools')).statusCode === 200)
  await app.listen({ port: 0, host: '127.0.0.1' })
  return {
    url: `http://127.0.0.1:${(app.server.address() as AddressInfo).port}/market`,
    app,
    node,
    trade () {
      move()
      trade(ledger)
    },
    pass (ms) {
      standing = now() + ms
      move()
    }
  }
}

/** For the browser to run: texts on the page whose colour does not stand out from what is behind them by 4.5:1. */
export const CONTRAST = `(() => {
  const channels = text => text.match(/[\\d.]+/g).map(Number)
  const luminance = rgb => rgb.slice(0, 3).map(value => value / 255)
    .map(value => value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4)
    .reduce((sum, value, index) => sum + value * [0.2126, 0.7152, 0.0722][index], 0)
  const behind = node => {
    for (; node !== null; node = node.parentElement) {
      const color = channels(getComputedStyle(node).backgroundColor)
      if (color.length === 3 || color[3] === 1) return color
    }
    return [255, 255, 255]
  }
  const faint = []
  const root = document.querySelector('dialog[open]') ?? document.body
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT)
  while (walker.nextNode()) {
    const { parentElement: node, textContent } = walker.currentNode
    const style = getComputedStyle(node)
    if (textContent.trim() === '' || node.closest('noscript, .unseen') !== null) continue
    if (!node.checkVisibility({ visibilityProperty: true })) continue
    const colour = node.closest('svg') === null ? style.color : style.fill
    const [a, b] = [luminance(channels(colour)), luminance(behind(node))]
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05)
    if (ratio < 4.5) faint.push(textContent.trim().slice(0, 40) + ' ' + ratio.toFixed(2))
  }
  return faint
})()`
