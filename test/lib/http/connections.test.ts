import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { Readable } from 'node:stream'
import { test, type Test } from 'tap'
import { type Pace, watchConnections } from '../../../lib/http/connections.js'
import { until } from '../../support/until.js'

const PART = Buffer.alloc(2 ** 16, '0')
/** More than the network holds between two sockets of one machine. */
const PARTS = 512

/** A server of one long answer, made as it is taken: `made` counts its parts. */
async function serve (t: Test, pace: Pace) {
  const made = { parts: 0 }
  const server = createServer((_request, response) => {
    function * parts () {
      for (let at = 0; at < PARTS; at++) {
        made.parts++
        yield PART
      }
    }
    Readable.from(parts(), { objectMode: true, highWaterMark: 1 }).pipe(response)
  })
  const connections = watchConnections(server, { most: 100, patience: 60_000, pace })
  t.teardown(() => { connections.stop(); server.closeAllConnections(); server.close() })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const ask = () => {
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1').on('error', () => {})
    t.teardown(() => socket.destroy())
    socket.write('GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
    return socket
  }
  return { connections, made, ask }
}

test(
  'who takes an answer byte by byte is cut off, and no more of it is made than was taken and the network holds',
  async t => {
    const { connections, made, ask } = await serve(t, { grace: 500, rate: 50_000_000, most: 60_000 })
    const socket = ask()
    await once(socket, 'readable')
    const taking = setInterval(() => socket.read(512), 20)
    t.teardown(() => clearInterval(taking))
    await until('it is cut off', () => connections.count() === 0)
    t.ok(made.parts < PARTS, `${made.parts} of ${PARTS} parts were made`)
  }
)

test('who takes it fast enough gets the whole of it', async t => {
  const { connections, ask } = await serve(t, { grace: 500, rate: 100_000, most: 60_000 })
  const socket = ask()
  let bytes = 0
  // some 12 MB a second, on a busy machine a few
  socket.on('data', chunk => {
    bytes += chunk.length
    socket.pause()
    setTimeout(() => socket.resume(), chunk.length / 12_000)
  })
  await once(socket, 'close')
  t.ok(bytes > PARTS * PART.length, `${bytes} bytes`)
  t.equal(connections.count(), 0)
})

test('no answer takes longer than it may, at whatever pace', async t => {
  const { connections, made, ask } = await serve(t, { grace: 60_000, rate: 0, most: 1_500 })
  const begun = performance.now()
  const socket = ask()
  socket.on('data', () => {
    socket.pause()
    setTimeout(() => socket.resume(), 100)
  })
  await once(socket, 'data')
  await until('it is cut off', () => connections.count() === 0)
  const ms = Math.round(performance.now() - begun)
  t.ok(made.parts < PARTS && ms > 1_000, `${made.parts} parts in ${ms} ms`)
})

test('a connection that pipelines more than a thousand requests is ended, and leaves nothing behind', async t => {
  const answers: ServerResponse[] = []
  const server = createServer((_request, response) => { answers.push(response) })
  const connections = watchConnections(
    server, { most: 100, patience: 60_000, pace: { grace: 60_000, rate: 1, most: 60_000 } }
  )
  t.teardown(() => { connections.stop(); server.closeAllConnections(); server.close() })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  let closed = 0
  server.on('request', (_request, response: ServerResponse) => response.once('close', () => { closed++ }))
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1').on('error', () => {})
  const request = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n'
  socket.write(request.repeat(1_000))
  await until('a thousand wait', () => answers.length === 1_000)
  t.same([connections.count(), closed], [1, 0])
  socket.write(request)
  await until('it is ended', () => connections.count() === 0)
  t.ok(answers.length > 1_000)
  t.equal(closed, answers.length, 'each is told, those behind the first, too')
})
