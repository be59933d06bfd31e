import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { test, type Test } from 'tap'
import type { AppOptions } from '../../app.js'
import { build, settings, startChain, until } from '../helper.js'
import { steadyNow } from '../support/steady-time.js'

async function listen (t: Test, env: Record<string, string> = {}, options: Partial<AppOptions> = {}) {
  const { ledger, node } = await startChain(t)
  const app = await build(t, { ...options, env: settings(t, node, ledger, { RATE_LIMIT_MAX: '100000', ...env }) })
  await app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = app.server.address() as AddressInfo
  return { app, port, ledger, node }
}

/** `closed`: how long it was open, ms; `steady`: without what this machine stalled meanwhile. */
interface Raw { socket: Socket, text (): string, closed: Promise<{ ms: number, steady: number }> }

/** A connection on which anything may be written. */
function open (t: Test, port: number, first = ''): Raw {
  const socket = connect(port, '127.0.0.1')
  t.teardown(() => socket.destroy())
  let text = ''
  const [begun, steadilyBegun] = [performance.now(), steadyNow()]
  socket.setEncoding('latin1').on('data', chunk => { text += chunk }).on('error', () => {})
  const closed: Raw['closed'] = new Promise(resolve => {
    socket.once('close', () => resolve({ ms: performance.now() - begun, steady: steadyNow() - steadilyBegun }))
  })
  socket.write(first, 'latin1')
  return { socket, text: () => text, closed }
}

const bodyOf = (answer: string): string => answer.split('\r\n\r\n').slice(1).join('\r\n\r\n')

test('what is no HTTP is answered in the words of the contract, and the connection ends', async t => {
  const { port } = await listen(t)
  const cases: Array<[string, string, string]> = [
    ['no HTTP', 'hello\r\n\r\n', 'HTTP/1.1 400 Bad Request|{"error":"Bad request"}'],
    ['TLS', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03', 'HTTP/1.1 400 Bad Request|{"error":"Bad request"}'],
    ['HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 'HTTP/1.1 400 Bad Request|{"error":"Bad request"}'],
    ['a method of nobody', 'BREW / HTTP/1.1\r\nHost: x\r\n\r\n', 'HTTP/1.1 400 Bad Request|{"error":"Bad request"}'],
    ['two hosts', 'GET / HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n', 'HTTP/1.1 400 Bad Request|{"error":"Bad request"}'],
    ['GET of all', 'GET * HTTP/1.1\r\nHost: x\r\n\r\n', 'HTTP/1.1 400 Bad Request|{"error":"Bad request"}'],
    [
      'two lengths', 'GET / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab',
      'HTTP/1.1 400 Bad Request|{"error":"Bad request"}'
    ],
    [
      'length and chunks',
      'GET / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      'HTTP/1.1 400 Bad Request|{"error":"Bad request"}'
    ],
    ...['GET', 'POST'].map((method): [string, string, string] => [
      `${method}, a length that only the end tells`,
      `${method} / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip\r\n\r\nab`,
      'HTTP/1.1 400 Bad Request|{"error":"Bad request"}'
    ]),
    [
      'a header of a line break', 'GET / HTTP/1.1\r\nHost: x\r\nX-A: a\nb\r\n\r\n',
      'HTTP/1.1 400 Bad Request|{"error":"Bad request"}'
    ],
    ['a NUL', 'GET /\0 HTTP/1.1\r\nHost: x\r\n\r\n', 'HTTP/1.1 400 Bad Request|{"error":"Bad request"}'],
    ['no host', 'GET / HTTP/1.1\r\n\r\n', 'HTTP/1.1 400 Bad Request|{"error":"Bad request"}'],
    [
      'headers of 20 kB', `GET / HTTP/1.1\r\nHost: x\r\nX-A: ${'a'.repeat(20_000)}\r\n\r\n`,
      'HTTP/1.1 431 Request Header Fields Too Large|{"error":"Request header fields too large"}'
    ],
    [
      'a path of 20 kB', `GET /${'a'.repeat(20_000)} HTTP/1.1\r\nHost: x\r\n\r\n`,
      'HTTP/1.1 431 Request Header Fields Too Large|{"error":"Request header fields too large"}'
    ]
  ]
  for (const [name, request, expected] of cases) {
    const { text, closed } = open(t, port, request)
    await closed
    t.equal(`${text().split('\r\n', 1)[0]}|${bodyOf(text())}`, expected, name)
    t.match(text(), /content-type: application\/json/i, name)
    t.match(text(), /access-control-allow-origin: \*/i, `${name}: a page may read it, as every answer`)
  }
})

test('HTTP that is only unusual is answered', async t => {
  const { port } = await listen(t)
  const ask = async (request: string) => {
    const { text, closed } = open(t, port, request)
    await closed
    return text()
  }
  t.match(await ask('GET /health HTTP/1.0\r\n\r\n'), /^HTTP\/1.1 200 OK/, 'no host in HTTP/1.0')
  t.match(
    await ask('GET /health HTTP/1.1\r\nHost: x\r\nConnection: close\r\nExpect: tea\r\n\r\n'),
    /^HTTP\/1.1 200 OK/,
    'an expectation'
  )
  t.match(
    await ask('GET /health HTTP/1.1\r\nHost: x\r\nConnection: close, Upgrade\r\nUpgrade: websocket\r\n\r\n'),
    /^HTTP\/1.1 200 OK/,
    'an upgrade'
  )
  const many = Array.from({ length: 3_000 }, () => 'a:').join('\r\n')
  t.match(
    await ask(`GET /health HTTP/1.1\r\n${many}\r\nHost: x\r\nConnection: close\r\n\r\n`),
    /^HTTP\/1.1 200 OK/,
    'the last of 3,000 headers counts'
  )
  t.match(await ask('OPTIONS * HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'), /^HTTP\/1.1 204 /)
  t.match(
    await ask('DELETE /health HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'),
    /^HTTP\/1.1 405 [^]*\{"error":"Method not allowed: only GET, HEAD and OPTIONS"\}$/
  )
  t.match(
    await ask('GET /%zz%ff?q=1 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'),
    /\{"error":"Endpoint not found: \/%zz%ff"\}$/
  )
})

test('what a stranger writes comes back only where nothing can take it for markup', async t => {
  const { app, port } = await listen(t)
  for (const url of [
    '/<script>alert(1)</script>', '/"><img src=x onerror=alert(1)>', '/api/supply/<b>', '/api/tickers/<svg onload=x>'
  ]) {
    const answer = await app.inject(
      { url, headers: { 'x-request-id': '<b>', origin: 'https://<i>', 'user-agent': '<u>' } }
    )
    t.notMatch(answer.payload, /[<>]/, url)
    t.notMatch(JSON.stringify(answer.headers), /[<>]/)
    t.match(answer.headers, { 'content-type': 'application/json; charset=utf-8', 'x-content-type-options': 'nosniff' })
  }
  const raw = open(t, port, 'GET /<a>&b HTTP/1.0\r\n\r\n')
  await raw.closed
  t.match(raw.text(), /\{"error":"Endpoint not found: \/\\u003ca\\u003e\\u0026b"\}$/)
  t.same(JSON.parse(bodyOf(raw.text())), { error: 'Endpoint not found: /<a>&b' }, 'read as JSON it is the path')
})

test('a body is never waited for: small ones are passed over, others end the connection', async t => {
  const { app, port } = await listen(t)
  const small = open(
    t, port, 'POST /health HTTP/1.1\r\nHost: x\r\nContent-Type: nonsense\r\nContent-Length: 5\r\n\r\nhello'
  )
  await until('it is answered', () => small.text().includes('Method not allowed'))
  small.socket.write('GET /health HTTP/1.1\r\nHost: x\r\n\r\n')
  await until('the connection serves on', () => small.text().includes('healthy'))

  for (const [name, headers] of [['large', 'Content-Length: 1000000000'], ['endless', 'Transfer-Encoding: chunked']]) {
    for (const method of ['GET', 'POST', 'PUT']) {
      const { text, closed } = open(t, port, `${method} /health HTTP/1.1\r\nHost: x\r\n${headers}\r\n\r\n`)
      t.ok((await closed).steady < 9_000, `${name} ${method}: not only when it is too slow`)
      t.match(text(), method === 'GET' ? /"healthy"/ : /Method not allowed/)
      t.match(text(), /connection: close/i)
    }
  }

  const asking = open(t, port, 'POST /health HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n')
  await asking.closed
  t.notMatch(asking.text(), /100 Continue/, 'nobody is invited to send one')
  t.match(asking.text(), /Method not allowed/)
  t.equal(app.connections.count(), 1)
})

test('slow clients are cut off: silent ones, slow headers, slow bodies', async t => {
  const { app, port } = await listen(t)
  const silent = open(t, port)
  const headers = open(t, port, 'GET /health HTTP/1.1\r\nHost: x\r\nX-Slow: ')
  const body = open(t, port, 'POST /health HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n')
  const drip = setInterval(() => { for (const { socket } of [headers, body]) socket.write('a') }, 200)
  t.teardown(() => clearInterval(drip))
  for (const { closed, text } of [silent, headers]) {
    const { ms, steady } = await closed
    t.ok(ms > 4_000 && steady < 40_000, `${ms} ms: Node itself would take a minute`)
    t.match(text(), /^HTTP\/1.1 408 Request Timeout.*\{"error":"Request timed out"\}$/s)
  }
  const { ms, steady } = await body.closed
  t.ok(ms > 9_000 && steady < 45_000, `${ms} ms`)
  t.match(
    body.text(),
    /^HTTP\/1.1 405 Method Not Allowed.*\{"error":"Method not allowed: only GET, HEAD and OPTIONS"\}$/s,
    'one answer, not two'
  )
  await until('all are forgotten', () => app.connections.count() === 0)
})

test('too many connections: the one that has waited longest goes, not the newcomer', async t => {
  const { app, port } = await listen(t, {}, { mostConnections: 50 })
  const slow = Array.from({ length: 120 }, () => open(t, port, 'GET /health HTTP/1.1\r\nX-'))
  await until('70 are gone', () => slow.filter(({ socket }) => socket.closed).length === 70)
  t.equal(app.connections.count(), 50)
  for (let i = 0; i < 20; i++) {
    t.match(await (await fetch(`http://127.0.0.1:${port}/health`)).json(), { status: 'healthy' })
  }
  t.equal(app.connections.count(), 50)
  for (const { socket } of slow) socket.destroy()
  await until('all but those that fetch keeps are forgotten', () => app.connections.count() <= 5)
})

test('while it closes, answers that are on their way are sent to the end', async t => {
  const { app, port } = await listen(t, {}, { pace: { grace: 600_000, rate: 1, most: 600_000 } })
  const path = '/documentation/static/swagger-ui-bundle.js'
  const payload = (await app.inject(path)).rawPayload.toString('latin1')
  // more than the system takes for a client who does not read
  const ANSWERS = 16
  const answers: ServerResponse[] = []
  app.server.on('request', (_, answer) => answers.push(answer))
  const slow = open(t, port, `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`.repeat(ANSWERS))
  slow.socket.pause()
  await until('all are on their way', () => answers.filter(({ headersSent }) => headersSent).length === ANSWERS)
  const closing = app.close()
  slow.socket.resume()
  await slow.closed
  t.equal(slow.text().split(payload).length - 1, ANSWERS)
  await closing
})

test('while it closes, open connections get 503 and are closed', async t => {
  const { app, port, node, ledger } = await listen(t)
  const mint = ledger.mint()
  await until('the head is followed', () => (node.calls.getSignaturesForAddress ?? 0) > 0)
  node.latencyMs = 400
  const before = node.calls.getMultipleAccounts ?? 0
  const idle = open(t, port, 'GET /health HTTP/1.1\r\nHost: x\r\n\r\n')
  const working = open(t, port, `GET /api/supply/${mint.address}/total HTTP/1.1\r\nHost: x\r\n\r\n`)
  await until('it is served', () => idle.text().includes('healthy'))
  await until('the supply is being read', () => (node.calls.getMultipleAccounts ?? 0) > before)
  const closing = app.close()
  working.socket.write('GET /health HTTP/1.1\r\nHost: x\r\n\r\n')
  await once(idle.socket, 'close')
  await working.closed
  t.match(working.text(), /^HTTP\/1.1 200 OK/)
  await closing
})
