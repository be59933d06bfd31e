import { type CachedResponse, tagOf } from './cached-response.js'

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

/** A tag of all that an answer's bytes depend on. */
export const tagOfAll = (...parts: ReadonlyArray<string | number>): string => tagOf(JSON.stringify(parts))
