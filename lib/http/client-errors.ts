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
    'access-control-allow-origin': '*',
    'x-content-type-options': 'nosniff',
    connection: 'close'
  }
  return { headers, body }
}

/** The latest answer of a connection: it may have been given before the body, which is late or broken. */
const latest = new WeakMap<Socket, ServerResponse>()

/** Must be told of every request, for `answerClientError`. */
export function noteRequests (server: Server): void {
  server.on('request', ({ socket }: IncomingMessage, response: ServerResponse) => { latest.set(socket, response) })
}

/** By the platform's code of an error; 400 where there is none. */
const STATUSES: Record<string, keyof typeof MESSAGES> = { ERR_HTTP_REQUEST_TIMEOUT: 408, HPE_HEADER_OVERFLOW: 431 }

/** Answers where nothing has been answered yet, and ends the connection, after the answer that is in work. */
export function answerClientError (error: Error & { code?: string }, socket: Socket): void {
  const response = latest.get(socket)
  // another one would be taken for the next request's
  const answered = response?.headersSent === true && !response.req.complete
  if (error.code === 'ECONNRESET' || !socket.writable || answered) {
    socket.destroy()
    return
  }
  // or for that of the request before, which is in work
  if (response?.req.complete === true && !response.writableEnded) {
    response.shouldKeepAlive = false
    return
  }
  const status = STATUSES[error.code ?? ''] ?? 400
  const { headers, body } = refusalOf(status)
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  socket.end([`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines, '', body].join('\r\n'))
  socket.destroySoon()
}
