import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { test } from 'tap'
import { createEventStream, type EventStream } from '../../../lib/http/event-stream.js'

test('a client who reads nothing is let go with no more than a megabyte of his', async t => {
  const streams: EventStream[] = []
  const server = createServer(
    (_request, response) => { streams.push(createEventStream(response)) }
  ).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1')
  t.teardown(() => { client.destroy(); server.close() })
  client.on('error', () => {}).write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n')
  client.pause()
  const [, response] = await once(server, 'request')
  const [stream] = streams
  let written = 0
  while (stream!.isOpen && written < 50_000_000) {
    stream!.write(`data: ${'x'.repeat(100_000)}\n\n`)
    written += 100_000
    await new Promise(resolve => setImmediate(resolve))
  }
  t.notOk(stream!.isOpen)
  t.ok(response.writableLength < 1_300_000, `${response.writableLength} bytes`)
  await stream!.drained()
  if (!response.destroyed) await once(response, 'close')
})

test('who reads gets everything, and why it ends', async t => {
  const server = createServer((_request, response) => {
    const stream = createEventStream(response)
    const write = async () => {
      for (let i = 0; i < 50; i++) {
        stream.write(`data: ${'x'.repeat(200_000)}\n\n`)
        await stream.drained()
      }
      stream.end('enough', 7)
    }
    write().catch(t.threw)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => { server.close() })
  const text = await (await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)).text()
  t.ok(text.startsWith('retry: 3000\n\ndata: xxx'))
  t.equal(text.split('data: x').length, 51)
  t.ok(text.endsWith('\n\nretry: 7\nevent: end\ndata: {"error":"enough"}\n\n'))
})
