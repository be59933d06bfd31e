import { type AddressInfo } from 'node:net'
import { test, type Test } from 'tap'
import { createWindowCounter, MAX_CLIENTS } from '../../lib/rate-limit/minute-window.js'
import { clientOf, plainAddress } from '../../lib/http/client-address.js'
import { build, settings, startChain } from '../helper.js'

const LIMITED = '{"error":"Rate limit exceeded. Please try again later."}'

async function setUp (t: Test, env: Record<string, string> = {}) {
  const { ledger, node } = await startChain(t)
  const clock = { now: Date.parse('2026-03-01T12:00:30.500Z') }
  const app = await build(t, { env: settings(t, node, ledger, { RATE_LIMIT_MAX: '3', ...env }), now: () => clock.now })
  const status = async (remoteAddress: string, headers: Record<string, string> = {}, url = '/health') =>
    (await app.inject({ url, remoteAddress, headers })).statusCode
  /** Whether `second` is counted together with `first`. */
  const shared = async (first: Parameters<typeof status>, second: Parameters<typeof status>): Promise<boolean> => {
    clock.now += 60_000
    for (let i = 0; i < 3; i++) t.equal(await status(...first), 200)
    return await status(...second) === 429
  }
  return { app, clock, status, shared }
}

test('spec 8: all paths and methods share one count, unknown paths and malformed URLs included', async t => {
  const requests: Array<[method: string, url: string, contentType?: string]> = [
    ['GET', '/nowhere'], ['GET', '/%zz'], ['POST', '/health'], ['OPTIONS', '/health'], ['HEAD', '/health'],
    ['GET', '/api/supply/x'], ['GET', '/api/supply/x/'], ['GET', '/market/nowhere'], ['DELETE', '/%'], ['GET', '//'],
    ['GET', '/api/tickers/x?y=%'], ['POST', '/nowhere', ';'], ['QUERY', '/nowhere'], ['PURGE', '/health']
  ]
  const { app, clock } = await setUp(t, { RATE_LIMIT_MAX: String(requests.length) })
  let left = requests.length
  const ask = (method: string, url: string, contentType?: string) => app.inject(
    { method: method as 'GET', url, headers: contentType === undefined ? {} : { 'content-type': contentType } }
  )
  for (const [method, url, contentType] of requests) {
    const answer = await ask(method, url, contentType)
    t.equal(answer.headers['x-ratelimit-remaining'], String(--left), `${method} ${url}: ${answer.statusCode}`)
  }
  for (const [method, url, contentType] of requests) {
    const { statusCode, payload, headers } = await ask(method, url, contentType)
    t.same([statusCode, payload], [429, method === 'HEAD' ? '' : LIMITED], `${method} ${url}`)
    t.match(headers, {
      'retry-after': '30',
      'x-ratelimit-limit': String(requests.length),
      'x-ratelimit-remaining': '0',
      'x-ratelimit-reset': '30',
      'ratelimit-policy': `"minute";q=${requests.length};w=60`,
      ratelimit: '"minute";r=0;t=30',
      'access-control-allow-origin': '*',
      'cache-control': 'no-store',
      'content-type': 'application/json; charset=utf-8'
    })
  }
  clock.now = Date.parse('2026-03-01T12:00:59.999Z')
  const last = await app.inject('/health')
  t.same([last.statusCode, last.headers['retry-after']], [429, '1'], 'to the last millisecond')
  clock.now += 1
  t.equal((await app.inject('/health')).statusCode, 200, 'the window turns with the minute')
})

test('IPv6 counts per /64, IPv4 in IPv6 clothes as IPv4', async t => {
  const { shared } = await setUp(t)
  t.equal(await shared(['2001:db8:1:2::1'], ['2001:db8:1:2:ffff::9']), true)
  t.equal(await shared(['2001:db8:1:2::1'], ['2001:db8:1:3::1']), false)
  t.equal(await shared(['::ffff:192.0.2.1'], ['192.0.2.1']), true)
  t.equal(await shared(['::ffff:192.0.2.1'], ['::ffff:192.0.2.2']), false, 'not one /64')
  t.equal(await shared(['::FFFF:c000:0201'], ['192.0.2.1']), true)
  t.equal(await shared(['fe80::1%eth0'], ['FE80::2%eth1']), true)
})

test('X-Forwarded-For is believed only of the proxies that TRUST_PROXY names', async t => {
  const { shared, status, clock } = await setUp(
    t, { TRUST_PROXY: '10.0.0.1, fd00::/8', RATE_LIMIT_ALLOW: '198.51.100.7,127.0.0.1' }
  )
  const via = (chain: string): Record<string, string> => ({ 'x-forwarded-for': chain })
  t.equal(
    await shared(['192.0.2.1', via('203.0.113.1')], ['192.0.2.1', via('203.0.113.2')]),
    true,
    'forged: the socket counts'
  )
  t.equal(await shared(['10.0.0.1', via('203.0.113.1')], ['10.0.0.1', via('203.0.113.2')]), false)
  t.equal(
    await shared(['::ffff:10.0.0.1', via('203.0.113.1')], ['fd12::9', via('203.0.113.1')]),
    true,
    'one client through two proxies'
  )
  t.equal(
    await shared(['10.0.0.1', via('1.1.1.1, 203.0.113.1')], ['10.0.0.1', via('2.2.2.2, 203.0.113.1')]),
    true,
    'what the client wrote in front counts for nothing'
  )
  t.equal(
    await shared(['10.0.0.1', via('203.0.113.1:4711')], ['10.0.0.1', via('203.0.113.1:4712')]), true, 'with a port'
  )
  t.equal(await shared(['10.0.0.1', via('[2001:db8::1]:4711')], ['10.0.0.1', via('2001:db8::2')]), true)
  t.equal(
    await shared(['10.0.0.1', via('203.0.113.1, 10.0.0.1:8080')], ['10.0.0.1', via('203.0.113.2, 10.0.0.1:8080')]),
    false,
    'a proxy that is named with its port'
  )
  t.equal(await shared(['10.0.0.1', via('203.0.113.1:1, [fd00::5]:443')], ['fd00::7', via('203.0.113.1:2')]), true)
  t.equal(
    await shared(['10.0.0.1', via('a'.repeat(9_000))], ['10.0.0.1', via('<script>')]),
    true,
    'no addresses at all share one count'
  )
  clock.now += 60_000
  for (let i = 0; i < 9; i++) {
    t.equal(await status('198.51.100.7'), 200)
    t.equal(await status('10.0.0.1', via('198.51.100.7')), 200, 'exempt through the proxy')
    t.equal(await status('192.0.2.9', via('198.51.100.7')), i < 3 ? 200 : 429, 'a forged exemption')
  }
})

test(
  'the files of the page and of the reference have a budget of their own, and a page that is limited is a page',
  async t => {
    const { app, status } = await setUp(t, { RATE_LIMIT_PAGE: '4' })
    const files = ['/market', '/documentation', '/documentation/json', '/documentation/static/swagger-ui.css']
    for (const [at, url] of files.entries()) {
      const { statusCode, headers } = await app.inject({ url, remoteAddress: '192.0.2.1' })
      t.equal(statusCode, 200, url)
      t.match(headers, { 'ratelimit-policy': '"page";q=4;w=60', ratelimit: `"page";r=${3 - at};t=30` })
    }
    const page = await app.inject(
      { url: '/market', remoteAddress: '192.0.2.1', headers: { accept: 'text/html,*/*;q=0.8' } }
    )
    t.match(page, {
      statusCode: 429,
      headers: { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store', 'retry-after': '30' }
    })
    t.match(page.payload, /^<!doctype html>[^]*<p>Rate limit exceeded\. Please try again later\.<\/p>/)
    const file = await app.inject({ url: files[3]!, remoteAddress: '192.0.2.1', headers: { accept: 'text/css' } })
    t.same([file.statusCode, file.payload], [429, LIMITED])
    for (let i = 0; i < 3; i++) t.equal(await status('192.0.2.1'), 200, 'the visit has left the client its requests')
    t.equal(await status('192.0.2.1'), 429)
    t.equal((await app.inject({ url: '/market', remoteAddress: '192.0.2.2' })).statusCode, 200)
  }
)

test('exemption by address and CIDR; what is no address is not exempt', async t => {
  const { status } = await setUp(t, { RATE_LIMIT_ALLOW: '192.0.2.0/24, 2001:db8::/32' })
  for (let i = 0; i < 9; i++) {
    for (const address of ['192.0.2.200', '::ffff:192.0.2.3', '2001:db8:ffff::1']) t.equal(await status(address), 200)
    t.equal(await status('192.0.3.1'), i < 3 ? 200 : 429)
  }
})

test('spec 8: over a real socket, 60 a minute by default', async t => {
  const { app } = await setUp(t, { RATE_LIMIT_MAX: '' })
  await app.listen({ port: 0, host: '127.0.0.1' })
  const url = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}/health`
  const statuses: number[] = []
  for (let i = 0; i < 62; i++) {
    statuses.push((await fetch(url, { headers: { 'x-forwarded-for': `203.0.113.${i}` } })).status)
  }
  t.equal(statuses.indexOf(429), 60)
})

test('addresses have one form', async t => {
  const forms: Array<[string, string | undefined]> = [
    ['192.0.2.1', '192.0.2.1'], ['::1', '0:0:0:0:0:0:0:1'], ['::', '0:0:0:0:0:0:0:0'],
    ['2001:DB8::0001', '2001:db8:0:0:0:0:0:1'], ['1:2:3:4:5:6:7:8', '1:2:3:4:5:6:7:8'],
    ['1:2:3:4:5:6:1.2.3.4', '1:2:3:4:5:6:102:304'], ['::ffff:1.2.3.4', '1.2.3.4'],
    ['0:0:0:0:0:ffff:0102:0304', '1.2.3.4'], ['fe80::1%lo', 'fe80:0:0:0:0:0:0:1'],
    ['', undefined], ['x', undefined], ['1.2.3', undefined], ['1.2.3.4.5', undefined], ['[::1', undefined],
    ['1.2.3.4, 5.6.7.8', undefined]
  ]
  for (const [text, expected] of forms) t.equal(plainAddress(text), expected, text)
  t.equal(clientOf('1.2.3.4'), '1.2.3.4')
  t.equal(clientOf('1:2:3:4:5:6:7:8'), '1:2:3:4::/64')
})

test('the counter is bounded, and whoever keeps asking stays counted', async t => {
  const counter = createWindowCounter(() => 0)
  for (let i = 0; i < 2 * MAX_CLIENTS; i++) {
    counter.count(`10.${i >> 16}.${i >> 8 & 255}.${i & 255}`)
    if (i % 10_000 === 0) counter.count('192.0.2.1')
  }
  t.equal(counter.size(), MAX_CLIENTS)
  t.equal(counter.count('192.0.2.1').current, 21)
})

test('what the scripts of a page ask for is of its budget, not of the client\'s', async t => {
  const { app, status } = await setUp(t, { RATE_LIMIT_PAGE: '2' })
  const ask = async (site: string, url = '/api/supply/x') => await app.inject(
    { url, remoteAddress: '192.0.2.1', headers: { 'sec-fetch-site': site } }
  )
  for (const left of [1, 0]) t.match((await ask('same-origin')).headers, { ratelimit: `"page";r=${left};t=30` })
  t.equal((await ask('same-origin')).statusCode, 429)
  t.match(
    (await ask('cross-site')).headers, { ratelimit: '"minute";r=2;t=30' }, 'another site is a client like any other'
  )
  for (let i = 0; i < 2; i++) t.equal(await status('192.0.2.1'), 200)
  t.equal(await status('192.0.2.1'), 429)
})
