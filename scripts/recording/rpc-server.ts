import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { RpcCall, RpcReply } from './recording.js'

export interface RpcServerOptions {
  /** The replies to the calls of one request, in their order; a rejection becomes status 502. */
  answer: (calls: readonly RpcCall[]) => Promise<RpcReply[]>
  /** The time of `Date`, Unix ms; default: this machine's. */
  now?: () => number
  /** 0: any free port. */
  port?: number
}

interface Message extends RpcCall { id: unknown }

export const METHOD_NOT_FOUND = -32_601
const HOST = '127.0.0.1'
const MAX_BYTES = 1024 ** 2

/** A JSON-RPC server over HTTP, single calls and batches. */
export async function startRpcServer (
  { answer, now = Date.now, port = 0 }: RpcServerOptions
): Promise<{ url: string, close (): Promise<void> }> {
  async function reply (body: string): Promise<string> {
    const parsed = JSON.parse(body) as Message | Message[]
    const messages = [parsed].flat()
    const replies = await answer(messages.map(({ method, params }) => ({ method, params: params ?? [] })))
    const answers = replies.map((result, i) => ({ jsonrpc: '2.0', id: messages[i]!.id, ...result }))
    return JSON.stringify(Array.isArray(parsed) ? answers : answers[0])
  }

  const server = createServer((request, response) => {
    response.setHeader('date', new Date(now()).toUTCString())
    const chunks: Buffer[] = []
    let size = 0
    request.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size > MAX_BYTES) request.destroy()
      else chunks.push(chunk)
    })
    request.on('end', () => {
      reply(Buffer.concat(chunks).toString()).then(
        text => response.writeHead(200, { 'content-type': 'application/json' }).end(text),
        (error: unknown) => response.writeHead(error instanceof SyntaxError ? 400 : 502).end(String(error)))
    })
  })
  // pooled connections of a client that pauses must not be closed under it
  server.keepAliveTimeout = 60_000
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, HOST, resolve))
  return {
    url: `http://${HOST}:${(server.address() as AddressInfo).port}`,
    close: () => new Promise(resolve => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
  }
}
