import swagger from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import fp from 'fastify-plugin'
import { SERVICE_NAME, SERVICE_VERSION } from '../lib/version.js'

const DESCRIPTION = `Prices, 24-hour volumes, liquidity, token supply and volume history of every DAO of a futarchy protocol, read from the chain.

A number that is served is right, or it is not served: a failure is an error status, never a zero. Amounts are decimal text, never floats and never
with an exponent. Every error body is \`{"error": "<message>"}\`.

Requests are limited to 60 per client address and clock minute over all paths. Answers are cached for 10 seconds: \`Cache-Control\` says what is left,
an \`Age\` header that the chain can't be reached and how old the answer is, and \`ETag\` with \`If-None-Match\` saves sending it again.`

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
    refResolver: { buildLocalReference: (json, _base, _fragment, index) => typeof json.$id === 'string' ? json.$id : `Schema${index}` }
  })
  await fastify.register(swaggerUi, { routePrefix: '/documentation' })
}, { name: 'openapi', dependencies: ['rate-limit'] })
