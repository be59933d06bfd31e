/** The faults of a whole request. */
import { type ActiveFault } from './faults.js'
import { JSON_TYPE, type Reply, errorText, reply, tooMany } from './send-reply.js'

export interface Exchange {
  /** The genuine answers, one per call. */
  texts: string[]
  isBatch: boolean
  ids: unknown[]
}

/** @returns what is sent instead; undefined: `texts`, which may have been changed. */
export function misbehave ({ kind, value }: ActiveFault, { texts, isBatch, ids }: Exchange): Reply | undefined {
  const body = isBatch ? `[${texts.join()}]` : texts[0]!
  const number = (fallback: number) => Number(value ?? fallback)
  const [headers, member] = [JSON_TYPE, Math.min(number(1), texts.length - 1)]
  switch (kind) {
    case 'refuse':
    case 'hang':
      return { kind }
    case 'reset':
      return { kind, headers, body }
    case 'drip':
      return { kind, headers, body, everyMs: number(50) }
    case 'oversize':
      return { kind, headers, size: number(64 * 2 ** 20) }
    case 'status':
      return reply('the node is not well', number(500), { 'content-type': 'text/plain' })
    case 'rate-limit':
      return tooMany(ids[0], value ?? null)
    case 'html':
      return reply(
        '<!doctype html><html><head><title>Welcome</title></head><body>nginx</body></html>', 200,
        { 'content-type': 'text/html' }
      )
    case 'truncated':
      return reply(body.slice(0, body.length >> 1))
    case 'batch-partial':
      texts[member] = errorText(ids[member], { code: -32005, message: 'Node is behind by 42 slots', data: undefined })
      return undefined
    case 'batch-missing':
      texts.splice(member, 1)
      return undefined
    case 'batch-shuffled':
      texts.reverse()
      return undefined
    default:
      return undefined
  }
}
