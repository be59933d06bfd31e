import dns from 'node:dns'
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import { type AddressInfo, type LookupFunction, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { test, type Test } from 'tap'
import { type Answer, createConnections } from '../../../lib/chain/json-rpc.js'
import { until } from '../../support/until.js'

const TEXT = JSON.stringify({ jsonrpc: '2.0', id: 1, result: 'ж'.repeat(5_000) })

/** A server with the sockets that it has, and connections to it. */
async function setUp (t: Test, answer: (request: IncomingMessage, response: ServerResponse) => void) {
  const sockets = new Set<Socket>()
  const opened = { count: 0 }
  const listener: RequestListener = (request, response) => {
    request.resume().on('end', () => answer(request, response))
  }
  const server = createServer(listener).on('connection', socket => {
    opened.count++
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const connections = createConnections()
  t.teardown(() => new Promise(resolve => {
    connections.close()
    server.close(resolve)
    server.closeAllConnections()
  }))
  const post = async (signal = new AbortController().signal, scheme = 'http') => await connections.post(
    new URL(`${scheme}://127.0.0.1:${port}/key`), '{"ж":1}', signal
  )
  return { server, sockets, opened, connections, post }
}

async function read ({ body }: Answer): Promise<string> {
  const parts: Uint8Array[] = []
  for await (const part of body) parts.push(part)
  return Buffer.concat(parts).toString()
}

test(
  'one after the other goes over one connection, each with its length and in the encoding that is read',
  async t => {
    const seen: unknown[] = []
    const { opened, post } = await setUp(t, ({ method, url, headers }, response) => {
      seen.push([method, url, headers['content-length'], headers['accept-encoding'], headers['content-type']])
      response.end(TEXT)
    })
    for (let time = 0; time < 5; time++) t.equal(await read(await post()), TEXT)
    t.same(seen, Array(5).fill(['POST', '/key', '8', 'gzip', 'application/json']))
    t.equal(opened.count, 1)
  }
)

test('packed answers are unpacked; one that ends in the middle is thrown', async t => {
  const packed = { gzip: gzipSync(TEXT), GZIP: gzipSync(TEXT), identity: Buffer.from(TEXT) }
  const answer: { encoding: keyof typeof packed, cut: number } = { encoding: 'gzip', cut: 0 }
  const { post } = await setUp(t, (_, response) => {
    const bytes = packed[answer.encoding]
    response.writeHead(200, { 'content-encoding': answer.encoding }).end(bytes.subarray(0, bytes.length - answer.cut))
  })
  for (answer.encoding of Object.keys(packed) as Array<keyof typeof packed>) {
    t.equal(await read(await post()), TEXT, answer.encoding)
  }
  answer.cut = 9
  answer.encoding = 'gzip'
  await t.rejects(post().then(read), { code: /^[A-Z_]+$/ })
})

test('a redirect is an answer like any other, with its headers', async t => {
  const { post } = await setUp(
    t, (_, response) => { response.writeHead(302, { location: 'http://elsewhere.example/', 'Retry-After': '7' }).end() }
  )
  t.match(await post(), { status: 302, headers: { location: 'http://elsewhere.example/', 'retry-after': '7' } })
})

test('who leaves, or is called off, ends the download and the connection', async t => {
  const { sockets, post } = await setUp(t, (_, response) => {
    response.writeHead(200)
    const timer = setInterval(() => response.write('x'.repeat(1_000)), 5)
    response.on('close', () => clearInterval(timer))
  })
  const parts = (await post()).body[Symbol.asyncIterator]()
  t.notOk((await parts.next()).done)
  await parts.return?.()
  await until('the connection is gone', () => sockets.size === 0)

  const controller = new AbortController()
  const { body } = await post(controller.signal)
  setTimeout(() => controller.abort(), 30)
  await t.rejects((async () => { for await (const part of body) t.ok(part.length > 0, { diagnostic: false }) })())
  await until('the connection is gone', () => sockets.size === 0)

  ;(await post()).body.destroy()
  await until('the connection is gone', () => sockets.size === 0)
  const gone = new AbortController()
  gone.abort()
  await t.rejects(post(gone.signal))
})

test('a node that says for how long it keeps connections is believed', async t => {
  const { server, opened, post } = await setUp(t, (_, response) => { response.end(TEXT) })
  server.keepAliveTimeout = 1_100
  t.equal(await read(await post()), TEXT)
  // it closes soon after; whoever used the connection up to then would lose a call now and then
  await sleep(1_050)
  t.equal(await read(await post()), TEXT)
  t.equal(opened.count, 2)
})

test('closing ends what lies idle', async t => {
  const { sockets, connections, post } = await setUp(t, (_, response) => { response.end(TEXT) })
  await Promise.all(Array.from({ length: 4 }, async () => await read(await post())))
  t.equal(sockets.size, 4)
  connections.close()
  await until('nothing is left', () => sockets.size === 0)
})

test('what was not reached, or speaks no TLS, is thrown with the platform\'s code', async t => {
  const { server, post } = await setUp(t, (_, response) => { response.socket?.resetAndDestroy() })
  await t.rejects(post(), { code: 'ECONNRESET' })
  await t.rejects(post(undefined, 'https'), { code: /SSL|EPROTO|ECONNRESET/ })
  await new Promise(resolve => server.close(resolve))
  await t.rejects(post(), { code: 'ECONNREFUSED' })
})

test('a host far away is reached though its other address, of IPv6, is not', async t => {
  const { server, connections } = await setUp(t, (_, response) => { response.end(TEXT) })
  const { port } = server.address() as AddressInfo
  const lookup: LookupFunction = (_, __, done) =>
    done(null, [{ address: '127.0.0.1', family: 4 }, { address: '::1', family: 6 }])
  t.intercept(dns, 'lookup', { value: lookup })
  // a connection over IPv4 takes as long as to the other side of the Earth
  const { _handle: handle } = server as unknown as { _handle: { constructor: { prototype: Record<string, unknown> } } }
  const { prototype } = handle.constructor
  const connect = prototype.connect as (...given: unknown[]) => number
  t.intercept(prototype, 'connect', {
    value (this: unknown, ...given: unknown[]): number {
      setTimeout(() => connect.apply(this, given), 400)
      return 0
    }
  })
  const answer = await connections.post(new URL(`http://far.example:${port}/`), '{}', new AbortController().signal)
  t.equal(await read(answer), TEXT)
})
