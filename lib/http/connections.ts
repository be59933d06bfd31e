import { existsSync, readFileSync } from 'node:fs'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { systemClock } from '../clock.js'

const LIMITS = '/proc/self/limits'

/** Most open files of a process, by the text of its /proc/self/limits (proc(5)); Infinity where it names none. */
export const openFilesIn = (limits: string) => Number(/^Max open files\s+(\d+)/m.exec(limits)?.[1] ?? Infinity)

/** The same of this process; Infinity where the system does not tell. */
export const mostOpenFiles = () => existsSync(LIMITS) ? openFilesIn(readFileSync(LIMITS, 'utf8')) : Infinity

/** How many of `wanted` connections may be open at once: the rest is for the store, the nodes and the log. */
export const connectionsWithin = (openFiles: number, wanted: number) =>
  Math.max(1, Math.min(wanted, Math.floor(openFiles * 3 / 4) - 32))

export type Connections = ReturnType<typeof watchConnections>

export interface Pace {
  /** Ms from the first byte on for which any rate will do. */
  grace: number
  /** Bytes a second from then on. */
  rate: number
  /** Longest that an answer may take from its first byte on, ms. */
  most: number
}

interface ConnectionOptions {
  /** Most that are open at once. */
  most: number
  /** After so long, ms, an unfinished answer is taken to wait for a client who does not read it. */
  patience: number
  pace: Pace
}

/** Pipelined requests of a connection that are not answered yet: each takes some 6 kB. */
const MAX_PIPELINED = 1_000
/** Between two looks at the answers that are on their way, ms. */
const LOOK = 1_000

interface Answer {
  socket: Socket
  /** When its request came, ms. */
  at: number
  /** Its first byte, once it is seen to have begun: when, ms, and what the connection had been given before, bytes. */
  begun: { at: number, bytes: number } | undefined
}

/**
 * Bounds the connections of `server`. When one too many comes, the one that has waited longest without a request ends,
 * else the one whose answer has taken longest, if longer than `patience`, else the newcomer: by the platform's limit
 * slow ones could lock everybody out. Who takes an answer more slowly than `pace` is ended too; what has been handed to
 * the connection counts as taken.
 */
export function watchConnections (server: Server, { most, patience, pace }: ConnectionOptions) {
  /** Each with the answers that it waits for. */
  const open = new Map<Socket, Set<ServerResponse>>()
  // both in the order in which their members entered
  const waiting = new Set<Socket>()
  /** But for those that are held to no pace. */
  const answers = new Map<ServerResponse, Answer>()
  let isClosing = false

  function makeRoom (newcomer: Socket): void {
    const [[idle], [busy]] = [waiting, answers.values()]
    const isLate = busy !== undefined && systemClock.now() - busy.at > patience
    const leaves = idle ?? (isLate ? busy.socket : newcomer)
    leaves.destroy()
  }

  function isTooSlow ({ socket, begun }: Answer, now: number): boolean {
    if (begun === undefined) return false
    const [since, given] = [now - begun.at, socket.bytesWritten - begun.bytes]
    return since > pace.most || (socket.writableLength > 0 && given < (since - pace.grace) / 1000 * pace.rate)
  }

  function look (): void {
    const now = systemClock.now()
    for (const [response, answer] of answers) {
      // one that waits for others of its connection has no socket yet
      if (response.headersSent && response.socket !== null) {
        answer.begun ??= { at: now, bytes: answer.socket.bytesWritten - answer.socket.writableLength }
      }
      if (isTooSlow(answer, now)) answer.socket.destroy()
    }
    cancel = systemClock.after(LOOK, look)
  }
  let cancel = systemClock.after(LOOK, look)

  server.on('connection', (socket: Socket) => {
    if (open.size >= most) makeRoom(socket)
    if (socket.destroyed) return
    const pipelined = new Set<ServerResponse>()
    open.set(socket, pipelined)
    waiting.add(socket)
    socket.once('close', () => {
      open.delete(socket)
      waiting.delete(socket)
      // the platform tells the answer that is being sent, and none of those that wait behind it
      for (const response of pipelined) if (response.socket === null) response.emit('close')
    })
  })

  server.on('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    waiting.delete(socket)
    const pipelined = open.get(socket) ?? new Set()
    answers.set(response, { socket, at: systemClock.now(), begun: undefined })
    response.on('close', () => {
      answers.delete(response)
      pipelined.delete(response)
      if (pipelined.size > 0 || socket.destroyed) return
      if (isClosing) socket.destroySoon()
      else waiting.add(socket)
    })
    if (pipelined.add(response).size > MAX_PIPELINED) socket.destroy()
  })

  // called by `close()`: a connection without a request in work, or with a partial one, ends at once, others once they
  // have none, which their answers say; the platform's own would end one whose answer waits to be sent
  server.closeIdleConnections = () => {
    isClosing = true
    for (const socket of waiting) socket.destroy()
    for (const response of answers.keys()) response.shouldKeepAlive = false
  }

  return {
    count: () => open.size,
    /** Exempts an endless answer from the pace: its sender bounds what waits. */
    leave: (response: ServerResponse) => { answers.delete(response) },
    /** Stops holding answers to their pace. */
    stop: () => cancel()
  }
}
