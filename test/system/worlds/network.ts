/** The network of a world: connections to the simulated nodes, with latency, hanging, breaking, and nobody there. */
import type { Answer, Body, Connections } from '../../../lib/chain/json-rpc.js'
import type { NodeService } from '../../../simulator/service.js'

export interface Host {
  service: NodeService
  /** Of an answer, ms. */
  latencyMs: number
  /** Nobody listens. */
  down: boolean
}

export interface Network extends Connections {
  hosts: Map<string, Host>
  /** Requests on their way. */
  open (): number
}

const failed = (code: string) => Object.assign(new Error(code), { code })

/** The parts that are given, and then the end, or what breaks it off. */
function bodyOf (parts: string[], broken?: Error): Body {
  async function * read () {
    for (const part of parts) yield Buffer.from(part)
    if (broken !== undefined) throw broken
  }
  return Object.assign(read(), { destroy: () => {} })
}

export function createNetwork (random: () => number): Network {
  const hosts = new Map<string, Host>()
  let open = 0

  async function answer ({ host }: URL, body: string, signal: AbortSignal): Promise<Answer> {
    const found = hosts.get(host)
    signal.throwIfAborted()
    const wait = async (ms: number) => await new Promise<void>((resolve, reject) => {
      const abort = () => { clearTimeout(timer); reject(signal.reason) }
      const timer = setTimeout(() => { signal.removeEventListener('abort', abort); resolve() }, ms)
      signal.addEventListener('abort', abort, { once: true })
    })
    if (found === undefined || found.down) {
      await wait(2)
      throw failed('ECONNREFUSED')
    }
    await wait(found.latencyMs * (0.5 + random() / 2))
    if (found.down) throw failed('ECONNREFUSED')
    const reply = found.service.answer(body)
    await wait(found.latencyMs * 0.3)
    switch (reply.kind) {
      case 'reply': return { status: reply.status, headers: reply.headers, body: bodyOf([reply.body]) }
      case 'refuse': throw failed('ECONNREFUSED')
      // a body that ends in the middle
      case 'reset': return {
        status: 200,
        headers: reply.headers,
        body: bodyOf([reply.body.slice(0, reply.body.length >> 1)], failed('ECONNRESET'))
      }
      case 'drip': await wait(reply.everyMs * reply.body.length); return {
        status: 200, headers: reply.headers, body: bodyOf([reply.body])
      }
      case 'hang':
      case 'oversize': await wait(3_600_000); throw failed('ECONNRESET')
    }
  }

  return {
    hosts,
    open: () => open,
    async post (url, text, signal) {
      open++
      try {
        return await answer(url, text, signal)
      } finally {
        open--
      }
    },
    close () {}
  }
}
