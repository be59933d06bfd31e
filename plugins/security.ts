import type {} from '@fastify/swagger'
import type { FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import type { ErrorBody } from '../schemas/common.js'
import { METHOD_NOT_ALLOWED } from '../schemas/errors.js'
import { HEADERS } from '../schemas/headers.js'

/**
 * Headers that every answer carries. The service is public and reads no credentials, so any page may read it (CORS);
 * nothing it sends is to be run, framed or guessed at. Pages with markup of their own set their own policy.
 */
const OF_ALL = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': [...Object.keys(HEADERS), 'x-request-id'].join(', ').toLowerCase(),
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'cross-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff'
}
const METHODS = ['GET', 'HEAD', 'OPTIONS']
const ALLOWED = METHODS.join(', ')
/** How long a browser may keep the answer to a preflight, s. */
const PREFLIGHT_AGE = 86_400

const refuse = async (_request: FastifyRequest, reply: FastifyReply) =>
  await reply.code(405).headers({ allow: ALLOWED, 'cache-control': 'no-store' })
    .send({ error: METHOD_NOT_ALLOWED } satisfies ErrorBody)

export default fp(async fastify => {
  const others = fastify.supportedMethods.filter(method => !METHODS.includes(method))
  fastify.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id).headers(OF_ALL)
    done()
  })

  // wherever there is a GET, OPTIONS answers and other methods are refused; an unknown path stays unknown
  fastify.addHook('onRoute', ({ method, url }) => {
    if (method !== 'GET') return
    fastify.options(url, { schema: { hide: true } }, async (_request, reply) => reply
      .code(204)
      .headers({
        allow: ALLOWED,
        'access-control-allow-methods': ALLOWED,
        'access-control-allow-headers': '*',
        'access-control-max-age': PREFLIGHT_AGE
      })
      .send())
    // before the type of a body is looked at
    fastify.route({ method: others, url, schema: { hide: true }, preParsing: refuse, handler: refuse })
  })
}, { name: 'security' })
