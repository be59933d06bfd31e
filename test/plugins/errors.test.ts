import { test } from 'tap'
import { type ErrorCode, ServiceError } from '../../lib/errors.js'
import { answerFor } from '../../plugins/errors.js'
import { build, settings, startChain } from '../helper.js'

const UNAVAILABLE = 'Service temporarily unavailable. Please try again in a few moments.'

test('spec 2.6: every code has its status and sentence', async t => {
  const table: Array<[ErrorCode, number, string]> = [
    ['INVALID_MINT', 400, 'Invalid mint address'],
    ['MINT_NOT_FOUND', 404, 'Token mint not found'],
    ['INVALID_TICKER_ID', 400, 'Invalid ticker_id format. Expected: BASE_MINT_QUOTE_MINT'],
    ['RATE_LIMITED', 429, 'Rate limit exceeded. Please try again later.'],
    ['NODE_UNAVAILABLE', 502, 'Upstream RPC service unavailable'],
    ['NODE_BAD_ANSWER', 500, 'Failed to fetch DAO data from blockchain'],
    ['BREAKER_OPEN', 502, 'Upstream RPC service unavailable'],
    ['WARMING_UP', 503, UNAVAILABLE],
    ['HISTORY_UNAVAILABLE', 503, UNAVAILABLE],
    ['OVERLOADED', 503, UNAVAILABLE],
    ['SHUTTING_DOWN', 503, UNAVAILABLE]
  ]
  for (const [code, status, message] of table) {
    t.same(answerFor(new ServiceError(code, 'a secret cause'), '/x'), { status, message }, code)
  }
  t.same(answerFor(new Error('a secret cause'), '/x'), { status: 500, message: 'Internal server error' })
})

test('spec 7: an unknown path is not found: the path without its query, and nothing else in the body', async t => {
  const { ledger, node } = await startChain(t)
  const app = await build(t, { env: settings(t, node, ledger, { RATE_LIMIT_MAX: '1000' }) })
  const cases: Array<['GET' | 'POST' | 'PUT' | 'DELETE', string, string]> = [
    ['GET', '/nope?secret=1', '/nope'],
    ['GET', '/api/', '/api/'],
    ['GET', '/health/more', '/health/more'],
    ['GET', '/API/tickers', '/API/tickers'],
    ['GET', '/%zz?x=%zz', '/%zz'],
    ['GET', '/a%20b', '/a%20b'],
    ['GET', '/api/supply/a/b/c', '/api/supply/a/b/c'],
    ['POST', '/nope?x', '/nope']
  ]
  for (const [method, url, path] of cases) {
    const answer = await app.inject({ method, url })
    t.same(
      [answer.statusCode, answer.json(), answer.headers['content-type']],
      [404, { error: `Endpoint not found: ${path}` }, 'application/json; charset=utf-8'],
      `${method} ${url}`
    )
  }
  const other: Array<['POST' | 'PUT' | 'PATCH' | 'DELETE', string]> = [
    ['POST', '/api/tickers'], ['PUT', '/health?x'], ['DELETE', '/'], ['POST', '/api/pools/x/trades'],
    // a method that the types of `inject` leave out
    ['PATCH', '/api/tickers'], ['TRACE' as 'PATCH', '/api/tickers'], ['QUERY' as 'PATCH', '/api/tickers']
  ]
  for (const [method, url] of other) {
    const { statusCode, headers, payload } = await app.inject({ method, url })
    t.same(
      [statusCode, headers.allow, payload],
      [405, 'GET, HEAD, OPTIONS', '{"error":"Method not allowed: only GET, HEAD and OPTIONS"}'],
      `${method} ${url}`
    )
  }
  for (const contentType of ['application/json', 'text/weird', '']) {
    const answer = await app.inject(
      { method: 'POST', url: '/api/tickers', headers: { 'content-type': contentType }, payload: '{not json' }
    )
    t.equal(answer.statusCode, 405, `a body of ${contentType}`)
  }
})
