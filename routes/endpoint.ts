import type { FastifyInstance, FastifyPluginAsync } from 'fastify'
import { type Static, type TSchema, Type } from '@sinclair/typebox'
import type { CachedResponse, StreamedResponse } from '../lib/http/cached-response.js'
import type { Turn } from '../lib/line.js'
import type { Kept } from '../lib/live/fresh.js'
import { invalidParameter, type Parameters, readQuery, type Values } from '../lib/query.js'
import { withAge } from '../lib/responses/sources.js'
import { QUOTE_EXAMPLE } from '../schemas/common.js'
import { INVALID_MINT, INVALID_TICKER_ID } from '../schemas/errors.js'
import { BYTES_HEADERS, DATED_HEADERS, type HeaderName } from '../schemas/headers.js'
import {
  badRequest, CHAIN_FAILURES, json, NO_MINT, NO_PAIR, NO_PARAMETERS, type failure, notModified
} from '../schemas/responses.js'
import { TickerSchema } from '../schemas/ticker.js'

/** The 200 of an endpoint; `T` is what its bytes hold. */
export interface Answer<T> { description: string, headers: Record<string, TSchema>, content: object, of?: T }

/** JSON; `more`: headers beside those of every such answer. */
export const answer = <S extends TSchema>(schema: S, ...more: HeaderName[]): Answer<Static<S>> =>
  json(schema, [...DATED_HEADERS, ...more])
/** JSON of events alone, which never change. */
export const undated = <S extends TSchema>(schema: S): Answer<Static<S>> => json(schema, BYTES_HEADERS)

interface Endpoint<T, P extends string, Q extends Parameters> {
  operationId: string
  summary: string
  description: string
  /** Of the path. */
  params?: Record<P, TSchema>
  /** Default: no parameters; 'any': ignored. */
  query?: Q | 'any'
  answer: Answer<T>
  /** Sentences of the 400 beside those that name a parameter of the query. */
  invalid?: Record<string, string>
  missing?: ReturnType<typeof failure>
  /** Its answers cost work of their own. */
  isCostly?: true
  /** How long they are fresh, ms; default: as long as tickers. */
  ttl?: number
}

interface Question<P extends string, Q extends Parameters> {
  params: Record<P, string>
  asked: Values<Q>
  turn: Turn
  /** Of the header. */
  accept: string | undefined
}

/** The 400s of an endpoint, with its first parameter as the example. */
function refusalsOf (query: Parameters | undefined, invalid: Record<string, string> | undefined) {
  const first = Object.entries(query ?? {}).slice(0, 1)
    .map(([name, { expects }]) => [name, invalidParameter(name, expects).message])
  if (first.length > 0 || invalid !== undefined) return badRequest({ ...Object.fromEntries(first), ...invalid })
  return query && NO_PARAMETERS
}

/** The querystring as the document describes it; handlers read it themselves, and say what is wrong. */
export const described = (query: Parameters) =>
  Type.Object(Object.fromEntries(Object.entries(query).map(([name, { description, example, otherwise }]) => {
    const schema = Type.String({ description, examples: [example] })
    return [name, otherwise === undefined ? schema : Type.Optional(schema)]
  })))

/** Registers GETs of a tag; `respond` gives their bytes, and adds the states that these are made of. */
export const endpointsOf = (fastify: FastifyInstance, tag: string) =>
  function endpoint<T, P extends string = never, Q extends Parameters = {}> (
    path: string,
    { params, query: asking = {} as Q, answer, invalid, missing, isCostly, ttl, ...said }: Endpoint<T, P, Q>,
    respond: Kept<CachedResponse<T> | StreamedResponse<T>, [Question<P, Q>]>
  ): void {
    const query = asking === 'any' ? undefined : asking
    const refusals = refusalsOf(query, invalid)
    fastify.get(path, {
      ...(isCostly && { config: { isCostly: true } }),
      schema: {
        ...said,
        tags: [tag],
        ...(params !== undefined && { params: Type.Object(params) }),
        ...(query !== undefined && { querystring: described(query) }),
        response: {
          200: answer,
          304: notModified(answer.headers),
          ...(refusals !== undefined && { 400: refusals }),
          ...(missing !== undefined && { 404: missing }),
          ...CHAIN_FAILURES
        }
      }
    }, async (request, reply) => {
      const { params, turn, headers: { accept } } = request
      const asked = query === undefined ? {} as Values<Q> : readQuery(request.query, query)
      const question = { params: params as Record<P, string>, asked, turn, accept }
      return reply.sendCached(await withAge(fastify.answers.sources, parts => respond(parts, question), ttl))
    })
  }

type Add = (
  endpoint: ReturnType<typeof endpointsOf>, answers: FastifyInstance['answers'], fastify: FastifyInstance
) => void

/** The routes of a folder: `add` registers endpoints of a tag. */
export const routes = (tag: string, add: Add): FastifyPluginAsync =>
  async fastify => add(endpointsOf(fastify, tag), fastify.answers, fastify)

export const pathParameter = (description: string, example: string) => Type.String({ description, examples: [example] })

/** Path parameters, and their errors, of a mint and of a pair. */
export const MINT = {
  params: { mintAddress: pathParameter('Address of a token mint.', QUOTE_EXAMPLE) },
  invalid: { mint: INVALID_MINT },
  missing: NO_MINT
}
export const PAIR = {
  params: {
    ticker_id: pathParameter('Base mint, underscore, quote mint.', TickerSchema.properties.ticker_id.examples[0]!)
  },
  invalid: { ticker: INVALID_TICKER_ID },
  missing: NO_PAIR
}
