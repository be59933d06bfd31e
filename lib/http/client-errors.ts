import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'

/** Answers to what is no HTTP, too much of it, or too slow: such requests never reach the application. */

const MESSAGES = {
  400: 'Bad request',
  408: 'Request timed out',
  431: 'Request header fields too large'
} as const

/** An answer in the words of the contract, after which the connection ends. */
export function refusalOf (status: keyof typeof MESSAGES) {
  const body = JSON.stringify({ error: MESSAGES[status] })
  const headers = {
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(body.length),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    connection: 'close'
  }
  return { headers, body }
}

/** The latest answer of a connection: who sends a body that is late or broken may have been answered before it. */
const latest = new WeakMap<Socket, ServerResponse>()

/** Must be told of every request, for `answerClientError`. */
export function noteRequests (server: Server): void {
  server.on('request', ({ socket }: IncomingMessage, response: ServerResponse) => { latest.set(socket, response) })
}

function statusOf (code: string | undefined): keyof typeof MESSAGES {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return 408
  return code === 'HPE_HEADER_OVERFLOW' ? 431 : 400
}

/** Answers where nothing has been answered yet, and ends the connection: after the answer that is in work. */
export function answerClientError (error: Error & { code?: string }, socket: Socket): void {
  const response = latest.get(socket)
  // another answer to the same request would be taken for the next one's
  const answered = response?.headersSent === true && !response.req.complete
  if (error.code === 'ECONNRESET' || !socket.writable || answered) {
    socket.destroy()
    return
  }
  // it would be taken for the answer to the request before it, which is in work
  if (response?.req.complete === true && !response.writableEnded) {
    response.shouldKeepAlive = false
    return
  }
  const status = statusOf(error.code)
  const { headers, body } = refusalOf(status)
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  socket.end([`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines, '', body].join('\r\n'))
  socket.destroySoon()
}
