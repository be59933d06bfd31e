/** Replies, and how they go over HTTP with what breaks on the way. */
import { type IncomingMessage, type ServerResponse } from 'node:http'
import { type RpcError } from './rpc-error.js'

type Headers = Record<string, string>

/** What happens to a request; the last two are no answers. */
export type Reply =
  | { kind: 'reply', status: number, headers: Headers, body: string }
  | { kind: 'reset', headers: Headers, body: string }
  | { kind: 'drip', headers: Headers, body: string, everyMs: number }
  | { kind: 'oversize', headers: Headers, size: number }
  | { kind: 'refuse' }
  | { kind: 'hang' }

export const JSON_TYPE = { 'content-type': 'application/json' }

export const reply = (body: string, status = 200, headers: Headers = {}): Reply & { kind: 'reply' } =>
  ({ kind: 'reply', status, headers: { ...JSON_TYPE, ...headers }, body })

export const errorText = (id: unknown, { code, message, data }: Pick<RpcError, 'code' | 'message' | 'data'>): string =>
  JSON.stringify({ jsonrpc: '2.0', error: { code, message, data }, id: id ?? null })

/** `retryAfter`: null where the header is missing. */
export const tooMany = (id: unknown, retryAfter: unknown, headers: Headers = {}) => reply(
  errorText(id, { code: 429, message: 'Too many requests for a specific RPC call', data: undefined }), 429,
  { ...headers, ...retryAfter !== null && { 'retry-after': String(retryAfter) } }
)

/** Its `Date` is the simulated one, or none. */
export function sendReply (reply: Reply, request: IncomingMessage, response: ServerResponse): void {
  response.sendDate = false
  switch (reply.kind) {
    case 'reply': {
      const { status, headers, body } = reply
      response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) }).end(body)
      return
    }
    case 'refuse':
      request.socket.destroy()
      return
    case 'reset':
      response.writeHead(200, { ...reply.headers, 'content-length': Buffer.byteLength(reply.body) })
      response.write(reply.body.slice(0, reply.body.length >> 1), () => request.socket.destroy())
      return
    case 'drip':
      drip(response, reply.headers, Buffer.from(reply.body), reply.everyMs)
      return
    case 'oversize':
      oversize(response, reply.headers, reply.size)
    // of `hang` nothing is sent, ever
  }
}

function drip (response: ServerResponse, headers: Headers, bytes: Buffer, everyMs: number): void {
  response.writeHead(200, { ...headers, 'content-length': bytes.length })
  let at = 0
  const timer = setInterval(() => {
    response.write(bytes.subarray(at, at + 1))
    if (++at === bytes.length) response.end()
  }, everyMs)
  response.on('close', () => clearInterval(timer))
}

/** One string that never seems to end; stops when the reader goes away. */
function oversize (response: ServerResponse, headers: Headers, size: number): void {
  const chunk = Buffer.alloc(65536, 'x')
  let left = size
  response.writeHead(200, headers)
  response.write('{"jsonrpc":"2.0","result":"')
  const write = (): void => {
    while (left > 0 && !response.destroyed) {
      left -= chunk.length
      if (!response.write(chunk)) {
        response.once('drain', write)
        return
      }
    }
    if (!response.destroyed) response.end('","id":1}')
  }
  write()
}
