import { createHash } from 'node:crypto'
import type { CachedResponse } from './cached-response.js'

/** An answer too large to be held as a whole: its bytes are made as its client takes them. */
export interface StreamedResponse<T = unknown> {
  contentType: string
  /** What its entity tags begin with: the same for the same bytes. */
  tag: string
  parts (): AsyncIterable<Buffer>
  /** For the compiler alone: no value has it. */
  readonly holds?: T
}

export const isStreamed = <T>(response: CachedResponse<T> | StreamedResponse<T>): response is StreamedResponse<T> =>
  'parts' in response

const TAG_BYTES = 18

/** A tag of all that an answer's bytes depend on. */
export const tagOfAll = (...parts: ReadonlyArray<string | number>): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('base64url').slice(0, TAG_BYTES)
