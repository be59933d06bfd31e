import type { Fetch } from '../types.js'
import type { Clock } from './clock.js'
import { httpError } from './fault.js'

export interface StatusOptions {
  host: string
  clock: Clock
}

// The body of a refusal is read so that the connection can be used again (public nodes count new ones), but only as long as
// that is cheaper than a new connection.
const DRAIN_BYTES = 65_536
const DRAIN_MS = 250
// Longer pauses are no advice any more.
const LONGEST_RETRY_AFTER = 86_400

/** Turns every status but 200 into an error: NODE_UNAVAILABLE for refusals that pass, with their Retry-After, else NODE_BAD_ANSWER. */
export function withStatus (fetch: Fetch, { host, clock }: StatusOptions): Fetch {
  return async (input, init) => {
    const response = await fetch(input, init)
    if (response.status === 200) return response
    const error = httpError(host, response.status, readRetryAfter(response.headers.get('retry-after'), clock.epoch()))
    // Whatever happens to the body, the status has been said.
    await drain(response.body, clock).catch(() => {})
    throw error
  }
}

/** Seconds from now (`epoch`, Unix milliseconds), of the seconds or the date that the header states. */
export function readRetryAfter (header: string | null, epoch: number): number | undefined {
  if (header === null) return undefined
  const text = header.trim()
  const seconds = /^\d+$/.test(text) ? Number(text) : (Date.parse(text) - epoch) / 1000
  return Number.isNaN(seconds) ? undefined : Math.min(LONGEST_RETRY_AFTER, Math.max(0, Math.ceil(seconds)))
}

async function drain (body: ReadableStream<Uint8Array> | null, clock: Clock): Promise<void> {
  if (body === null) return
  const reader = body.getReader()
  const stop = () => { reader.cancel().catch(() => {}) }
  const cancel = clock.after(DRAIN_MS, stop)
  try {
    for (let left = DRAIN_BYTES; left > 0;) {
      const { done, value } = await reader.read()
      if (done) return
      left -= value.byteLength
    }
    stop()
  } finally {
    cancel()
  }
}
