import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { PAGE_HEADERS } from '../../lib/page/headers.js'

/** What `/ready` says, for people. */
const routes: FastifyPluginAsyncTypebox = async fastify => {
  fastify.addHook('onRequest', async (_request, reply) => { reply.headers(PAGE_HEADERS) })

  fastify.get('/', { prefixTrailingSlash: 'no-slash', schema: { hide: true } }, async (_request, reply) =>
    reply.sendCached({ value: fastify.page.pages.status, left: 1 }))

  // relative links hold at one address only
  fastify.get('/', { prefixTrailingSlash: 'slash', schema: { hide: true } },
    async (_request, reply) => reply.header('location', '../status').code(308).send())
}
export default routes
