import { test } from 'tap'
import { brotliDecompressSync } from 'node:zlib'
import { build, historyComplete, settings, startChain } from '../helper.js'

test('a slash behind a path changes nothing, except where pages have relative links', async t => {
  const { ledger, node } = await startChain(t)
  const dao = ledger.dao(
    { base: ledger.mint(), quote: ledger.usdc(), baseReserves: 10n ** 12n, quoteReserves: 10n ** 11n }
  )
  const app = await build(
    t, { env: settings(t, node, ledger, { RATE_LIMIT_MAX: '1000' }), now: () => ledger.time * 1000, pollMs: 20 }
  )
  await historyComplete(app)
  const pair = `${dao.base.address}_${dao.quote.address}`
  for (const path of [
    '/ready', '/api/tickers', `/api/tickers/${pair}`, `/api/supply/${dao.base.address}`,
    `/api/supply/${dao.base.address}/total`, '/api/volume/aggregate', '/api/daos'
  ]) {
    const [without, withSlash] = [await app.inject(path), await app.inject(`${path}/`)]
    t.equal(without.statusCode, 200, path)
    t.equal(withSlash.statusCode, 200, `${path}/`)
    if (path !== '/ready') t.equal(withSlash.payload, without.payload)
  }
  t.equal((await app.inject('/api/tickers/?x=1')).statusCode, 200)
  t.same(
    (await app.inject('/api/nothing/')).json(),
    { error: 'Endpoint not found: /api/nothing/' },
    'a path that is not there is named as it was asked for'
  )
  t.equal((await app.inject('/market/')).statusCode, 308)
})

test('every response that lives has an entity tag and says what it depends on; Age only where it is stale', async t => {
  const { ledger, node } = await startChain(t)
  const dao = ledger.dao(
    { base: ledger.mint(), quote: ledger.usdc(), baseReserves: 10n ** 12n, quoteReserves: 10n ** 11n }
  )
  const app = await build(
    t, { env: settings(t, node, ledger, { RATE_LIMIT_MAX: '1000' }), now: () => ledger.time * 1000, pollMs: 20 }
  )
  await historyComplete(app)
  const supply = `/api/supply/${dao.base.address}`
  for (const url of [
    '/api/tickers', `/api/tickers/${dao.base.address}_${dao.quote.address}`, supply, `${supply}/total`,
    `${supply}/circulating`, '/market'
  ]) {
    const { headers } = await app.inject(url)
    t.type(headers.etag, 'string', url)
    t.match(headers.vary, /accept-encoding/, url)
    t.notOk('age' in headers, url)
    const again = await app.inject({ url, headers: { 'if-none-match': String(headers.etag) } })
    t.same([again.statusCode, again.payload], [304, ''], url)
  }
})

test('files of the reference come compressed and live long', async t => {
  const { ledger, node } = await startChain(t)
  const app = await build(t, { env: settings(t, node, ledger) })
  const plain = await app.inject('/documentation/static/swagger-ui.css')
  const packed = await app.inject(
    { url: '/documentation/static/swagger-ui.css', headers: { 'accept-encoding': 'gzip, br' } }
  )
  t.match(
    packed.headers,
    { 'content-encoding': 'br', 'cache-control': 'public, max-age=86400', 'content-type': 'text/css; charset=utf-8' }
  )
  t.equal(brotliDecompressSync(packed.rawPayload).toString(), plain.payload)
  t.match(plain.headers['content-security-policy'], /script-src 'self'/)
  const document = await app.inject({ url: '/documentation/json', headers: { 'accept-encoding': 'br' } })
  t.equal(document.headers['content-encoding'], 'br')
  const yaml = await app.inject({ url: '/documentation/yaml', headers: { 'accept-encoding': 'br' } })
  t.equal(yaml.headers['content-encoding'], 'br')
  const headers = { 'accept-encoding': 'br', 'if-none-match': String(yaml.headers.etag) }
  t.equal((await app.inject({ url: '/documentation/yaml', headers })).statusCode, 304)
  t.same(
    JSON.parse(brotliDecompressSync(document.rawPayload).toString()).security, [], 'no endpoint asks for a credential'
  )
})
