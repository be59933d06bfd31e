import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, extname, join } from 'node:path'
import swagger from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import type { FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { type CachedResponse, jsonResponse, makeCachedResponse } from '../lib/http/cached-response.js'
import { mediaTypeOf } from '../lib/http/media-type.js'
import { once } from '../lib/once.js'
import { ownFile, SERVICE_NAME } from '../lib/package.js'
import { policyOf } from '../lib/page/headers.js'

/** The reference page needs the styles that its scripts write, and icons within them. */
const PAGE_POLICY = policyOf("style-src 'self' 'unsafe-inline'", "img-src 'self' data:")

/** ms: a new release of the package may have other files under the same names. */
const FILES_LIVE = 86_400_000
/** Files that the package makes anew for each service. */
const MADE = ['index.html', 'swagger-initializer.js']

/** The contract as it is committed: JSON and YAML under /documentation, with a page to read it. */
export default fp(async fastify => {
  const json = once(() => jsonResponse(fastify.swagger()))
  const yaml = once(() => makeCachedResponse('application/x-yaml; charset=utf-8', ownFile('openapi.yaml')))
  const documents: Record<string, () => CachedResponse> = { '/documentation/json': json, '/documentation/yaml': yaml }
  async function sendDocument ({ routeOptions: { url = '' } }: FastifyRequest, reply: FastifyReply): Promise<unknown> {
    const document = documents[url]
    if (document === undefined) return
    return reply.sendCached({ value: document(), left: 0 })
  }

  await fastify.register(swagger, { mode: 'static', specification: { document: JSON.parse(ownFile('openapi.json')) } })
  await fastify.register(swaggerUi, {
    routePrefix: '/documentation',
    staticCSP: PAGE_POLICY,
    uiConfig: { validatorUrl: null },
    uiHooks: { preHandler: sendDocument },
    theme: {
      title: `${SERVICE_NAME}: reference`,
      css: [{ filename: 'page.css', content: ownFile('public/reference/page.css') }],
      js: [{ filename: 'page.js', content: ownFile('public/reference/page.js') }]
    }
  })
  // the package's own files, compressed and kept
  const folder = join(dirname(createRequire(import.meta.url).resolve('@fastify/swagger-ui')), 'static')
  for (const name of readdirSync(folder).filter(name => extname(name) !== '' && !MADE.includes(name))) {
    const response = once(() => makeCachedResponse(mediaTypeOf(name), readFileSync(join(folder, name))))
    fastify.get(`/documentation/static/${name}`, { schema: { hide: true } }, async (_request, reply) =>
      reply.header('content-security-policy', PAGE_POLICY)
        .sendCached({ value: response(), left: FILES_LIVE }))
  }
}, { name: 'openapi', dependencies: ['rate-limit'] })
