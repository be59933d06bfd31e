import { test } from 'tap'
import { HEADERS } from '../../schemas/headers.js'
import { build, historyComplete, settings, startChain } from '../helper.js'

test('spec 5: every answer may be read by any page, and run, framed or guessed at by none', async t => {
  const { ledger, node } = await startChain(t)
  const app = await build(t, { env: settings(t, node, ledger, { RATE_LIMIT_MAX: '1000' }) })
  for (const url of ['/', '/health', '/api/tickers', '/api/supply/x', '/nowhere', '/%zz', '/documentation/json']) {
    const { headers } = await app.inject(
      { url, headers: { origin: 'https://example.com', cookie: 'a=b', authorization: 'Basic x' } }
    )
    t.match(headers, {
      'access-control-allow-origin': '*',
      'access-control-allow-credentials': undefined,
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cross-origin-resource-policy': 'cross-origin',
      server: undefined,
      'x-powered-by': undefined,
      'set-cookie': undefined
    }, url)
    const exposed = String(headers['access-control-expose-headers']).split(', ')
    t.same(
      Object.keys(HEADERS).map(name => name.toLowerCase()).filter(name => !exposed.includes(name)),
      [],
      'all that the document has'
    )
    t.match(headers['content-security-policy'], /default-src 'none'/)
  }
})

test(
  'every response names itself: by the client\'s id where that is well formed, by one of ours where not',
  async t => {
    const { ledger, node } = await startChain(t)
    const app = await build(t, { env: settings(t, node, ledger) })
    const idOf = async (id?: string) => (await app.inject(
      { url: '/health', headers: id === undefined ? {} : { 'x-request-id': id } }
    )).headers['x-request-id']
    t.equal(await idOf('trace-0123456789'), 'trace-0123456789')
    const own = [await idOf(), await idOf('short'), await idOf('<script>alert(1)</script>'), await idOf('x'.repeat(65))]
    t.ok(own.every(id => /^[\da-f]{8}-[\da-f-]{27}$/.test(String(id))))
    t.equal(new Set(own).size, own.length)
  }
)

test('OPTIONS and HEAD answer wherever GET does, and nowhere else', async t => {
  const { ledger, node } = await startChain(t)
  const app = await build(t, { env: settings(t, node, ledger, { RATE_LIMIT_MAX: '1000' }) })
  await historyComplete(app)
  for (const url of [
    '/', '/health', '/ready', '/api/tickers', '/api/tickers/x', '/api/supply/x', '/api/supply/x/total',
    '/api/volume/aggregate', '/documentation/json'
  ]) {
    const preflight = await app.inject({
      method: 'OPTIONS',
      url,
      headers: {
        origin: 'https://example.com',
        'access-control-request-method': 'GET',
        'access-control-request-headers': 'if-none-match'
      }
    })
    t.same([preflight.statusCode, preflight.payload], [204, ''], url)
    t.match(preflight.headers, {
      allow: 'GET, HEAD, OPTIONS',
      'access-control-allow-origin': '*',
      'access-control-allow-methods': 'GET, HEAD, OPTIONS',
      'access-control-allow-headers': '*',
      'access-control-max-age': '86400'
    })
    const [head, get] = [await app.inject({ method: 'HEAD', url }), await app.inject(url)]
    t.same([head.statusCode, head.payload], [get.statusCode, ''], url)
    t.equal(head.headers['content-type'], get.headers['content-type'])
  }
  for (const method of ['OPTIONS', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'GET'] as const) {
    const answer = await app.inject({ method, url: '/nowhere' })
    t.equal(answer.statusCode, 404, method)
    // a socket drops the body of an answer to HEAD, injection shows it
    t.equal(answer.payload, '{"error":"Endpoint not found: /nowhere"}', method)
  }
  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'] as const) {
    const answer = await app.inject({ method, url: '/api/tickers?x=1', payload: { anything: true } })
    t.same([answer.statusCode, answer.headers.allow], [405, 'GET, HEAD, OPTIONS'], method)
  }
})
