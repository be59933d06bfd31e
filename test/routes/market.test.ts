import Fastify, { type FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import t, { type Test } from 'tap'
import errors from '../../plugins/errors.js'
import budget from '../../plugins/budget.js'
import representation from '../../plugins/cached-response.js'
import client from '../../plugins/client.js'
import sensible from '../../plugins/sensible.js'
import market from '../../routes/market/index.js'
import { ServiceError } from '../../lib/errors.js'
import { decoratePage } from '../system/browser/service.js'
import { address, POOLS, SCRIPT, SNAPSHOT } from '../system/browser/market-data.js'
import { build as buildApp, settings, startChain, until } from '../helper.js'

/** The pages' files and headers; what they do in a browser is tested in test/system/browser. */

async function build (
  t: Test, snapshot: () => unknown = () => SNAPSHOT, age?: () => number
): Promise<FastifyInstance> {
  const fastify = Fastify()
  t.teardown(() => fastify.close())
  await fastify.register(fp(async () => {}, { name: 'rate-limit' }))
  for (const plugin of [sensible, errors, client, budget, representation]) await fastify.register(plugin)
  decoratePage(fastify, snapshot, age)
  await fastify.register(market, { prefix: '/market' })
  return fastify
}

const assetsOf = (html: string): string[] => [
  ...html.matchAll(/(?:href|src)="((?:\.\.\/\.\.\/)?market\/[0-9a-f]{12}\/[^"]+)"/g)
].map(([, path]) => `/${path!.replace('../../', '')}`)

t.test('the page, under its policy', async t => {
  const fastify = await build(t)
  const answer = await fastify.inject('/market')
  t.equal(answer.statusCode, 200)
  t.equal(answer.headers['content-type'], 'text/html; charset=utf-8')
  t.equal(answer.headers['x-content-type-options'], 'nosniff')
  const policy = String(answer.headers['content-security-policy'])
  for (const rule of [
    "default-src 'none'", "script-src 'self'", "style-src 'self'", "connect-src 'self'", "base-uri 'none'",
    "form-action 'none'", "frame-ancestors 'none'"
  ]) t.match(policy, rule)
  t.notMatch(policy, /unsafe|https?:|\*/)
  t.notMatch(answer.body.replace(/>[^<]*</g, '><'), /<script(?![^>]* src=)|<style|\son\w+=|\sstyle=/i, 'nothing inline')
  t.notMatch(answer.body, /(?:src|href)="(?:https?:)?\/\//, 'no other host')
})

t.test('the figures are in the pages as they are sent, for those who run no scripts', async t => {
  const fastify = await build(t)
  const plain = (html: string): string => /<noscript>.*<\/noscript>/s.exec(html)![0].replace(/<[^>]*>/g, '|')
  const list = (await fastify.inject('/market')).body
  const row = /\|META \/ USDC\| \|\w{4}…\w{4}\|+6\.4829 USDC\|+\+3\.42 %\|+1\.283.M USDC\|+\$9\.413.M\|+\$64\.83.M\|+\$129\.7.M\|+\$4\.2100\|+\+53\.99 %\|+1,200\|/
  t.match(plain(list), row)
  t.equal(list.match(/<a href="market\/pool\//g)?.length, POOLS.length)
  t.notMatch(list, '<img')
  const page = (await fastify.inject(`/market/pool/${POOLS[0]!.pool_id}`)).body
  t.match(plain(page), /\|Liquidity\|+\$[\d.]+/)
  t.match(plain(page), `|Mint||${POOLS[0]!.base.mint}|`)
})

t.test('pages say of when their figures are, and how old once they are stale', async t => {
  let age = 9_000
  const fastify = await build(t, undefined, () => age)
  const pages = ['/market', '/market/decisions', `/market/pool/${POOLS[0]!.pool_id}`]
  for (const page of pages) {
    const { headers, body } = await fastify.inject(page)
    t.match(headers, { 'cache-control': 'public, max-age=0', 'x-chain-time': '2026-01-02T03:04:05.000Z' })
    t.equal(headers.age, undefined)
    t.match(body, '<p>As of 2026-01-02 03:04:05 UTC.</p>')
    age = 50_000
    const stale = await fastify.inject({ url: page, headers: { 'if-none-match': String(headers.etag) } })
    t.match([stale.statusCode, stale.headers.age], [200, '50'])
    age = 9_000
  }
  const { body } = await fastify.inject(pages[2]!)
  t.equal(body.match(/content="[^"]+ as of 2026-01-02 03:04:05 UTC\. Price/g)?.length, 3, 'in what others show, too')
  const unknown = await build(t, () => { throw new ServiceError('NODE_UNAVAILABLE', 'none') }, () => age)
  t.notMatch((await unknown.inject(pages[2]!)).body, /content="[^"]* as of /)
})

t.test('what others show of a pool has the price of the figures in its page', async t => {
  const pairs = new Map(Array.from(SNAPSHOT.pairs, ([id, pair]) =>
    [id, { ...pair, quoteReserves: 2n * pair.quoteReserves }]))
  const newer = await build(t, () => ({ ...SNAPSHOT, pairs }))
  const { pool_id: pool } = POOLS.find(({ base }) => base.symbol === 'META')!
  const { body } = await newer.inject(`/market/pool/${pool}`)
  t.match(body, /<dt>Price<\/dt><dd>6\.4829 USDC<\/dd>/)
  t.match(body, /content="[^"]*: 6\.4829 USDC as of /)
})

t.test('the page is known again by its entity tag', async t => {
  const fastify = await build(t)
  const { headers } = await fastify.inject('/market')
  t.equal(headers['cache-control'], 'public, max-age=0')
  const again = await fastify.inject({ url: '/market', headers: { 'if-none-match': String(headers.etag) } })
  t.equal(again.statusCode, 304)
})

t.test('one address: the other leads to it, wherever the service stands', async t => {
  const fastify = await build(t)
  const answer = await fastify.inject('/market/')
  t.equal(answer.statusCode, 308)
  t.equal(answer.headers.location, '../market')
  const pool = await fastify.inject(`/market/pool/${POOLS[0]!.pool_id}/`)
  t.same([pool.statusCode, pool.headers.location], [308, `../${POOLS[0]!.pool_id}`])
  t.equal((await fastify.inject('/market/pool/%3Cb%3E/')).headers.location, '../%3Cb%3E')
})

t.test('every asset that the pages name is there, packed, for good', async t => {
  const fastify = await build(t)
  for (const page of ['/market', `/market/pool/${POOLS[0]!.pool_id}`]) {
    const paths = assetsOf((await fastify.inject(page)).body)
    t.ok(paths.length >= 4)
    for (const path of [...paths, paths[0]!.replace(/[^/]+$/, 'lightweight-charts.js')]) {
      const answer = await fastify.inject({ url: path, headers: { 'accept-encoding': 'br' } })
      t.equal(answer.statusCode, 200, path)
      t.equal(answer.headers['cache-control'], 'public, max-age=31536000, immutable')
      t.match(
        answer.headers['content-type'], path.endsWith('.js') ? /javascript/ : path.endsWith('.css') ? /css/ : /svg/
      )
      if (answer.rawPayload.length > 1024) t.equal(answer.headers['content-encoding'], 'br')
      t.ok(answer.headers.etag)
      t.match(answer.headers['content-security-policy'], "default-src 'none'")
    }
  }
})

t.test('a page of a pool, made for those who only see its title and image', async t => {
  const fastify = await build(t)
  const pool = POOLS.find(({ base }) => base.symbol === SCRIPT)!
  const answer = await fastify.inject({ url: `/market/pool/${pool.pool_id}`, headers: { host: 'market.example:8080' } })
  t.equal(answer.statusCode, 200)
  t.match(answer.body, `<meta property="og:url" content="http://market.example:8080/market/pool/${pool.pool_id}">`)
  t.match(answer.body, /og:title" content="&lt;img src=x onerror=&quot;[^"<]*USDC/)
  t.match(answer.body, /0\.25000 USDC/)
  t.notMatch(answer.body, '<img')
  const turned = POOLS.find(({ base }) => base.symbol.includes('\u202e'))!
  const { body } = await fastify.inject(`/market/pool/${turned.pool_id}`)
  t.match(body, 'og:title" content="kcatta / USDC')
  t.notMatch(body, '\u202e', 'a name turns no price that stands behind it')
  const odd = await fastify.inject({ url: `/market/pool/${pool.pool_id}`, headers: { host: 'a"><script>' } })
  t.match(odd.body, `og:url" content="/market/pool/${pool.pool_id}"`, 'a host that is none is not repeated')
})

t.test('the image that others show beside a link', async t => {
  const fastify = await build(t)
  const answer = await fastify.inject(`/market/pool/${POOLS[0]!.pool_id}/card.png`)
  t.equal(answer.statusCode, 200)
  t.equal(answer.headers['content-type'], 'image/png')
  const image = answer.rawPayload
  t.same([...image.subarray(0, 8)], [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
  t.same([image.readUInt32BE(16), image.readUInt32BE(20)], [1200, 630])
  const whole = await fastify.inject('/market/card.png')
  t.equal(whole.headers['content-type'], 'image/png')
  t.notOk(whole.rawPayload.equals(image))
  const { body } = await fastify.inject({ url: '/market', headers: { host: 'market.example' } })
  t.match(body, '<meta property="og:image" content="http://market.example/market/card.png">')
  t.match((await fastify.inject({ url: '/market', headers: { host: 'a"><b>' } })).body, 'content="/market/card.png"')
  const unknown = await fastify.inject(`/market/pool/${address(998)}/card.png`)
  t.equal(unknown.statusCode, 404)
  t.same(unknown.json(), { error: `Pool not found: ${address(998)}` })
})

t.test('while the pools are not known there is no image of the market, and none is kept', async t => {
  const { ledger, node } = await startChain(t)
  ledger.dao({ base: ledger.mint(), quote: ledger.usdc(), baseReserves: 10n ** 12n, quoteReserves: 10n ** 9n })
  await node.stop()
  const app = await buildApp(t, { env: settings(t, node, ledger) })
  t.ok((await app.inject('/market/card.png')).statusCode >= 500)
  await node.restart()
  await until('the image', async () => (await app.inject('/market/card.png')).statusCode === 200)
})

t.test('an image of a state that is not current is kept, too', async t => {
  const { ledger, node } = await startChain(t)
  ledger.dao({ base: ledger.mint(), quote: ledger.usdc(), baseReserves: 10n ** 12n, quoteReserves: 10n ** 9n })
  ledger.advance(60)
  node.position.lag(20)
  const app = await buildApp(t, { env: settings(t, node, ledger, { RATE_LIMIT_MAX: '100000' }) })
  const cards = ['/market/card.png', `/market/pool/${ledger.daos[0]!.address}/card.png`]
  const drawn = async () => (await Promise.all(cards.map(card => app.inject(card)))).map(({ rawPayload }) => rawPayload)
  await until('the images', async () =>
    (await Promise.all(cards.map(card => app.inject(card)))).every(({ statusCode }) => statusCode === 200))
  const first = await drawn()
  const goOn = async (): Promise<void> => {
    const { headers } = await app.inject('/api/tickers')
    t.ok(Number(headers.age) > 0)
    ledger.advance(3)
    await until('a newer state', async () => {
      const { headers: newer } = await app.inject('/api/tickers')
      return newer['x-chain-time'] !== headers['x-chain-time']
    })
  }
  // what is not current is read again a second later
  await goOn()
  await goOn()
  t.same(await drawn(), first)
})

t.test('no page for what is no pool, with the reason', async t => {
  const fastify = await build(t)
  for (const [pool, reason] of [
    [address(998), 'There is no DAO with a pool at this address'], [address(999), 'Its spot pool is empty'],
    ['x', 'There is no DAO'], ['%3Cscript%3E', 'There is no DAO']
  ] as const) {
    const answer = await fastify.inject(`/market/pool/${pool}`)
    t.equal(answer.statusCode, 404, pool)
    t.match(answer.headers['content-type'], 'text/html')
    t.equal(answer.headers['cache-control'], 'no-store')
    t.match(answer.body, reason)
    t.notMatch(answer.body, '<script>')
  }
})

t.test('while the chain can\'t be read, nobody knows whether there is such a pool: its page says so', async t => {
  const fastify = await build(t, () => { throw new ServiceError('NODE_UNAVAILABLE', 'no node') })
  const answer = await fastify.inject(`/market/pool/${address(101)}`)
  t.equal(answer.statusCode, 200)
  t.match(answer.body, '<title>Pool · DAO Market Data</title>')
})

t.test('an asset of another version is what we have, not to be kept', async t => {
  const fastify = await build(t)
  const answer = await fastify.inject('/market/0123456789ab/list.js')
  t.equal(answer.statusCode, 200)
  t.equal(answer.headers['cache-control'], 'no-cache')
  const again = await fastify.inject(
    { url: '/market/0123456789ab/list.js', headers: { 'if-none-match': String(answer.headers.etag) } }
  )
  t.equal(again.statusCode, 304)
})

t.test('nothing else is served', async t => {
  const fastify = await build(t)
  const [asset = ''] = assetsOf((await fastify.inject('/market')).body)
  const folder = asset.slice(0, asset.lastIndexOf('/'))
  for (const url of [
    '/market/x', '/market/x/decimal.js', '/market/x/list.html', '/market/x/none.js', '/market/x/..%2f..%2fpackage.json',
    '/market/x/%2e%2e%2findex.html', '/market/x/.%00', '/market/x/y/z', `${folder}/none.js`
  ]) {
    const answer = await fastify.inject(url)
    t.equal(answer.statusCode, 404, url)
    t.same(answer.json(), { error: `Endpoint not found: ${url}` })
    t.equal(answer.headers['cache-control'], 'no-store', 'not kept, not even under the name of this version')
  }
})

t.test('what the page asks for itself: the deepest pools or all, and what one pool may pretend', async t => {
  const { ledger, node } = await startChain(t)
  const usdc = ledger.usdc()
  const make = (base = ledger.mint({ symbol: 'ORE', name: '' })) => ledger.dao(
    { base, quote: usdc, baseReserves: 10n ** 12n, quoteReserves: 10n ** 9n }
  )
  const pools = [make(), make(), make(ledger.mint({ symbol: 'SOL', name: '' }))]
  const app = await buildApp(t, { env: settings(t, node, ledger) })
  await until('the list', async () => (await app.inject('/market/pools')).statusCode === 200)
  for (const url of ['/market/pools', '/market/pools?all=true']) {
    const { totals, pools: rows } = (await app.inject(url)).json()
    t.equal(totals.count, 3)
    t.same(new Set(rows.map((row: { pool_id: string }) => row.pool_id)), new Set(pools.map(({ address }) => address)))
  }
  const marks = async (pool: string) => (await app.inject(`/market/marks/${pool}`)).json()
  t.same(await marks(pools[0]!.address), ['symbol'])
  t.same(await marks(pools[2]!.address), [])
  t.same(await marks('nothing'), [])
})

t.test('not part of the described contract', async t => {
  const fastify = Fastify()
  t.teardown(() => fastify.close())
  const hidden: Array<[string, unknown]> = []
  fastify.addHook('onRoute', ({ url, schema }) => { hidden.push([url, schema?.hide]) })
  for (const plugin of [client, budget, representation]) await fastify.register(plugin)
  decoratePage(fastify)
  await fastify.register(market, { prefix: '/market' })
  t.same(new Set(hidden.map(([url]) => url)), new Set([
    '/market', '/market/', '/market/card.png', '/market/decisions',
    '/market/pool/:pool_id', '/market/pool/:pool_id/', '/market/pool/:pool_id/card.png',
    '/market/pools', '/market/sparklines', '/market/volume', '/market/marks/:pool_id', '/market/:version/:file'
  ]))
  t.ok(hidden.every(([, hide]) => hide === true))
})
