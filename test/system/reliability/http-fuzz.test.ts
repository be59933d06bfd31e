import { test } from 'tap'
import { build, historyComplete, settings, startChain } from '../../helper.js'
import fc from '../../support/property.js'

/** Random requests: each gets a documented status in the form of the contract, and none an unexpected error. */

/** Without it a path that begins with two slashes, or with what counts as one, would be read as the name of a host. */
const HOST = 'http://localhost'
const RUNS = Number(process.env.FUZZ_RUNS ?? 300)
const STATUSES = new Set([200, 204, 304, 308, 400, 404, 405, 431])

/** Without halves of surrogate pairs, which no URL can carry. */
const wellFormed = (text: string): string => Buffer.from(text).toString()

const bits = fc.oneof(fc.constantFrom(
  'api',
  'tickers',
  'supply',
  'volume',
  'aggregate',
  'daos',
  'market',
  'documentation',
  'json',
  'total',
  '..',
  '.',
  '',
  '%',
  '%00',
  '%2e%2e',
  '%ff',
  '\\',
  ';',
  '*',
  '__proto__',
  'constructor'
), fc.string(), fc.string({ unit: 'binary' }))
const path = fc.array(bits, { maxLength: 6 }).map(
  parts => `/${parts.map(part => part.includes('%') ? part : encodeURIComponent(wellFormed(part))).join('/')}`
)
const query = fc.option(fc.dictionary(fc.string(), fc.string(), { maxKeys: 3 }).map(entries => new URLSearchParams(
  Object.entries(entries).map(([name, value]) => [wellFormed(name), wellFormed(value)] as [string, string])
).toString()), { nil: '' })
const headerText = fc.string().map(text => text.replace(/[^\x20-\x7e]/g, ''))
const headers = fc.record({
  'if-none-match': headerText,
  'accept-encoding': headerText,
  accept: headerText,
  'x-forwarded-for': headerText,
  'x-request-id': headerText,
  range: headerText
}, { requiredKeys: [] })
const method = fc.constantFrom('GET' as const, 'HEAD' as const, 'OPTIONS' as const, 'POST' as const, 'DELETE' as const)

test('a random request gets a documented status and a body of the contract, never a 500', async t => {
  const { ledger, node } = await startChain(t)
  const dao = ledger.dao(
    { base: ledger.mint({ symbol: 'AAA' }), quote: ledger.usdc(), baseReserves: 10n ** 12n, quoteReserves: 10n ** 11n }
  )
  const app = await build(t, {
    env: settings(t, node, ledger, { RATE_LIMIT_MAX: '1000000000', RATE_LIMIT_PAGE: '1000000000' }),
    now: () => ledger.time * 1000,
    pollMs: 20
  })
  await historyComplete(app)
  const known = fc.constantFrom(
    '/',
    '/health',
    '/ready',
    '/api/tickers',
    '/api/daos',
    '/api/volume/aggregate',
    `/api/supply/${dao.base.address}`,
    `/api/tickers/${dao.base.address}_${dao.quote.address}`
  )
  await fc.assert(fc.asyncProperty(method, fc.oneof(
    { arbitrary: path, weight: 3 }, known
  ), query, headers, async (method, path, query, headers) => {
    const response = await app.inject({ method, url: `${HOST}${path}${query === '' ? '' : `?${query}`}`, headers })
    if (!STATUSES.has(response.statusCode)) {
      throw new Error(`${method} ${path}: ${response.statusCode} ${response.payload.slice(0, 200)}`)
    }
    if (response.statusCode >= 400 && method !== 'HEAD' && !path.startsWith('/market') &&
      !path.startsWith('/documentation')) {
      const body = response.json<{ error: unknown }>()
      if (typeof body.error !== 'string' || Object.keys(body).length !== 1 ||
        /[<>]/.test(response.payload)) throw new Error(`${method} ${path}: ${response.payload}`)
    }
  }), { numRuns: RUNS })
  t.pass(`${RUNS} requests`)
})
