import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { PAGE_HEADERS } from '../../lib/page/headers.js'

/** What `/ready` says, for people. */
const routes: FastifyPluginAsyncTypebox = async fastify => {
  fastify.addHook('onRequest', async (_request, reply) => { reply.headers(PAGE_HEADERS) })

  fastify.get('', { schema: { hide: true } }, async (_request, reply) =>
    reply.sendCached({ value: await fastify.page.pages.status(), age: 0, left: 1 }))
}
export default routes
