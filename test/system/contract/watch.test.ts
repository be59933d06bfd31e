import Fastify, { type FastifySchema } from 'fastify'
import { test, type Test } from 'tap'
import { documenting } from '../../../scripts/contract.js'
import { json } from '../../../schemas/responses.js'
import { ErrorSchema, list, orNull, record, text } from '../../../schemas/common.js'
import { holdToContract } from './watch.js'

/** An application of one route, and what is told of its answer. */
async function toldOf (
  t: Test, schema: FastifySchema | undefined,
  answer: { status?: number, body: unknown, headers?: Record<string, string> }, path = '/thing'
): Promise<string[]> {
  const fastify = Fastify()
  t.teardown(() => fastify.close())
  const told: string[] = []
  holdToContract(fastify, problem => told.push(problem))
  await fastify.register(documenting)
  fastify.setNotFoundHandler((_request, reply) => reply.code(404).send({ error: 'no such path' }))
  fastify.get('/thing', { ...schema !== undefined && { schema } }, async (_request, reply) => {
    // the serialiser would refuse, or mend, what the checks are to find
    reply.serializer(value => typeof value === 'string' ? value : JSON.stringify(value))
    return await reply.code(answer.status ?? 200).headers(
      { 'content-type': 'application/json; charset=utf-8', ...answer.headers }
    ).send(answer.body)
  })
  await fastify.inject(path)
  return told
}

const SCHEMA = { operationId: 'getThing', response: { 200: json(ErrorSchema, ['Age']) } }
const RIGHT = { error: 'none' }

test('an answer that the document has is let be', async t => {
  t.same(await toldOf(t, SCHEMA, { body: RIGHT, headers: { age: '3' } }), [])
  t.same(await toldOf(t, SCHEMA, { body: RIGHT }, '/unknown'), [])
  t.same(await toldOf(t, { hide: true }, { status: 418, body: 'a page', headers: { 'content-type': 'text/html' } }), [])
})

test('an answer that it has not is told', async t => {
  t.match(
    await toldOf(t, undefined, { body: RIGHT }), [/thing, 200: the route has no schema/], 'a route without a schema'
  )
  t.match(await toldOf(t, SCHEMA, { status: 400, body: RIGHT }), [/thing, 400: the route does not have this status/])
  t.match(
    await toldOf(t, SCHEMA, { body: '1', headers: { 'content-type': 'text/plain' } }), [/text\/plain is not documented/]
  )
  t.match(await toldOf(t, SCHEMA, { body: {} }), [/must have required property 'error'/])
  t.match(await toldOf(t, SCHEMA, { body: { ...RIGHT, more: 1 } }), [/must NOT have additional properties/])
  t.match(await toldOf(t, SCHEMA, { body: '{' }), [/SyntaxError/])
  t.match(await toldOf(t, SCHEMA, { body: RIGHT, headers: { etag: '"x"' } }), [/the header etag is not documented/])
  const dated = { operationId: 'getThing', response: { 200: json(ErrorSchema, ['X-Chain-Time']) } }
  t.match(await toldOf(t, dated, { body: RIGHT }), [/the header x-chain-time is documented and not sent/])
})

test('fields in another order than the document has them are told, wherever they are', async t => {
  const Row = record('Row', 'A row.', {
    first: text('The first.', 'a'), second: text('The second.', 'b'), more: orNull(ErrorSchema, 'More.')
  }, { more: null })
  const rows = { operationId: 'getRows', response: { 200: json(list('Rows', 'Rows.', Row), []) } }
  const ask = (...body: object[]) => toldOf(t, rows, { body })
  t.same(await ask({ first: 'a', second: 'b', more: RIGHT }, { first: 'a', second: 'b', more: null }), [])
  t.match(
    await ask({ first: 'a', second: 'b', more: null }, { second: 'b', first: 'a', more: null }),
    [/thing, 200: \[\]\/second stands where first is documented/]
  )
})
