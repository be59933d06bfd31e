import type { FastifyPluginAsync } from 'fastify'
import { Type } from '@sinclair/typebox'
import { invalidParameter, optional, type Parameter, readQuery } from '../../../lib/query.js'
import { addresses } from '../../../lib/responses/parameters.js'
import { positionOfId, STREAM_TYPES, type StreamType } from '../../../lib/responses/stream.js'
import { notFound } from '../../../schemas/errors.js'
import { badRequest, CHAIN_FAILURES, eventStream, failure } from '../../../schemas/responses.js'
import { described } from '../../endpoint.js'

const MOST = 100
const CONTENT_TYPE = 'text/event-stream; charset=utf-8'

const types: Parameter<ReadonlySet<StreamType>> = {
  description: `Some of ${STREAM_TYPES.join(',')}; default all.`,
  example: 'trade,ticker',
  expects: `some of ${STREAM_TYPES.join(',')}, each once`,
  read (text) {
    const given = text.split(',')
    const found = STREAM_TYPES.filter(type => given.includes(type))
    return found.length === given.length ? new Set(found) : undefined
  },
  otherwise: { value: new Set(STREAM_TYPES) }
}
const list = (what: string) => optional(addresses(`1 to ${MOST} ${what} separated by commas; default all.`, MOST))
const QUERY = {
  types, pools: list('pools, whose trades, tickers and proposals are told'), proposals: list('proposals')
}
const setOf = (given: string[] | undefined): ReadonlySet<string> | undefined => given && new Set(given)

const routes: FastifyPluginAsync = async fastify => {
  const { stream, connections } = fastify

  fastify.get('', {
    schema: {
      operationId: 'getStream',
      summary: 'Trades, tickers and proposals as they happen',
      description: 'Server-sent events. `trade`: the record of a trade with its `pool_id`, once it is final, in ' +
        'the order of the chain. `ticker`: a ticker that has changed. `proposal`: `proposal`, `dao`, `number` and ' +
        '`state` of one that is new or has changed its state. Both are told of a current state of the chain only. ' +
        'With `Last-Event-ID`, which browsers send by themselves, trades go on where the connection broke, up to an ' +
        'hour back, and the tickers and proposals that are asked for come once as they are, as they do for everybody ' +
        'where none could be had when the stream began; beyond the hour `gap` says since when to ask for pages of ' +
        'trades, as it does where a transaction that no node gives keeps later ones back for over a minute: those ' +
        'are told in time, too. Trades that turn up after later ones were told are in those pages alone. ' +
        'A comment every 15 s; `end` says why a connection is closed. At most 5 of an address.',
      tags: ['market'],
      querystring: described(QUERY),
      headers: Type.Object({
        'last-event-id': Type.Optional(Type.String({
          description: 'The `id` of the last event: slot, index in the block, place in the transaction.',
          examples: ['300000000-12-131072']
        }))
      }),
      response: {
        200: eventStream,
        400: badRequest(`Invalid types: ${types.expects}`),
        404: failure('No such pool or proposal is listed.', notFound('Pool', '<pool_id>')),
        ...CHAIN_FAILURES
      }
    }
  }, async (request, reply) => {
    const { client, method, headers } = request
    const asked = readQuery(request.query, QUERY)
    const id = String(headers['last-event-id'] ?? '')
    const after = id === '' ? undefined : positionOfId(id)
    if (id !== '' && after === undefined) {
      throw invalidParameter('Last-Event-ID', 'the id of an event of this stream, as 300000000-12-131072')
    }
    const question = { types: asked.types, pools: setOf(asked.pools), proposals: setOf(asked.proposals), after }
    await stream.check(question)
    reply.cacheControl('no-store').header('x-accel-buffering', 'no').type(CONTENT_TYPE)
    const begin = method === 'HEAD' ? undefined : stream.enter(client)
    reply.hijack()
    reply.raw.writeHead(200, reply.getHeaders() as Record<string, string>)
    // through the application it would name a length, and a GET has none (RFC 9110, 8.6)
    if (begin === undefined) {
      reply.raw.end()
      return reply
    }
    connections.leave(reply.raw)
    const events = begin(reply.raw)
    stream.follow(question, events).catch((error: unknown) => {
      request.log.warn({ err: error }, 'a stream could not begin')
      events.end('it could not begin: try again', 5_000)
    })
    return reply
  })
}
export default routes
