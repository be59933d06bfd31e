import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import autoload from '@fastify/autoload'
import swagger, { type FastifyDynamicSwaggerOptions } from '@fastify/swagger'
import Fastify from 'fastify'
import fp from 'fastify-plugin'
import { stringify } from 'yaml'
import { SERVICE_NAME, SERVICE_VERSION } from '../lib/package.js'
import { HEADERS } from '../schemas/headers.js'
import { SHARED_ANSWERS } from '../schemas/responses.js'
import { type Operation, samplesOf } from './samples.js'

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

type Documented = Parameters<NonNullable<FastifyDynamicSwaggerOptions['transformObject']>>[0]
type Rewritten = ReturnType<NonNullable<FastifyDynamicSwaggerOptions['transformObject']>>

/** Names of answers by what is said of them, and their headers. */
const said = ({ description = '', headers = {} }: { description?: string, headers?: object }): string =>
  [description, ...Object.keys(headers)].join()
const NAMES = new Map(Object.entries(SHARED_ANSWERS).map(([name, answer]) => [said(answer), name]))

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
      const name = NAMES.get(said(response))
      if (name === undefined || JSON.stringify(responses[name] ??= response) !== JSON.stringify(response)) continue
      get.responses[status] = { $ref: `#/components/responses/${name}` }
    }
  }
  const headers = Object.entries(HEADERS).map(([name, { description, ...schema }]) => [name, { description, schema }])
  const components = { schemas, responses, headers: Object.fromEntries(headers) }
  return { ...document, components, paths } as Rewritten
}

/** Makes the document of the routes that are registered after it: `fastify.swagger()`. */
export const documenting = fp(async fastify => {
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
})

/**
 * What routes take from the application while they are registered: whatever they ask of it is again this. Nothing of it
 * is called.
 */
const STAND_IN: object = new Proxy(
  {}, { get: (_target, name) => typeof name === 'symbol' || name === 'then' ? undefined : STAND_IN }
)
/** A plugin is named after what it decorates. */
const DECORATORS = readdirSync(new URL('../plugins', import.meta.url)).map(name => name.replace(/\.[jt]s$/, ''))

/** The OpenAPI document of the routes as they are. Nothing is configured, opened, called or listened on. */
export async function describeContract (): Promise<object> {
  // its files may have to be compiled first, however long that takes
  const fastify = Fastify({ pluginTimeout: 0 })
  for (const name of DECORATORS) fastify.decorate(name, { getter: () => STAND_IN })
  await fastify.register(documenting)
  await fastify.register(autoload, { dir: fileURLToPath(new URL('../routes', import.meta.url)) })
  await fastify.ready()
  const document = fastify.swagger()
  await fastify.close()
  return document
}

/** The document as it is committed, and served: the text of each file. */
export async function contractFiles (): Promise<Record<string, string>> {
  const document = await describeContract()
  return {
    'openapi.json': `${JSON.stringify(document, null, 2)}\n`,
    'openapi.yaml': stringify(document, { aliasDuplicateObjects: false })
  }
}
