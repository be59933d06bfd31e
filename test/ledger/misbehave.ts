/** The faults of a whole request. */
import { type IncomingMessage, type ServerResponse } from 'node:http'
import { type ActiveFault } from './faults.js'

interface Exchange {
  /** The genuine answers, one per call. */
  texts: string[]
  isBatch: boolean
  ids: unknown[]
  request: IncomingMessage
  response: ServerResponse
}

const JSON_TYPE = { 'content-type': 'application/json' }

/** @returns whether the request has been dealt with; otherwise `texts` may have been changed and are to be sent. */
export function misbehave ({ kind, value }: ActiveFault, { texts, isBatch, ids, request, response }: Exchange): boolean {
  const text = isBatch ? `[${texts.join()}]` : texts[0]!
  const number = (fallback: number) => value === undefined ? fallback : Number(value)
  switch (kind) {
    case 'refuse':
      request.socket.destroy()
      return true
    case 'reset':
      response.writeHead(200, { ...JSON_TYPE, 'content-length': Buffer.byteLength(text) })
      response.write(text.slice(0, text.length >> 1), () => request.socket.destroy())
      return true
    case 'hang':
      return true
    case 'drip':
      drip(response, Buffer.from(text), number(50))
      return true
    case 'status':
      response.writeHead(number(500), { 'content-type': 'text/plain' }).end('the node is not well')
      return true
    case 'rate-limit':
      response.writeHead(429, value === undefined ? JSON_TYPE : { ...JSON_TYPE, 'retry-after': String(value) })
        .end(JSON.stringify({ jsonrpc: '2.0', error: { code: 429, message: 'Too many requests for a specific RPC call' }, id: ids[0] ?? null }))
      return true
    case 'html':
      response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><html><head><title>Welcome</title></head><body>nginx</body></html>')
      return true
    case 'truncated':
      response.writeHead(200, JSON_TYPE).end(text.slice(0, text.length >> 1))
      return true
    case 'oversize':
      oversize(response, number(64 * 2 ** 20))
      return true
    case 'batch-partial': {
      const at = Math.min(number(1), texts.length - 1)
      texts[at] = JSON.stringify({ jsonrpc: '2.0', error: { code: -32005, message: 'Node is behind by 42 slots' }, id: ids[at] ?? null })
      return false
    }
    case 'batch-missing':
      texts.splice(Math.min(number(1), texts.length - 1), 1)
      return false
    case 'batch-shuffled':
      texts.reverse()
      return false
    default:
      return false
  }
}

function drip (response: ServerResponse, bytes: Buffer, everyMs: number): void {
  response.writeHead(200, { ...JSON_TYPE, 'content-length': bytes.length })
  let at = 0
  const timer = setInterval(() => {
    response.write(bytes.subarray(at, at + 1))
    if (++at === bytes.length) response.end()
  }, everyMs)
  response.on('close', () => clearInterval(timer))
}

/** One string that never seems to end; stops when the reader goes away. */
function oversize (response: ServerResponse, size: number): void {
  const chunk = Buffer.alloc(65536, 'x')
  let left = size
  response.writeHead(200, JSON_TYPE)
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
