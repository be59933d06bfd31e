import { type TSchema, Type } from '@sinclair/typebox'

/** Headers of the answers, each once; in the document they are components that the answers refer to. */
export const HEADERS = {
  'Cache-Control': Type.String(
    { description: 'For how long the answer is fresh, or that it must not be stored.', examples: ['public, max-age=7'] }
  ),
  Age: Type.Integer(
    {
      minimum: 0,
      description: 'Sent only when no younger state of the chain is to be had and the answer is older than its ' +
        'lifetime: the age of the oldest state in it, in seconds.',
      examples: [35]
    }
  ),
  'X-Chain-Time': Type.String({
    format: 'date-time',
    description: 'The chain\'s own time of the oldest state in the answer.',
    examples: ['2026-11-23T12:00:00.000Z']
  }),
  ETag: Type.String({ description: 'Names these bytes, for If-None-Match.', examples: ['"m5gYVRKsVkFV8pxrqV"'] }),
  'Retry-After': Type.Integer(
    { minimum: 0, description: 'Seconds after which another try makes sense.', examples: [5] }
  ),
  'X-RateLimit-Limit': Type.Integer(
    { minimum: 1, description: 'Requests that an address has in a clock minute.', examples: [60] }
  ),
  'X-RateLimit-Remaining': Type.Integer({ minimum: 0, description: 'Requests left in this minute.', examples: [59] }),
  'X-RateLimit-Reset': Type.Integer({ minimum: 0, description: 'Seconds until the minute turns.', examples: [42] }),
  'RateLimit-Policy': Type.String({
    description: 'The budget that this request counts for: requests and seconds, in the form of the IETF draft.',
    examples: ['"minute";q=60;w=60']
  }),
  RateLimit: Type.String(
    { description: 'What is left of it, and seconds until it is whole again.', examples: ['"minute";r=59;t=42'] }
  ),
  Link: Type.String({
    description: 'Where machines read what this is: the OpenAPI document, and a page of plain text.',
    examples: ['</llms.txt>; rel="describedby"']
  }),
  Vary: Type.String({ description: 'Request headers that the bytes depend on.', examples: ['accept-encoding'] }),
  'X-History-Complete': Type.Union([Type.Literal('true'), Type.Literal('false')], {
    description: 'Whether every event of the time that the answer covers is known: the sequence numbers have no gap.',
    examples: ['true']
  }),
  'X-History-Since': Type.String({
    format: 'date-time',
    description: 'Only with `X-History-Complete: false`: from when on every event is known. While the past is read, ' +
      'the answer begins there.',
    examples: ['2026-11-20T00:00:00.000Z']
  }),
  'X-History-Missing': Type.String(
    { pattern: '^\\d+$', description: 'Events that the sequence numbers prove and no node has shown.', examples: ['0'] }
  ),
  'X-Fees-Unknown': Type.String(
    { pattern: '^\\d+$', description: 'Swaps whose fee no event tells, and so not in the sums.', examples: ['0'] }
  ),
  'X-Other-Pools': Type.String(
    { description: 'Only where several pools share the pair: the pool_id of the others, deepest first, 20 at most.' }
  )
} satisfies Record<string, TSchema>

export type HeaderName = keyof typeof HEADERS

/** What every answer carries, unless the client's address is exempt. */
export const LIMIT_HEADERS: readonly HeaderName[] = [
  'X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset', 'RateLimit-Policy', 'RateLimit'
]
/** What an answer from the cache carries. */
const CACHE_HEADERS: readonly HeaderName[] = ['Cache-Control', 'Age', 'X-Chain-Time']
/** What an answer carries whose bytes are made beforehand. */
export const BYTES_HEADERS: readonly HeaderName[] = [...CACHE_HEADERS, 'ETag', 'Vary']
/** What an answer says of how far back it is known. */
export const HISTORY_HEADERS = ['X-History-Complete', 'X-History-Since'] as const
export const NO_STORE: readonly HeaderName[] = ['Cache-Control']

/** The headers of one answer, as the documentation takes them beside a schema. */
export const headers = (names: readonly HeaderName[]): Record<string, TSchema> =>
  Object.fromEntries([...names, ...LIMIT_HEADERS].map(name => [name, HEADERS[name]]))
