import { fileURLToPath } from 'node:url'
import autoload from '@fastify/autoload'
import Fastify, { type FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { test, type Test } from 'tap'
import { type ErrorCode, ServiceError } from '../../../lib/errors.js'
import errors from '../../../plugins/errors.js'
import openapi from '../../../plugins/openapi.js'
import sensible from '../../../plugins/sensible.js'
import budget from '../../../plugins/budget.js'
import cachedResponse from '../../../plugins/cached-response.js'
import client from '../../../plugins/client.js'
import { INVALID_POOL_ID } from '../../../schemas/errors.js'
import type { Contract } from './document.js'
import { holdToContract } from './watch.js'

/** Whatever goes wrong behind an endpoint, the document has the status that it answers with. */

const ANYWHERE: ErrorCode[] = [
  'NODE_UNAVAILABLE', 'NODE_BAD_ANSWER', 'BREAKER_OPEN', 'WARMING_UP', 'HISTORY_UNAVAILABLE', 'OVERLOADED',
  'SHUTTING_DOWN'
]
const OF_A_MINT: ErrorCode[] = [...ANYWHERE, 'INVALID_MINT', 'MINT_NOT_FOUND']
const OF_A_TICKER: ErrorCode[] = [...ANYWHERE, 'INVALID_TICKER_ID', 'TICKER_NOT_FOUND']
const OF_A_POOL: ErrorCode[] = [...ANYWHERE, 'INVALID_POOL_ID', 'POOL_NOT_FOUND']
const OF_A_DAO: ErrorCode[] = [...ANYWHERE, 'INVALID_DAO', 'DAO_NOT_FOUND']
const OF_A_PROPOSAL: ErrorCode[] = [...ANYWHERE, 'INVALID_PROPOSAL', 'PROPOSAL_NOT_FOUND']
const OF_A_QUERY: ErrorCode[] = [...ANYWHERE, 'INVALID_PARAMETER']
const BEFORE_IT: ErrorCode[] = ['OVERLOADED', 'SHUTTING_DOWN']

const PAIR = `${'1'.repeat(32)}_${'1'.repeat(32)}`

const ENDPOINTS: Record<string, ErrorCode[]> = {
  '/': BEFORE_IT,
  '/health': BEFORE_IT,
  '/ready': BEFORE_IT,
  '/api/tickers': ANYWHERE,
  '/api/tickers/x': OF_A_TICKER,
  '/api/volume/aggregate': ANYWHERE,
  '/api/daos': ANYWHERE,
  '/api/supply/x': OF_A_MINT,
  '/api/supply/x/total': OF_A_MINT,
  '/api/supply/x/circulating': OF_A_MINT,
  '/coingecko/pairs': ANYWHERE,
  [`/coingecko/orderbook?ticker_id=${PAIR}`]: OF_A_TICKER,
  '/coingecko/tickers': ANYWHERE,
  [`/coingecko/historical_trades?ticker_id=${PAIR}`]: OF_A_TICKER,
  '/cmc/v1/summary': ANYWHERE,
  '/cmc/v1/trades/x': OF_A_TICKER,
  '/cmc/v1/assets': ANYWHERE,
  '/cmc/v1/ticker': ANYWHERE,
  '/cmc/v1/orderbook/x': OF_A_TICKER,
  '/dexscreener/latest-block': ANYWHERE,
  '/dexscreener/asset?id=x': OF_A_MINT,
  '/dexscreener/pair?id=x': OF_A_POOL,
  '/dexscreener/events?fromBlock=1&toBlock=2': OF_A_QUERY,
  '/geckoterminal/latest-block': ANYWHERE,
  '/geckoterminal/asset?id=x': OF_A_MINT,
  '/geckoterminal/pair?id=x': OF_A_POOL,
  '/geckoterminal/events?fromBlock=1&toBlock=2': OF_A_QUERY,
  '/jupiter/supply/x/total': OF_A_MINT,
  '/jupiter/supply/x/circulating': OF_A_MINT,
  '/api/pools': ANYWHERE,
  '/api/pools/x': OF_A_POOL,
  '/api/pools/x/trades': OF_A_POOL,
  '/api/pools/x/ohlcv?interval=1h': OF_A_POOL,
  '/api/pools/x/days': OF_A_POOL,
  '/api/pools/x/quote?side=buy&amount=1': OF_A_POOL,
  '/api/days/2026-01-31': ANYWHERE,
  '/api/days': OF_A_QUERY,
  [`/api/prices?mints=${'1'.repeat(32)}`]: OF_A_QUERY,
  '/api/daos/x': OF_A_DAO,
  '/api/daos/x/treasury': OF_A_DAO,
  '/api/daos/x/proposals': OF_A_DAO,
  '/api/proposals': [...OF_A_DAO, 'INVALID_PARAMETER'],
  '/api/proposals/x': OF_A_PROPOSAL,
  '/api/proposals/x/trades?market=pass': OF_A_PROPOSAL,
  '/api/proposals/x/ohlcv?market=pass': OF_A_PROPOSAL,
  '/api/treasuries': ANYWHERE,
  '/api/stream': [...ANYWHERE, 'POOL_NOT_FOUND', 'PROPOSAL_NOT_FOUND', 'INVALID_PARAMETER'],
  '/llms.txt': BEFORE_IT,
  '/api/fees/aggregate': ANYWHERE,
  '/api/liquidity/aggregate?dao=x': OF_A_DAO
}

/** The real routes and errors over sources that all fail with `failing.error`. */
async function start (t: Test, failing: { error: Error }, told: string[]): Promise<FastifyInstance> {
  const fastify = Fastify()
  t.teardown(() => fastify.close())
  fastify.setValidatorCompiler(() => value => ({ value }))
  holdToContract(fastify, problem => told.push(problem))
  const fail = async (): Promise<never> => { throw failing.error }
  fastify.decorate('config', { forkType: 'Custom', factory: 'F', router: 'R' } as never)
  // every form of every aggregator, by whatever name it is asked for
  const form = new Proxy({}, { get: () => fail })
  fastify.decorate('answers', {
    sources: {},
    supply: fail,
    market: {
      tickers: fail, ticker: fail, aggregate: fail, fees: fail, liquidity: fail, daos: fail, day: fail, days: fail
    },
    pools: { list: fail, one: fail, trades: fail, candles: fail, days: fail, quote: fail },
    proposals: { list: fail, one: fail, trades: fail, candles: fail },
    prices: fail,
    daos: { one: fail, treasury: fail, treasuries: fail },
    forms: new Proxy({}, { get: () => form })
  } as never)
  fastify.decorate('page', { assets: [], pages: {} } as never)
  fastify.decorate('stream', { check: fail } as never)
  fastify.decorate('connections', {} as never)
  await fastify.register(
    fp(async instance => { instance.decorate('rateLimit', () => async () => {}) }, { name: 'rate-limit' })
  )
  for (const plugin of [openapi, sensible]) await fastify.register(plugin)
  await fastify.register(errors)
  for (const plugin of [client, budget, cachedResponse]) await fastify.register(plugin)
  // what refuses before the handler: the limiter, and the watch over load
  fastify.addHook('preHandler', async request => { if (request.headers['x-early'] !== undefined) throw failing.error })
  await fastify.register(autoload, { dir: fileURLToPath(new URL('../../../routes', import.meta.url)) })
  return fastify
}

test('spec 7: every failure of every endpoint is documented', async t => {
  const failing = { error: new Error('none') }
  const told: string[] = []
  const fastify = await start(t, failing, told)
  const paths = (await fastify.inject('/documentation/json')).json<{ paths: object }>().paths
  t.equal(Object.keys(ENDPOINTS).length, Object.keys(paths).length, 'every endpoint is asked')
  for (const [path, codes] of Object.entries(ENDPOINTS)) {
    const statuses = new Set<number>()
    const limited = new ServiceError('RATE_LIMITED', 'limited')
    for (const error of [new Error('unexpected'), limited, ...codes.map(code => new ServiceError(code, 'a failure'))]) {
      failing.error = error
      statuses.add((await fastify.inject(
        { url: path, headers: codes === BEFORE_IT || error === limited ? { 'x-early': '1' } : {} }
      )).statusCode)
    }
    t.ok(
      statuses.has(429) && statuses.has(500) && statuses.has(503) && !statuses.has(200),
      `${path}: ${[...statuses].sort().join(' ')}`
    )
  }
  t.same(told, [])
})

test('what a malformed parameter should be is said with its unit and an example', async t => {
  const fastify = await start(t, { error: new ServiceError('WARMING_UP', 'asked rightly') }, [])
  const { paths } = (await fastify.inject('/documentation/json')).json<Contract>()
  let malformed = 0
  for (const [path, { get }] of Object.entries(paths)) {
    const query = (get!.parameters ?? []).filter(parameter => parameter.in === 'query')
    const url = (odd: string, value: string): string => `${path.replaceAll(/\{\w+\}/g, 'x')}?` + query
      .filter(({ name, required }) => required === true || name === odd)
      .map(({ name, example }) => `${name}=${name === odd ? value : example}`).join('&')
    for (const { name, example } of query) {
      t.equal((await fastify.inject(url(name, String(example)))).statusCode, 503, `the example of ${path}, ${name}`)
      const answer = await fastify.inject(url(name, '~'))
      // an id that the answer itself checks, or in the contract's own words
      if (answer.statusCode === 503) continue
      const { error } = answer.json<{ error: string }>()
      if (error === INVALID_POOL_ID) continue
      malformed++
      t.match([answer.statusCode, error], [400, /^Invalid \w+: .*(one of|some of|, as |ISO 8601: )/], error)
      t.ok(error.startsWith(`Invalid ${name}: `), error)
    }
  }
  t.ok(malformed >= 50, `${malformed} parameters`)
})
