import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { test } from 'tap'
import { answerClientError, noteRequests } from '../../../lib/http/client-errors.js'

test('what is no HTTP, behind a request that is in work, takes its answer from nobody', async t => {
  const server = createServer((_request, response) => { setTimeout(50).then(() => response.end('whole'), t.threw) })
  noteRequests(server)
  server.on('clientError', answerClientError)
  await once(server.listen(0, '127.0.0.1'), 'listening')
  t.teardown(() => server.close())
  const ask = async (text: string): Promise<string> => {
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1').setEncoding('utf8')
    let got = ''
    socket.on('data', data => { got += String(data) }).write(text)
    await once(socket, 'close')
    return got
  }
  const both = await ask('GET / HTTP/1.1\r\nHost: x\r\n\r\nGARBAGE\r\n\r\n')
  t.match(both, /^HTTP\/1.1 200 .*connection: close.*whole/is)
  t.notMatch(both, '400')
  t.match(await ask('GARBAGE\r\n\r\n'), /^HTTP\/1.1 400 /)
})
