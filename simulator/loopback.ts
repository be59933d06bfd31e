/** What takes questions over HTTP on this machine alone. */
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

const HOST = '127.0.0.1'
const MAX_BYTES = 1024 ** 2

/** The connection of a longer body is cut. `port` 0: any free one. */
export async function serveLoopback (
  answer: (body: string, response: ServerResponse) => Promise<unknown>, port = 0
): Promise<{ url: string, close (): Promise<void> }> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    let size = 0
    request.on('data', (chunk: Buffer) => {
      chunks.push(chunk)
      size += chunk.length
      if (size > MAX_BYTES) request.destroy()
    }).on('end', () => answer(Buffer.concat(chunks).toString(), response))
  })
  // pooled connections of a client that pauses must not be closed under it
  server.keepAliveTimeout = 60_000
  await once(server.listen(port, HOST), 'listening')
  return {
    url: `http://${HOST}:${(server.address() as AddressInfo).port}`,
    async close () {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    }
  }
}
