/** The network of a world: fetch over the simulated nodes, with latency, hanging, breaking, and nobody there. */
import type { NodeService } from '../../../simulator/service.js'

export interface Host {
  service: NodeService
  /** Of an answer, ms. */
  latencyMs: number
  /** Nobody listens. */
  down: boolean
}

export interface Network {
  fetch: typeof globalThis.fetch
  hosts: Map<string, Host>
  /** Requests on their way. */
  open (): number
}

const refused = () => new TypeError('fetch failed', { cause: Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' }) })
const reset = () => new TypeError('terminated', { cause: Object.assign(new Error('other side closed'), { code: 'UND_ERR_SOCKET' }) })

/** As much of a Response as the service takes of a 200, whole and at once: the platform's, with its stream, costs more than all else on the way. */
function whole (text: string, headers: Record<string, string>): Response {
  async function * parts () { yield Buffer.from(text) }
  return { status: 200, headers: new Headers(headers), body: Object.assign(parts(), { cancel: async () => {} }) } as unknown as Response
}

export function createNetwork (random: () => number): Network {
  const hosts = new Map<string, Host>()
  let open = 0

  /** A body that ends in the middle. */
  const broken = (text: string) => new ReadableStream({
    start (controller) {
      controller.enqueue(new TextEncoder().encode(text.slice(0, text.length >> 1)))
    },
    pull (controller) { controller.error(reset()) }
  })

  async function answer (input: Parameters<typeof fetch>[0], init: RequestInit | undefined): Promise<Response> {
    const { host } = new URL(input instanceof Request ? input.url : String(input))
    const found = hosts.get(host)
    const signal = init?.signal ?? undefined
    signal?.throwIfAborted()
    const wait = async (ms: number) => await new Promise<void>((resolve, reject) => {
      const abort = () => { clearTimeout(timer); reject(signal!.reason) }
      const timer = setTimeout(() => { signal?.removeEventListener('abort', abort); resolve() }, ms)
      signal?.addEventListener('abort', abort, { once: true })
    })
    if (found === undefined || found.down) {
      await wait(2)
      throw refused()
    }
    await wait(found.latencyMs * (0.5 + random() / 2))
    if (found.down) throw refused()
    const reply = found.service.answer(String(init?.body ?? ''))
    await wait(found.latencyMs * 0.3)
    switch (reply.kind) {
      case 'reply': return reply.status === 200 ? whole(reply.body, reply.headers) : new Response(reply.body, { status: reply.status, headers: reply.headers })
      case 'refuse': throw refused()
      case 'reset': return new Response(broken(reply.body), { status: 200, headers: { 'content-type': 'application/json' } })
      case 'drip': await wait(reply.everyMs * reply.body.length); return new Response(reply.body, { status: 200, headers: { 'content-type': 'application/json' } })
      case 'hang':
      case 'oversize': await wait(3_600_000); throw reset()
    }
  }

  return {
    hosts,
    open: () => open,
    async fetch (input, init) {
      open++
      try {
        return await answer(input, init)
      } finally {
        open--
      }
    }
  }
}
