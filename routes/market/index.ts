import { Type } from '@sinclair/typebox'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type CachedResponse, jsonResponse } from '../../lib/http/cached-response.js'
import { PAGE_HEADERS } from '../../lib/page/headers.js'
import type { Kept, Part } from '../../lib/live/fresh.js'
import { asOf } from '../../lib/page/pages.js'
import { NO_POOL } from '../../lib/page/pool-facts.js'
import { DRAWN_TTL } from '../../lib/page/sparklines.js'
import { withAge } from '../../lib/responses/sources.js'
import { KEY } from '../../schemas/common.js'

/** The market pages: files that read the public API, under a policy that lets them do nothing else. */

const KEPT = 'public, max-age=31536000, immutable'
/** Sites that show an image keep it far longer anyway. */
const IMAGE_KEPT = 'public, max-age=300'

/** Nothing but an address and a browser's host is written into a page from a request. */
const ADDRESS = new RegExp(`^${KEY}$`)
const HOST = /^[\w.-]+(?::\d{1,5})?$|^\[[\da-fA-F:]+\](?::\d{1,5})?$/

const HIDDEN = { schema: { hide: true } }
const OF_POOL = { schema: { hide: true, params: Type.Object({ pool_id: Type.String() }) } }

const routes: FastifyPluginAsyncTypebox = async fastify => {
  const { page, answers: { sources } } = fastify
  const { assets, pages } = page

  fastify.addHook('onRequest', async (_request, reply) => { reply.headers(PAGE_HEADERS) })

  /** Revalidated at every visit. */
  const send = async (reply: FastifyReply, make: Kept<CachedResponse>) => {
    const { left, ...made } = await withAge(sources, make)
    return reply.sendCached({ ...made, left: Math.min(left, 1) })
  }

  const originOf = ({ protocol, host }: FastifyRequest): string => HOST.test(host) ? `${protocol}://${host}` : ''

  fastify.get(
    '/',
    { ...HIDDEN, prefixTrailingSlash: 'no-slash' },
    (request, reply) => send(reply, async parts => {
      const pools = await page.listed(parts)
      return pages.list(originOf(request), pools, asOf(parts))
    })
  )

  // One address only, so that the page's relative links hold behind a proxy that serves us under a path
  fastify.get('/', { ...HIDDEN, prefixTrailingSlash: 'slash' },
    async (_request, reply) => reply.header('location', '../market').code(308).send())

  fastify.get('/decisions', HIDDEN, (_request, reply) => send(reply, async parts => {
    const [proposals, pools] = await Promise.all([page.decided(parts), page.listed(parts)])
    return pages.decisions(proposals, pools, asOf(parts))
  }))

  fastify.get('/pool/:pool_id', OF_POOL, async (request, reply) => {
    const { pool_id: pool } = request.params
    const known: Part[] = []
    const found = ADDRESS.test(pool) ? await page.find(known, pool) : { reason: NO_POOL }
    if (found?.reason !== undefined) {
      return reply.code(404).header('cache-control', 'no-store').type('text/html; charset=utf-8')
        .send(pages.missing(pool, found.reason))
    }
    return await send(reply, async parts => {
      parts.push(...known)
      const row = (await page.listed(parts))?.byId.get(pool)
      return pages.pool(originOf(request), pool, found?.facts, row, asOf(parts))
    })
  })

  fastify.get('/pool/:pool_id/', OF_POOL, async ({ params: { pool_id: pool } }, reply) =>
    reply.header('location', `../${encodeURIComponent(pool)}`).code(308).send())

  // share images of links
  const sendImage = (reply: FastifyReply, image: Buffer) =>
    reply.header('cache-control', IMAGE_KEPT).type('image/png').send(image)
  fastify.get('/card.png', { ...HIDDEN, config: { isCostly: true } }, async ({ turn }, reply) =>
    sendImage(reply, await page.card([], '', turn)))
  fastify.get('/pool/:pool_id/card.png', { ...OF_POOL, config: { isCostly: true } }, async ({ params, turn }, reply) =>
    sendImage(reply, await page.card([], params.pool_id, turn)))

  // data of the list page, in its own form
  const listed = { schema: { hide: true, querystring: Type.Object({ all: Type.Optional(Type.String()) }) } }
  const part = (all: string | undefined) => all === 'true' ? 'all' : 'first'
  const sendMade = async (reply: FastifyReply, make: Kept<CachedResponse>, ttl?: number) =>
    reply.sendCached(await withAge(sources, make, ttl))
  fastify.get('/pools', listed, ({ query: { all } }, reply) => sendMade(reply, page.list[part(all)]))
  fastify.get('/sparklines', listed, ({ query: { all } }, reply) =>
    sendMade(reply, page.sparklines[part(all)], DRAWN_TTL))
  fastify.get('/volume', HIDDEN, (_request, reply) => sendMade(reply, page.volume))
  fastify.get('/marks/:pool_id', OF_POOL, ({ params: { pool_id: pool } }, reply) =>
    sendMade(reply, async parts => jsonResponse((await page.list.known(parts)).byId.get(pool)?.marks ?? [])))

  // while replicas are being replaced, a page may ask for another version: it gets this one, and is not to keep it
  fastify.get('/:version/:file', {
    schema: { hide: true, params: Type.Object({ version: Type.String(), file: Type.String() }) }
  }, async ({ params: { version, file } }, reply) => {
    const response = assets.file(file)
    if (response === undefined) return reply.callNotFound() as never
    const control = version === assets.version ? KEPT : 'no-cache'
    return reply.sendCached({ value: { ...response, headers: { 'cache-control': control } }, left: 1 })
  })
}
export default routes
