import { type TSchema, Type } from '@sinclair/typebox'
import { type ErrorBody, ErrorSchema } from './common.js'
import { BYTES_HEADERS, DATED_HEADERS, type HeaderName, headers, NO_STORE } from './headers.js'
import {
  CHAIN_UNREADABLE, MINT_NOT_FOUND, notFound, RATE_LIMITED, UNAVAILABLE, UNEXPECTED, UPSTREAM_UNAVAILABLE
} from './errors.js'

/** The parts that the `response` of a route is put together from: what an endpoint answers, and what may go wrong. */

/** A JSON answer with its headers, described as its schema is. */
export const json = <T extends TSchema>(schema: T, names: readonly HeaderName[]) => ({
  description: schema.description!,
  headers: headers(names),
  content: { 'application/json': { schema } }
})

const AMOUNT = { schema: Type.String({ pattern: '^\\d+(\\.\\d+)?$' }), example: '12900000' }
/** One number as plain text, or as JSON to those who ask for it. */
export const PLAIN_AMOUNT = {
  description: 'The number alone, in whole tokens; `{"result": "…"}` where `Accept` asks for application/json.',
  headers: headers(DATED_HEADERS),
  content: {
    'text/plain': AMOUNT,
    'application/json': {
      schema: Type.Object({ result: AMOUNT.schema }, { additionalProperties: false }),
      example: { result: AMOUNT.example }
    }
  }
}

const EVENTS = 'retry: 3000\n\n: here\nid: 300000000-2147483647-0\n\nid: 300000123-12-131072\nevent: trade\n' +
  'data: {"pool_id":"DizCvM3dwAGsenh58gCU4bE7J7wn23YUF7RRKVeXRERd","trade_id":"4711","price":"0.301"}\n\n'

/** An answer of events, without an end. */
export const eventStream = {
  description: 'The events, until one side ends it.',
  headers: headers(['Cache-Control']),
  content: { 'text/event-stream': { schema: Type.String(), example: EVENTS } }
}

/** The answer without a body to a client that has the bytes that would come with these headers. */
export const notModified = (headers: Record<string, TSchema>) =>
  Type.Null({ description: 'If-None-Match names the bytes that would be sent.', headers })

/** An answer that is no success: `messages` are its sentences, of several each with a name. */
export function failure (
  description: string, messages: string | Record<string, string>, names: readonly HeaderName[] = []
) {
  const body = (error: string): { value: ErrorBody } => ({ value: { error } })
  const examples = typeof messages === 'string'
    ? { message: body(messages) }
    : Object.fromEntries(Object.entries(messages).map(([name, text]) => [name, body(text)]))
  return {
    description,
    headers: headers([...NO_STORE, ...names]),
    content: { 'application/json': { schema: ErrorSchema, examples } }
  }
}

/** What every endpoint may answer besides its own. */
export const COMMON_FAILURES = {
  429: failure(
    'More requests from one address in a clock minute, over all paths, than it has.', RATE_LIMITED, ['Retry-After']
  ),
  500: failure('An unexpected error.', UNEXPECTED),
  503: failure('Overloaded or shutting down.', UNAVAILABLE, ['Retry-After'])
}
/** What an endpoint may answer that reads the chain. */
export const CHAIN_FAILURES = {
  ...COMMON_FAILURES,
  500: failure(
    'The node answered with what can\'t be used, or an unexpected error.',
    { chain: CHAIN_UNREADABLE, unexpected: UNEXPECTED }
  ),
  502: failure('No node could be reached.', UPSTREAM_UNAVAILABLE),
  503: failure('Warming up, the history behind the chain, overloaded or shutting down.', UNAVAILABLE, ['Retry-After'])
}
/** Refused for what a parameter says. */
export const badRequest = (messages: string | Record<string, string>) =>
  failure('The parameter is malformed.', messages)

export const NO_PARAMETERS = failure('There are no parameters here.', 'Invalid limit: no parameters here')
export const NO_MINT = failure('There is no mint at this address.', MINT_NOT_FOUND)
export const NO_PAIR = failure('No listed pool has this pair.', notFound('Ticker', '<ticker_id>'))
export const NO_POOL = failure('No listed pool has this id.', notFound('Pool', '<pool_id>'))
export const NO_DAO = failure('There is no such DAO, or it is excluded.', notFound('DAO', '<dao>'))
export const NO_PROPOSAL = failure('There is no such proposal of a known DAO.', notFound('Proposal', '<proposal>'))

/** Answers that many endpoints have in common, by their names among the document's components. */
export const SHARED_ANSWERS = {
  NotModified: notModified(headers(DATED_HEADERS)),
  UndatedNotModified: notModified(headers(BYTES_HEADERS)),
  NoParameters: NO_PARAMETERS,
  NoSuchMint: NO_MINT,
  NoSuchPair: NO_PAIR,
  NoSuchPool: NO_POOL,
  NoSuchDao: NO_DAO,
  NoSuchProposal: NO_PROPOSAL,
  RateLimited: COMMON_FAILURES[429],
  Unexpected: COMMON_FAILURES[500],
  ChainUnreadable: CHAIN_FAILURES[500],
  NodesUnavailable: CHAIN_FAILURES[502],
  Overloaded: COMMON_FAILURES[503],
  Unavailable: CHAIN_FAILURES[503]
}
