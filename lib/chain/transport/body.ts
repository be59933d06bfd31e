import type { Fetch } from '../types.js'
import { answerError } from './fault.js'

export interface BodyOptions {
  host: string
  maxBytes: number
}

/** Reads the whole answer before it is given on, counting as it comes: NODE_BAD_ANSWER once there are more than `maxBytes`, unpacked. */
export function withWholeBody (fetch: Fetch, { host, maxBytes }: BodyOptions): Fetch {
  const tooLarge = () => answerError(host, 'too-large', `answered with more than ${maxBytes} bytes`)

  return async (input, init) => {
    const response = await fetch(input, init)
    if (Number(response.headers.get('content-length')) > maxBytes) {
      await response.body?.cancel()
      throw tooLarge()
    }
    const parts: Uint8Array[] = []
    let size = 0
    // Leaving the loop by the error cancels the stream, and with it the download.
    for await (const part of response.body ?? []) {
      size += part.byteLength
      if (size > maxBytes) throw tooLarge()
      parts.push(part)
    }
    const bytes = Buffer.concat(parts, size)
    const text = bytes.toString()
    return Object.assign(new Response(bytes, { headers: { 'content-type': 'application/json' } }), { text: async () => text })
  }
}
