import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { systemClock } from '../clock.js'

/** Keeping the number of connections bounded, at the cost of those who hold one and do not use it. */

export interface Connections {
  /** Connections that are open. */
  count (): number
  /** Ends those that have no request in work: idle ones, and ones whose request has not arrived as a whole. */
  closeIdle (): void
}

export interface ConnectionOptions {
  /** Most that are open at once. */
  most: number
  /** A request is not in work for longer than this, ms: an answer that is not away by then waits for a client who does not read it. */
  patience: number
}

/**
 * Watches the connections of `server`. When one too many comes, the one that has waited longest without a request is ended, then
 * the one whose answer has taken longest, if that is longer than `patience`; only when all are in good use does the newcomer go.
 * The platform's own limit turns newcomers away, so that whoever opens enough slow connections locks everybody out.
 */
export function watchConnections (server: Server, { most, patience }: ConnectionOptions): Connections {
  // both in the order in which their members entered
  const waiting = new Set<Socket>()
  const working = new Map<Socket, number>()

  function makeRoom (newcomer: Socket): void {
    const [idle] = waiting
    const [busy] = working
    if (idle !== undefined) idle.destroy()
    else if (busy !== undefined && systemClock.now() - busy[1] > patience) busy[0].destroy()
    else newcomer.destroy()
  }

  server.on('connection', (socket: Socket) => {
    if (waiting.size + working.size >= most) makeRoom(socket)
    if (socket.destroyed) return
    waiting.add(socket)
    socket.once('close', () => {
      waiting.delete(socket)
      working.delete(socket)
    })
  })

  server.on('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    waiting.delete(socket)
    working.set(socket, systemClock.now())
    response.once('close', () => {
      if (working.delete(socket) && !socket.destroyed) waiting.add(socket)
    })
  })

  return {
    count: () => waiting.size + working.size,
    closeIdle () {
      for (const socket of waiting) socket.destroy()
    }
  }
}
