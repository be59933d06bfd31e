import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import { gunzipSync } from 'node:zlib'
import { test, type Test } from 'tap'
import type { DexEvents, LatestBlock } from '../../schemas/block-range.js'
import { build, historyComplete, patient, settings, startChain, until } from '../helper.js'

const SWAPS = 1_500

/** A service with a range of events that is too large to be held as a whole. */
async function setUp (t: Test) {
  const { ledger, node } = await startChain(t)
  const pools = [0, 1].map(() => ledger.dao({
    base: ledger.mint(), quote: ledger.usdc(), baseReserves: 2_000_000_000_000n, quoteReserves: 200_000_000_000n
  }))
  const first = ledger.slot
  for (let i = 0; i < SWAPS; i++) {
    if (i % 3 === 0) ledger.advance(0.4)
    pools[i % 2]!.swap(i % 4 < 2 ? 'buy' : 'sell', 1_000_000n + BigInt(i))
  }
  const last = ledger.slot
  const app = await build(t, {
    env: settings(t, node, ledger, { RATE_LIMIT_MAX: '100000' }), now: () => ledger.time * 1000, pollMs: 20
  })
  await historyComplete(app)
  await until('it is published', async () => {
    ledger.advance(6)
    const answer = await app.inject('/dexscreener/latest-block')
    return answer.statusCode === 200 && answer.json<LatestBlock>().block.blockNumber >= last
  })
  await app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = app.server.address() as AddressInfo
  return {
    app, port, first, last, path: (form = 'dexscreener') => `/${form}/events?fromBlock=${first}&toBlock=${last}`
  }
}

test('a large range comes in pieces: the same events, each form with its own tag', async t => {
  const { app, port, first, last, path } = await setUp(t)
  const single: DexEvents['events'] = []
  for (let slot = first; slot <= last; slot += 50) {
    const answer = await patient(app, `/dexscreener/events?fromBlock=${slot}&toBlock=${Math.min(last, slot + 49)}`)
    t.type(answer.headers['content-length'], 'string', 'small ones are sent as a whole')
    single.push(...answer.json<DexEvents>().events)
  }
  t.equal(single.length, SWAPS + 2)
  const plain = await app.inject({ url: path(), headers: { 'accept-encoding': 'identity' } })
  t.equal(plain.payload, JSON.stringify({ events: single }), 'byte for byte')
  t.notOk('content-length' in plain.headers)
  t.match(plain.headers, {
    'content-type': 'application/json; charset=utf-8', 'cache-control': 'public, max-age=10', vary: 'accept-encoding'
  })
  const packed = await app.inject({ url: path(), headers: { 'accept-encoding': 'br, gzip' } })
  t.match(packed.headers, { 'content-encoding': 'gzip', etag: String(plain.headers.etag).replace(/"$/, '-gzip"') })
  t.equal(gunzipSync(packed.rawPayload).toString(), plain.payload)
  const other = await app.inject({ url: path('geckoterminal'), headers: { 'accept-encoding': 'identity' } })
  t.equal(other.payload, plain.payload)
  t.not(other.headers.etag, plain.headers.etag)
  for (const tag of [String(plain.headers.etag), String(packed.headers.etag), '*']) {
    for (const method of ['GET', 'HEAD'] as const) {
      const known = await app.inject(
        { url: path(), method, headers: { 'if-none-match': tag, 'accept-encoding': 'identity' } }
      )
      t.same([known.statusCode, known.payload, known.headers.etag], [304, '', plain.headers.etag])
    }
  }
  const head = await app.inject({ url: path(), method: 'HEAD', headers: { 'accept-encoding': 'gzip' } })
  t.same(
    [head.statusCode, head.payload, head.headers.etag, 'content-length' in head.headers],
    [200, '', packed.headers.etag, false]
  )
  const shorter = await app.inject(
    { url: path().replace(String(last), String(last - 1)), headers: { 'if-none-match': String(plain.headers.etag) } }
  )
  t.equal(shorter.statusCode, 200, 'another range is another answer')
  const fetched = await (await fetch(`http://127.0.0.1:${port}${path()}`)).text()
  t.equal(fetched, plain.payload, 'the same by the network')
})

test(
  'two large answers of a client at a time: others wait, those beyond are refused, who leaves makes room',
  async t => {
    const { app, port, path } = await setUp(t)
    const { sending } = app.budget
    const ends = [await sending.enter('127.0.0.1'), await sending.enter('127.0.0.1')]
    const ask = async (signal?: AbortSignal) => {
      const answer = await fetch(`http://127.0.0.1:${port}${path()}`, signal === undefined ? {} : { signal })
      return { status: answer.status, headers: answer.headers, length: (await answer.text()).length }
    }
    const leaving = new AbortController()
    const refused: Headers[] = []
    // whichever come first: eight may wait
    const asked = Array.from({ length: 12 }, async (_, at) => {
      const { status, headers, length } = await ask(at % 3 === 0 ? leaving.signal : undefined)
      if (status === 503) refused.push(headers)
      return { status, length }
    })
    await until('four are refused', () => refused.length >= 4)
    t.ok(refused.every(headers => headers.get('retry-after') === '2'))
    t.equal((await app.inject({ url: path(), remoteAddress: '10.0.0.7' })).statusCode, 200, 'another client is not')
    leaving.abort()
    for (const end of ends) end()
    const answered = (await Promise.allSettled(asked)).flatMap(
      one => one.status === 'fulfilled' && one.value.status === 200 ? [one.value] : []
    )
    // of eight who stayed; on a busy machine some waited too long
    t.ok(answered.length >= 8 - refused.length, `${answered.length} of those who stayed, ${refused.length} refused`)
    t.ok(answered.every(({ length }) => length > 500_000))
    for (const end of [await sending.enter('127.0.0.1'), await sending.enter('127.0.0.1')]) end()
    t.pass('all turns were given back')
  }
)

test('of pipelined requests, those that wait for others hold no place, ' +
  'and one whose client left gives it back', async t => {
  const { app, port, path } = await setUp(t)
  const { sending } = app.budget
  async function pipeline (...urls: string[]) {
    const socket = connect(port, '127.0.0.1').on('error', () => {})
    t.teardown(() => socket.destroy())
    await once(socket, 'connect')
    socket.write(urls.map(url => `GET ${url} HTTP/1.1\r\nHost: x\r\n\r\n`).join(''))
    return socket
  }
  /** Both places of this client. */
  const bothPlaces = async () => {
    for (const end of await Promise.all([0, 1].map(() => sending.enter('127.0.0.1')))) end()
  }

  const behind = await pipeline('/api/stream?types=proposal', path(), path(), path())
  await once(behind, 'data')
  await until('the others are made as far as they go', async () => (await app.inject(path())).statusCode === 200)
  await bothPlaces()
  t.pass('a stream that has no end holds no place for what is asked behind it')
  behind.destroy()

  const left = await pipeline(path(), path(), path(), path())
  await once(left, 'data')
  left.destroy()
  await bothPlaces()
  t.pass('who left before it was its turn')

  const whole = await pipeline(path(), path(), '/health')
  let text = ''
  whole.setEncoding('utf8').on('data', (chunk: string) => { text += chunk })
  await until('all are answered, one after another', () => text.split('HTTP/1.1 ').length === 4 && text.endsWith('}'))
  t.equal(text.split('HTTP/1.1 200 OK').length, 4)
})
