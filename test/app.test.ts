import Fastify from 'fastify'
import { test } from 'tap'
import { serverOptions } from '../app.js'

test('each answer has one line in the log, by its request\'s id, without what was asked', async t => {
  const lines: string[] = []
  const fastify = Fastify({ ...serverOptions({}), logger: { stream: { write: line => { lines.push(line) } } } })
  fastify.get('/pools/:id', async (_request, reply) => reply.header('etag', '"a"').send('known'))
  await fastify.inject({ url: '/pools/1?key=secret', headers: { 'x-request-id': 'by-its-client' } })
  await fastify.inject('/nowhere')
  const [known, unknown, ...others] = lines.map(line => JSON.parse(line) as Record<string, unknown>)
  t.match(known, {
    reqId: 'by-its-client', method: 'GET', route: '/pools/:id', status: 200, ms: Number, cache: 'fresh'
  })
  t.match(unknown, { reqId: /^[\w-]{36}$/, route: 'unknown', status: 404 })
  t.equal(others.length, 0)
  t.notMatch(lines.join(''), 'secret')
})
