/**
 * Connections to the nodes, kept between requests, over the platform's own HTTP client: its `fetch` takes three times the CPU for a first list of
 * DAOs, most of it in loading and compiling what it needs, and holds on to closed clients until they are collected.
 */
import { Agent, type IncomingHttpHeaders, request as requestPlain } from 'node:http'
import { Agent as SecureAgent, request as requestSecure } from 'node:https'
import { pipeline } from 'node:stream'
import { createBrotliDecompress, createGunzip } from 'node:zlib'

/** Unpacked bytes as they come; whoever leaves before the end ends the download. */
export interface Body extends AsyncIterable<Uint8Array> {
  destroy (): void
}

export interface Answer {
  status: number
  /** Names in lower case. */
  headers: IncomingHttpHeaders
  /** To be read or destroyed. */
  body: Body
}

export interface Question {
  headers: Readonly<Record<string, string>>
  body: string
  /** Ends it at any time, the body included. */
  signal: AbortSignal
}

export interface Connections {
  /**
   * The node's answer, once its headers are there. Redirects are answers too: followed, one would carry the key and the request to a host that nobody
   * chose. Throws the platform's error where there is none.
   */
  post: (url: URL, question: Question) => Promise<Answer>
  /** Ends all connections. */
  close: () => void
}

// Shorter than what nodes and those in front of them wait before they close a connection that lies idle; where they say how long, that holds.
const IDLE_MS = 4_000
const PACKED = { gzip: createGunzip, br: createBrotliDecompress }
const ENCODINGS = Object.keys(PACKED).join()
const isPacked = (encoding: string): encoding is keyof typeof PACKED => Object.hasOwn(PACKED, encoding)

/** Connections of one client, to any number of nodes. */
export function createConnections (): Connections {
  const kept = { keepAlive: true, timeout: IDLE_MS }
  const plain = new Agent(kept)
  const secure = new SecureAgent(kept)

  return {
    post: (url, { headers, body, signal }) => new Promise((resolve, reject) => {
      const options = { method: 'POST', headers: { ...headers, 'accept-encoding': ENCODINGS }, signal }
      const request = url.protocol === 'https:' ? requestSecure(url, { ...options, agent: secure }) : requestPlain(url, { ...options, agent: plain })
      request.on('error', reject)
      request.on('response', response => {
        const { statusCode: status = 0, headers } = response
        const encoding = headers['content-encoding']?.toLowerCase() ?? ''
        // what goes wrong on the way is thrown where the body is read
        const body = isPacked(encoding) ? pipeline(response, PACKED[encoding](), () => {}) : response
        resolve({ status, headers, body })
      })
      request.end(body)
    }),

    close () {
      plain.destroy()
      secure.destroy()
    }
  }
}
