import swagger, { type FastifyDynamicSwaggerOptions } from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import fp from 'fastify-plugin'
import { SERVICE_NAME, SERVICE_VERSION } from '../lib/version.js'
import { HEADERS } from '../schemas/headers.js'

const DESCRIPTION = `Prices, 24-hour volumes, liquidity, token supply and volume history of every DAO of a futarchy protocol, read from the chain.

A number that is served is right, or it is not served: a failure is an error status, never a zero. Amounts are decimal text, never floats and never
with an exponent. Every error body is \`{"error": "<message>"}\`.

Requests are limited to 60 per client address and clock minute over all paths. Answers are cached for 10 seconds: \`Cache-Control\` says what is left,
an \`Age\` header that the chain can't be reached and how old the answer is, and \`ETag\` with \`If-None-Match\` saves sending it again.`

/** What the reference page needs, and nothing from elsewhere: its own files, the styles its scripts write, icons within them, and trying this API. */
const PAGE_POLICY = [
  "default-src 'none'", "script-src 'self'", "style-src 'self' 'unsafe-inline'", "img-src 'self' data:", "connect-src 'self'",
  "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"
].join('; ')

type Documented = Parameters<NonNullable<FastifyDynamicSwaggerOptions['transformObject']>>[0]
type Rewritten = ReturnType<NonNullable<FastifyDynamicSwaggerOptions['transformObject']>>

/** Each header described once, under components; answers refer to it. */
function shareHeaders (source: Documented): Rewritten {
  if (!('openapiObject' in source)) return source.swaggerObject
  const { openapiObject: document } = source
  const operations = Object.values(document.paths ?? {}).flatMap(path => path?.get ?? [])
  for (const response of operations.flatMap(({ responses = {} }) => Object.values(responses))) {
    if (!('headers' in response) || response.headers === undefined) continue
    for (const name of Object.keys(response.headers)) response.headers[name] = { $ref: `#/components/headers/${name}` }
  }
  const headers = Object.entries(HEADERS).map(([name, { description, ...schema }]) => [name, { description, schema }])
  return { ...document, components: { ...document.components, headers: Object.fromEntries(headers) } } as Rewritten
}

/** The contract, made of the schemas that validate and serialise: JSON and YAML under /documentation, with a page to read it. */
export default fp(async fastify => {
  await fastify.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: { title: SERVICE_NAME, version: SERVICE_VERSION, description: DESCRIPTION, license: { name: 'MIT', identifier: 'MIT' } },
      servers: [{ url: '/', description: 'This host.' }],
      tags: [
        { name: 'market', description: 'Prices, volumes and liquidity.' },
        { name: 'supply', description: 'Token supply.' },
        { name: 'service', description: 'The service itself.' }
      ]
    },
    convertConstToEnum: false,
    refResolver: { buildLocalReference: (json, _base, _fragment, index) => typeof json.$id === 'string' ? json.$id : `Schema${index}` },
    // a route at the root of its folder answers with and without a slash behind it
    transform: ({ schema, url }) => ({ schema, url: url.replace(/(?<=.)\/$/, '') }),
    transformObject: shareHeaders
  })
  await fastify.register(swaggerUi, {
    routePrefix: '/documentation',
    staticCSP: PAGE_POLICY,
    uiConfig: { validatorUrl: null },
    theme: { title: `${SERVICE_NAME}: reference`, css: [{ filename: 'page.css', content: '.swagger-ui .topbar { display: none }' }] }
  })
}, { name: 'openapi', dependencies: ['rate-limit'] })
