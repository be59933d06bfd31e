import type { ServerResponse } from 'node:http'
import { systemClock } from '../clock.js'

/** Server-sent events on one connection (WHATWG HTML, 9.2). */
export type EventStream = ReturnType<typeof createEventStream>

/** Bytes that may wait for a client who reads slowly. */
const MAX_WAITING = 2 ** 20
/** After which a client whose connection broke reconnects, ms. */
const RETRY_MS = 3_000
/** For the last event to be sent, ms. */
const LAST_WORDS_MS = 1_000

/** An event in the wire format (WHATWG HTML, 9.2.6). */
export const message = (event: string, data: object, id?: string) =>
  `${id === undefined ? '' : `id: ${id}\n`}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`

/** Begins an answer of events, whose headers have been sent. A client that lets 1 MB wait is told so and dropped. */
export function createEventStream (response: ServerResponse) {
  let isOpen = !response.closed && !response.req.socket.destroyed
  response.on('close', () => { isOpen = false })
  response.write(`retry: ${RETRY_MS}\n\n`)

  function end (reason: string, retryMs: number): void {
    if (!isOpen) return
    isOpen = false
    response.end(`retry: ${retryMs}\n${message('end', { error: reason })}`)
    systemClock.after(LAST_WORDS_MS, () => response.destroy())
  }

  return {
    write (text: string): void {
      if (!isOpen) return
      response.write(text)
      if (response.writableLength > MAX_WAITING) end('too much is waiting to be read', RETRY_MS)
    },
    /** Resolves once what was written has been taken, or the client has gone. */
    async drained (): Promise<void> {
      if (isOpen && response.writableNeedDrain) {
        await new Promise<void>(resolve => {
          function taken (): void {
            response.off('drain', taken).off('close', taken)
            resolve()
          }
          response.on('drain', taken).on('close', taken)
        })
      }
    },
    get isOpen () { return isOpen },
    /** Ends it with a sentence; the client reconnects after `retryMs`. */
    end
  }
}
