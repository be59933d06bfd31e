import { once } from 'node:events'
import { get } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { test, type Test } from 'tap'
import type { Trades } from '../../schemas/traded.js'
import { build, historyComplete, settings, startChain, until } from '../helper.js'
import { newPlace, withoutPostgres } from '../support/history/postgres.js'

interface Told { id: string | undefined, event: string | undefined, data: any }

/** Reads a stream until `close`. */
async function listen (url: string, { lastId, localAddress }: { lastId?: string, localAddress?: string } = {}) {
  const request = get(url, {
    agent: false,
    ...localAddress !== undefined && { localAddress },
    headers: lastId === undefined ? {} : { 'last-event-id': lastId }
  })
  const [response] = await once(request, 'response')
  const told: Told[] = []
  let rest = ''
  let id: string | undefined
  let isEnded = false
  response.setEncoding('utf8').on('data', (text: string) => {
    const messages = (rest + text).split('\n\n')
    rest = messages.pop()!
    for (const message of messages) {
      const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(message)?.[1]
      id = field('id') ?? id
      const data = field('data')
      if (data !== undefined) told.push({ id, event: field('event'), data: JSON.parse(data) })
    }
  }).on('close', () => { isEnded = true }).on('error', () => {})
  return { response, told, lastId: () => id, isEnded: () => isEnded, close: () => request.destroy() }
}

async function setUp (t: Test, env: Record<string, string> = { DATA_DIR: t.testdir({}) }) {
  const { ledger, node } = await startChain(t)
  const pool = () => ledger.dao(
    { base: ledger.mint(), quote: ledger.usdc(), baseReserves: 10n ** 12n, quoteReserves: 10n ** 11n }
  )
  const [dao, other] = [pool(), pool()]
  for (let i = 0; i < 5; i++) dao.swap('buy', 1_000_000n)
  ledger.advance(60)
  const start = async (excluded = '') => {
    const app = await build(t, {
      env: settings(t, node, ledger, { RATE_LIMIT_MAX: '1000000', EXCLUDED_DAOS: excluded, ...env }),
      now: () => ledger.time * 1000,
      pollMs: 20
    })
    await app.listen({ port: 0, host: '127.0.0.1' })
    await historyComplete(app)
    const url = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}/api/stream`
    await until('something is published', async () => {
      ledger.advance(0.2)
      return (await app.inject('/dexscreener/latest-block')).statusCode === 200
    })
    return { app, url }
  }
  /** Trades until so many are told. */
  const trade = async (stream: Awaited<ReturnType<typeof listen>>, count: number) => {
    const before = stream.told.filter(({ event }) => event === 'trade').length
    for (let i = 0; i < count; i++) {
      dao.swap(i % 2 === 0 ? 'buy' : 'sell', 1_000_000n + BigInt(i))
      other.swap('buy', 1_000_000n)
      ledger.advance(1)
    }
    await until('the trades are told', () => {
      ledger.advance(0.2)
      return stream.told.filter(({ event }) => event === 'trade').length >= before + count
    })
  }
  return { ledger, node, dao, other, start, trade }
}

const trades = ({ told }: { told: Told[] }) => told.filter(({ event }) => event === 'trade').map(({ data }) => data)

test('trades are told once, in order, as their pool tells them; over a restart none is lost or repeated', async t => {
  const { ledger, dao, start, trade } = await setUp(t)
  const first = await start()
  const stream = await listen(`${first.url}?pools=${dao.address}`)
  t.match(stream.response.headers, {
    'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-store', 'access-control-allow-origin': '*'
  })
  await until('it has begun', () => stream.lastId() !== undefined)
  t.same(trades(stream), [], 'from now on')
  await trade(stream, 4)
  await until('a ticker is told', () => {
    ledger.advance(0.2)
    return stream.told.some(({ event }) => event === 'ticker')
  })
  dao.launchProposal()
  await until('a proposal is told', () => {
    ledger.advance(0.2)
    return stream.told.some(({ event }) => event === 'proposal')
  })
  t.match(stream.told.find(({ event }) => event === 'proposal'), { data: { dao: dao.address, state: 'pending' } })
  t.match(stream.told.find(({ event }) => event === 'ticker'), { data: { pool_id: dao.address } })
  const id = stream.lastId()!
  await first.app.close()
  await until('it has ended', () => stream.isEnded())
  t.match(stream.told.at(-1), { event: 'end', data: { error: /shutting down/ } })

  for (let i = 0; i < 3; i++) {
    dao.swap('buy', 2_000_000n)
    ledger.advance(2)
  }
  const second = await start()
  const resumed = await listen(`${second.url}?pools=${dao.address}&types=trade`, { lastId: id })
  await until('what was missed is told', () => trades(resumed).length === 3)
  await trade(resumed, 2)
  const { body } = await second.app.inject(`/api/pools/${dao.address}/trades`)
  const all = (JSON.parse(body) as Trades).reverse().slice(5).map(row => ({ pool_id: dao.address, ...row }))
  t.same([...trades(stream), ...trades(resumed)], all)
  t.equal(all.length, 9)
  const again = await listen(`${second.url}?pools=${dao.address}`, { lastId: id })
  await until('what was missed is told again', () => trades(again).length === 5)
  t.same(trades(again), all.slice(4))
  for (const one of [resumed, again]) one.close()
})

const without = await withoutPostgres()
test('who follows a process that then leads loses and repeats nothing, nor who comes to it from the one before', {
  skip: without
}, async t => {
  const { dao, start, trade } = await setUp(t, { DATABASE_URL: newPlace(t).url })
  const first = await start()
  const second = await start()
  const [leading, following] = [await listen(`${first.url}?types=trade&pools=${dao.address}`),
    await listen(`${second.url}?types=trade&pools=${dao.address}`)]
  await until('both have begun', () => leading.lastId() !== undefined && following.lastId() !== undefined)
  await trade(leading, 3)
  const id = leading.lastId()!
  await trade(leading, 2)
  await first.app.close()
  const moved = await listen(`${second.url}?types=trade&pools=${dao.address}`, { lastId: id })
  await until('what was missed is told', () => trades(moved).length === 2)
  await trade(moved, 3)
  await until('who was there has it too', () => trades(following).length === 8)
  t.same([...trades(leading).slice(0, 3), ...trades(moved)], trades(following))
  const { body } = await second.app.inject(`/api/pools/${dao.address}/trades?limit=8`)
  t.same(trades(following), (JSON.parse(body) as Trades).reverse().map(row => ({ pool_id: dao.address, ...row })))
  for (const one of [moved, following]) one.close()
})

test('what is older than an hour is a gap, and so is what nobody has told', async t => {
  const { ledger, dao, start } = await setUp(t)
  const { url } = await start()
  const now = await listen(`${url}?types=trade`)
  await until('it has begun', () => now.lastId() !== undefined)
  dao.swap('buy', 1_000_000n)
  ledger.advance(3_700)
  await until('it is told', () => {
    ledger.advance(0.2)
    return trades(now).length === 1
  })
  const id = now.lastId()!
  const old = await listen(`${url}?types=trade`, { lastId: `${Number(id.split('-')[0]) - 30_000}-0-0` })
  await until('it has begun', () => old.told.length > 0)
  t.match(old.told, [{ event: 'gap', data: { since: String, pages: '/api/pools/{pool_id}/trades' } }])
  const ahead = await listen(`${url}?types=trade`, { lastId: '999999999999-0-0' })
  await until('it has begun', () => ahead.told.length > 0)
  t.match(ahead.told, [{ event: 'gap' }])
  for (const one of [now, old, ahead]) one.close()
})

test('trades that are kept back for long are told as a gap, once, and then themselves', async t => {
  const { ledger, node, dao, start } = await setUp(t)
  const { url } = await start()
  const stream = await listen(`${url}?types=trade`)
  await until('it has begun', () => stream.lastId() !== undefined)
  // their places in their blocks can't be had
  node.conditions.software = 'older'
  node.faults.set({ method: 'getBlock', kind: 'rpc-error' })
  const { time } = dao.swap('buy', 1_000_000n)
  ledger.advance(30)
  for (let looks = 0; looks < 30; looks++) {
    ledger.advance(0.2)
    await new Promise(resolve => setTimeout(resolve, 50))
  }
  t.same(stream.told, [], 'half a minute is not long')
  ledger.advance(60)
  await until('the gap is told', () => {
    ledger.advance(0.2)
    return stream.told.length > 0
  })
  dao.swap('buy', 1_000_000n)
  const late = await listen(`${url}?types=trade`)
  await until('who comes then is told, too', () => {
    ledger.advance(0.2)
    return late.told.length > 0
  })
  const gap = { event: 'gap', data: { since: new Date(time * 1000).toISOString() } }
  t.match(stream.told, [gap])
  t.match(late.told, [gap])
  node.faults.clear()
  await until('the trades are told', () => {
    ledger.advance(31)
    return trades(stream).length === 2
  })
  t.same(stream.told.map(({ event }) => event), ['gap', 'trade', 'trade'])
  for (const one of [stream, late]) one.close()
})

test('what is kept back of a DAO that is left out is no gap', async t => {
  const { ledger, node, dao, start } = await setUp(t)
  const { url } = await start(dao.address)
  const stream = await listen(`${url}?types=trade`)
  await until('it has begun', () => stream.lastId() !== undefined)
  node.conditions.software = 'older'
  node.faults.set({ method: 'getBlock', kind: 'rpc-error' })
  dao.swap('buy', 1_000_000n)
  ledger.advance(90)
  for (let looks = 0; looks < 60; looks++) {
    ledger.advance(0.2)
    await new Promise(resolve => setTimeout(resolve, 50))
  }
  t.same(stream.told, [])
  stream.close()
})

test('what is asked wrongly is said; an address has five', async t => {
  const { ledger, start } = await setUp(t)
  const { app, url } = await start()
  const says = async (query: string, status: number, error: RegExp, headers = {}) => {
    const answer = await app.inject({ url: `/api/stream${query}`, headers })
    t.equal(answer.statusCode, status, query)
    t.match(answer.json<{ error: string }>().error, error)
  }
  await says('?types=trades', 400, /^Invalid types: some of trade,ticker,proposal, each once$/)
  await says('?types=trade,trade', 400, /^Invalid types/)
  await says('?pools=x', 400, /^Invalid pools: 1 to 100 addresses/)
  await says('?what=1', 400, /^Invalid what/)
  await says('', 400, /^Invalid Last-Event-ID/, { 'last-event-id': 'x' })
  await says(`?pools=${ledger.newAddress()}`, 404, /^Pool not found/)
  await says(`?proposals=${ledger.newAddress()}`, 404, /^Proposal not found/)
  const head = await app.inject({ method: 'HEAD', url: '/api/stream' })
  t.match([head.statusCode, head.headers['content-type']], [200, 'text/event-stream; charset=utf-8'])
  t.notOk('content-length' in head.headers, 'it is that of a GET, which has none')

  const streams = await Promise.all(Array.from({ length: 5 }, () => listen(url)))
  t.same(streams.map(({ response }) => response.statusCode), [200, 200, 200, 200, 200])
  const { response: { statusCode, headers } } = await listen(url)
  t.same([statusCode, headers['retry-after']], [429, '5'])
  t.equal((await listen(url, { localAddress: '127.0.0.2' })).response.statusCode, 200)
  streams[0]!.close()
  await until('its place is free', () => app.stream.count() === 5)
  for (const one of streams) one.close()
})

test('a thousand are followed, told alike, and more are refused without a trace', async t => {
  const { ledger, dao, start } = await setUp(t)
  const { app, url } = await start()
  const address = (at: number) => `127.0.${1 + (at >> 7)}.${1 + (at & 127)}`
  const streams: Array<Awaited<ReturnType<typeof listen>>> = []
  for (let at = 0; at < 200; at++) {
    const five = Array.from({ length: 5 }, () => listen(`${url}?types=trade`, { localAddress: address(at) }))
    streams.push(...await Promise.all(five))
  }
  t.ok(streams.every(({ response }) => response.statusCode === 200))
  const refused = await Promise.all(Array.from({ length: 100 }, (_, at) =>
    listen(`${url}?types=trade`, { localAddress: address(200 + at) })))
  t.ok(refused.every(({ response }) => response.statusCode === 503))
  t.equal(app.stream.count(), 1_000)
  dao.swap('buy', 1_000_000n)
  await until('everybody is told', () => {
    ledger.advance(0.2)
    return streams.every(stream => trades(stream).length === 1)
  })
  t.equal(new Set(streams.map(stream => JSON.stringify(trades(stream)))).size, 1)
  for (const one of [...streams, ...refused]) one.close()
  await until('all have gone', () => app.stream.count() === 0)
})

test('who leaves before it has begun holds no place', async t => {
  const { ledger, node, dao, start } = await setUp(t)
  const { app, url } = await start()
  // the state has to be read before the pool is known to be there
  node.latencyMs = 300
  ledger.advance(11)
  let [asked, left] = [0, 0]
  app.server.on('request', ({ socket }) => {
    asked++
    socket.once('close', () => { left++ })
  })
  const request = get(`${url}?pools=${dao.address}`, { agent: false }).on('error', () => {})
  await until('it has been asked for', () => asked === 1)
  request.destroy()
  await until('the client has left', () => left === 1)
  node.latencyMs = 0
  const other = await listen(url)
  await until('the next one has begun', () => other.lastId() !== undefined)
  t.equal(app.stream.count(), 1)
  other.close()
  await until('its place is free', () => app.stream.count() === 0)
})

test('who goes while his stream waits behind another answer of his connection holds no place', async t => {
  const { ledger, node, start } = await setUp(t)
  const { app } = await start()
  const { port } = app.server.address() as AddressInfo
  node.latencyMs = 500
  for (let count = 0; count < 6; count++) {
    const socket = connect(port, '127.0.0.1').on('error', () => {})
    const { address } = ledger.mint()
    const request = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`
    socket.write(request(`/api/supply/${address}`) + request('/api/stream') + request('/health'))
    const before = app.stream.count()
    await until('the stream has begun to wait', () => app.stream.count() > before)
    socket.destroy()
    await until('its place is free', () => app.stream.count() === 0)
  }
  node.latencyMs = 0
  await until('no connection is left', () => app.connections.count() === 0)
})
