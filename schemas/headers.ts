import { type TSchema, Type } from '@sinclair/typebox'
import { digits, integer, text, time } from './common.js'

/** Headers of the answers, each once; in the document they are components that the answers refer to. */
export const HEADERS = {
  'Cache-Control': text('For how long the answer is fresh, or that it must not be stored.', 'public, max-age=7'),
  Age: integer(
    'Sent only when no younger state of the chain is to be had and the answer is older than its lifetime: the age of ' +
      'the oldest state in it, in seconds.', 35),
  'X-Chain-Time': time('The chain\'s own time of the oldest state in the answer.', '2026-11-23T12:00:00.000Z'),
  ETag: text('Names these bytes, for If-None-Match.', '"m5gYVRKsVkFV8pxrqV"'),
  'Retry-After': integer('Seconds after which another try makes sense.', 5),
  'X-RateLimit-Limit': Type.Integer(
    { minimum: 1, description: 'Requests that an address has in a clock minute.', examples: [60] }
  ),
  'X-RateLimit-Remaining': integer('Requests left in this minute.', 59),
  'X-RateLimit-Reset': integer('Seconds until the minute turns.', 42),
  'RateLimit-Policy': text(
    'The budget that this request counts for: requests and seconds, in the form of the IETF draft.',
    '"minute";q=60;w=60'
  ),
  RateLimit: text('What is left of it, and seconds until it is whole again.', '"minute";r=59;t=42'),
  Link: text(
    'Where machines read what this is: the OpenAPI document, and a page of plain text.',
    '</llms.txt>; rel="describedby"'
  ),
  Vary: text('Request headers that the bytes depend on.', 'accept-encoding'),
  'X-History-Complete': Type.Union([Type.Literal('true'), Type.Literal('false')], {
    description: 'Whether every event of the time that the answer covers is known: the sequence numbers have no gap.',
    examples: ['true']
  }),
  'X-History-Since': time(
    'Only with `X-History-Complete: false`: from when on every event is known. While the past is read, the answer ' +
      'begins there.', '2026-11-20T00:00:00.000Z'),
  'X-History-Missing': digits('Events that the sequence numbers prove and no node has shown.', '0'),
  'X-Fees-Unknown': digits('Swaps whose fee no event tells, and so not in the sums.', '0'),
  'X-Other-Pools': text(
    'Only where several pools share the pair: the pool_id of the others, deepest first, 20 at most.'
  )
} satisfies Record<string, TSchema>

export type HeaderName = keyof typeof HEADERS

/** What every answer carries, unless the client's address is exempt. */
const LIMIT_HEADERS: readonly HeaderName[] = [
  'X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset', 'RateLimit-Policy', 'RateLimit'
]
/** What an answer carries whose bytes are made beforehand; dated: of a state of the chain, which has an age. */
export const BYTES_HEADERS: readonly HeaderName[] = ['Cache-Control', 'ETag', 'Vary']
export const DATED_HEADERS: readonly HeaderName[] = ['Cache-Control', 'Age', 'X-Chain-Time', 'ETag', 'Vary']
/** What an answer says of how far back it is known. */
export const HISTORY_HEADERS = ['X-History-Complete', 'X-History-Since'] as const
export const NO_STORE: readonly HeaderName[] = ['Cache-Control']

/** The headers of one answer, as the documentation takes them beside a schema. */
export const headers = (names: readonly HeaderName[]): Record<string, TSchema> =>
  Object.fromEntries([...names, ...LIMIT_HEADERS].map(name => [name, HEADERS[name]]))
