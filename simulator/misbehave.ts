/** The faults of a whole request. */
import { type ActiveFault } from './faults.js'
import { type Reply } from './service.js'

export interface Exchange {
  /** The genuine answers, one per call. */
  texts: string[]
  isBatch: boolean
  ids: unknown[]
}

const JSON_TYPE = { 'content-type': 'application/json' }

/** @returns what is sent instead; undefined: `texts`, which may have been changed. */
export function misbehave ({ kind, value }: ActiveFault, { texts, isBatch, ids }: Exchange): Reply | undefined {
  const body = isBatch ? `[${texts.join()}]` : texts[0]!
  const number = (fallback: number) => value === undefined ? fallback : Number(value)
  const reply = (
    status: number, headers: Record<string, string>, text: string
  ): Reply => ({ kind: 'reply', status, headers, body: text })
  switch (kind) {
    case 'refuse':
    case 'hang':
      return { kind }
    case 'reset':
      return { kind, headers: JSON_TYPE, body }
    case 'drip':
      return { kind, headers: JSON_TYPE, body, everyMs: number(50) }
    case 'oversize':
      return { kind, headers: JSON_TYPE, size: number(64 * 2 ** 20) }
    case 'status':
      return reply(number(500), { 'content-type': 'text/plain' }, 'the node is not well')
    case 'rate-limit':
      return reply(429, value === undefined ? JSON_TYPE : { ...JSON_TYPE, 'retry-after': String(value) },
        JSON.stringify({
          jsonrpc: '2.0', error: { code: 429, message: 'Too many requests for a specific RPC call' }, id: ids[0] ?? null
        }))
    case 'html':
      return reply(
        200,
        { 'content-type': 'text/html' },
        '<!doctype html><html><head><title>Welcome</title></head><body>nginx</body></html>'
      )
    case 'truncated':
      return reply(200, JSON_TYPE, body.slice(0, body.length >> 1))
    case 'batch-partial': {
      const at = Math.min(number(1), texts.length - 1)
      texts[at] = JSON.stringify(
        { jsonrpc: '2.0', error: { code: -32005, message: 'Node is behind by 42 slots' }, id: ids[at] ?? null }
      )
      return undefined
    }
    case 'batch-missing':
      texts.splice(Math.min(number(1), texts.length - 1), 1)
      return undefined
    case 'batch-shuffled':
      texts.reverse()
      return undefined
    default:
      return undefined
  }
}
