import Fastify from 'fastify'
import { test } from 'tap'
import { makeCachedResponse } from '../../lib/http/cached-response.js'
import budget from '../../plugins/budget.js'
import representation from '../../plugins/cached-response.js'
import client from '../../plugins/client.js'

const BODY = 'one and the same '.repeat(100)

test('an answer that says its age, and the same without, are told apart by whoever keeps them', async t => {
  const fastify = Fastify()
  for (const plugin of [client, budget, representation]) await fastify.register(plugin)
  let [age, left] = [0, 10_000]
  let headers: Record<string, string> = { 'x-history-complete': 'true' }
  fastify.get('/', async (_request, reply) =>
    reply.sendCached({ value: makeCachedResponse('text/plain', BODY, headers), parts: [], age, left }))
  fastify.get('/taken', async (_request, reply) => reply.sendCached({
    value: { contentType: 'text/plain', tag: 'of-the-parts', parts: async function * () { yield Buffer.from(BODY) } },
    parts: [],
    age,
    left
  }))
  t.teardown(() => fastify.close())

  for (const url of ['/', '/taken']) {
    for (const encoding of ['identity', 'gzip']) {
      /** As a browser asks: a 304 makes headers newer, and takes none away. */
      let kept: Record<string, unknown> = {}
      async function ask (): Promise<number> {
        const answer = await fastify.inject({
          url,
          headers: {
            'accept-encoding': encoding, ...(kept.etag !== undefined && { 'if-none-match': String(kept.etag) })
          }
        })
        kept = answer.statusCode === 304 ? { ...kept, ...answer.headers } : answer.headers
        return answer.statusCode
      }
      [age, left] = [2_000, 8_000]
      t.equal(await ask(), 200)
      t.equal(await ask(), 304, 'nothing has changed')
      for (const [old, status] of [[30_000, 200], [45_000, 304]] as const) {
        [age, left] = [old, 0]
        t.equal(await ask(), status)
        t.equal(kept.age, String(old / 1000), 'how old it is now')
      }
      [age, left] = [0, 10_000]
      t.equal(await ask(), 200, `${url} ${encoding}: fresh again`)
      t.notOk('age' in kept, 'and no longer old')
      t.equal(await ask(), 304)
    }
  }

  headers = { 'x-history-complete': 'false', 'x-history-since': '2026-01-01T00:00:00.000Z' }
  const part = await fastify.inject('/')
  headers = { 'x-history-complete': 'true' }
  const whole = await fastify.inject({ url: '/', headers: { 'if-none-match': String(part.headers.etag) } })
  t.equal(whole.statusCode, 200, 'the same days, of which now all are known')
})
