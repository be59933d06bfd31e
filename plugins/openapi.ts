import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, extname, join } from 'node:path'
import swagger, { type FastifyDynamicSwaggerOptions } from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import type { FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { type CachedResponse, makeCachedResponse } from '../lib/http/cached-response.js'
import { mediaTypeOf } from '../lib/http/media-type.js'
import { once } from '../lib/once.js'
import { publicFolder, SERVICE_NAME, SERVICE_VERSION } from '../lib/package.js'
import { policyOf } from '../lib/page/headers.js'
import { jsonResponse } from '../lib/responses/json-response.js'
import { HEADERS } from '../schemas/headers.js'
import { SHARED_ANSWERS } from '../schemas/responses.js'
import { type Operation, samplesOf } from '../schemas/samples.js'

const DESCRIPTION =
  `Prices, 24-hour volumes, liquidity, token supply and volume history of every DAO of a futarchy \
protocol, read from the chain.

A number that is served is right, or it is not served: a failure is an error status, never a zero. Amounts are decimal \
text, never floats and never with an exponent, and exact JSON numbers where the form of an aggregator wants \
numbers. Every error body is \`{"error": "<message>"}\`.

Requests are limited to 60 per client address and clock minute over all paths, unless \`X-RateLimit-Limit\` states \
another number, but for the files of this reference and of the market page. Answers are cached for 10 seconds: \
\`Cache-Control\` says what is left, an \`Age\` header that the chain can't be reached and how old the answer is, and \
\`ETag\` with \`If-None-Match\` saves sending it again.
\`X-Request-Id\` names a response in the log: the client's own id where it is well formed.`

/** What the reference page needs besides: the styles that its scripts write, and icons within them. */
const PAGE_POLICY = policyOf("style-src 'self' 'unsafe-inline'", "img-src 'self' data:")

/** A new release of the reference's package may bring other files under the same names, ms. */
const FILES_LIVE = 86_400_000
/** Files that the package makes anew for each service. */
const MADE = ['index.html', 'swagger-initializer.js']

type Documented = Parameters<NonNullable<FastifyDynamicSwaggerOptions['transformObject']>>[0]
type Rewritten = ReturnType<NonNullable<FastifyDynamicSwaggerOptions['transformObject']>>

/** Names of answers by what is said of them. */
const NAMES = new Map(Object.entries(SHARED_ANSWERS).map(([name, { description }]) => [description, name]))

/** A part of the document with references in place of schemas that have a title, which go into `schemas` under it. */
function referring (part: unknown, schemas: Record<string, object>): unknown {
  if (typeof part !== 'object' || part === null) return part
  if (Array.isArray(part)) return part.map(item => referring(item, schemas))
  const { title, ...own } = Object.fromEntries(
    Object.entries(part).map(([key, member]) => [key, referring(member, schemas)])
  )
  if (typeof title !== 'string') return { ...title !== undefined && { title }, ...own }
  const known = schemas[title] ??= own
  if (JSON.stringify(known) !== JSON.stringify(own)) throw new Error(`two schemas are called ${title}`)
  return { $ref: `#/components/schemas/${title}` }
}

/**
 * Each schema with a title, each header, and each answer that endpoints have in common, described once, under
 * components, where operations refer to it; and how each operation is called.
 */
function rewrite (source: Documented): Rewritten {
  if (!('openapiObject' in source)) return source.swaggerObject
  const { openapiObject: document } = source
  const schemas: Record<string, object> = {}
  const responses: Record<string, object> = {}
  const paths = referring(document.paths, schemas) as NonNullable<typeof document.paths>
  for (const [path, operations] of Object.entries(paths)) {
    const get = operations?.get
    if (get?.responses === undefined) continue
    Object.assign(get, { 'x-codeSamples': samplesOf(path, get as Operation) })
    for (const [status, response] of Object.entries(get.responses)) {
      if (!('headers' in response) || response.headers === undefined) continue
      for (const header of Object.keys(response.headers)) {
        response.headers[header] = { $ref: `#/components/headers/${header}` }
      }
      const name = NAMES.get(response.description)
      if (name === undefined || JSON.stringify(responses[name] ??= response) !== JSON.stringify(response)) continue
      get.responses[status] = { $ref: `#/components/responses/${name}` }
    }
  }
  const headers = Object.entries(HEADERS).map(([name, { description, ...schema }]) => [name, { description, schema }])
  const components = { schemas, responses, headers: Object.fromEntries(headers) }
  return { ...document, components, paths } as Rewritten
}

/** A file of ours that is added to the package's page. */
const own = (name: string): string => readFileSync(join(publicFolder('reference'), name), 'utf8')

/** The contract, made of the schemas: JSON and YAML under /documentation, with a page to read it. */
export default fp(async fastify => {
  // made once, when all routes are known, and sent compressed
  const json = once(() => jsonResponse(fastify.swagger()))
  const yaml = once(() => makeCachedResponse('application/x-yaml; charset=utf-8', fastify.swagger({ yaml: true })))
  const documents: Record<string, () => CachedResponse> = { '/documentation/json': json, '/documentation/yaml': yaml }
  async function sendDocument ({ routeOptions: { url = '' } }: FastifyRequest, reply: FastifyReply): Promise<unknown> {
    const document = documents[url]
    if (document === undefined) return
    return reply.sendCached({ value: document(), age: 0, left: 0 })
  }

  await fastify.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: SERVICE_NAME,
        version: SERVICE_VERSION,
        description: DESCRIPTION,
        license: {
          name: 'MIT',
          identifier: 'MIT'
        }
      },
      security: [],
      servers: [{ url: '/', description: 'This host.' }],
      tags: [
        { name: 'market', description: 'Prices, volumes and liquidity.' },
        { name: 'pools', description: 'What was traded, pool by pool and day by day.' },
        { name: 'daos', description: 'DAOs, what they own, and what they decide.' },
        { name: 'supply', description: 'Token supply.' },
        {
          name: 'aggregators',
          description: 'The market in the forms of those who list it: CoinGecko, CoinMarketCap, DEX Screener, ' +
            'GeckoTerminal, Jupiter.'
        },
        { name: 'service', description: 'The service itself.' }
      ]
    },
    convertConstToEnum: false,
    // a route at the root of its folder answers with and without a slash behind it
    transform: ({ schema, url }) => ({ schema, url: url.replace(/(?<=.)\/$/, '') }),
    transformObject: rewrite
  })
  await fastify.register(swaggerUi, {
    routePrefix: '/documentation',
    staticCSP: PAGE_POLICY,
    uiConfig: { validatorUrl: null },
    uiHooks: { preHandler: sendDocument },
    theme: {
      title: `${SERVICE_NAME}: reference`,
      css: [{ filename: 'page.css', content: own('page.css') }],
      js: [{ filename: 'page.js', content: own('page.js') }]
    }
  })
  // the reference's own files, compressed; the package would read and send them as they are
  const folder = join(dirname(createRequire(import.meta.url).resolve('@fastify/swagger-ui')), 'static')
  for (const name of readdirSync(folder).filter(name => extname(name) !== '' && !MADE.includes(name))) {
    const response = once(() => makeCachedResponse(mediaTypeOf(name), readFileSync(join(folder, name))))
    fastify.get(`/documentation/static/${name}`, { schema: { hide: true } }, async (_request, reply) =>
      reply.header('content-security-policy', PAGE_POLICY)
        .sendCached({ value: response(), age: 0, left: FILES_LIVE }))
  }
}, { name: 'openapi', dependencies: ['rate-limit'] })
