import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import { makeCachedResponse } from '../lib/http/cached-response.js'
import { plainReference, type ReferenceDocument } from '../lib/http/plain-reference.js'
import { once } from '../lib/once.js'
import { BYTES_HEADERS, headers } from '../schemas/headers.js'
import { ROOT_TEXTS, RootSchema, type Root } from '../schemas/root.js'
import { COMMON_FAILURES, json, notModified } from '../schemas/responses.js'
import { SERVICE_NAME, SERVICE_VERSION } from '../lib/package.js'

const LISTING_SPECIFICATION = 'https://docs.google.com/document/d/1v27QFoQq1SKT3Priq3aqPgB70Xd_PnDzbOCiuoCyixw'

/** Link relations of RFC 8631 and RFC 8288. */
const LINKS =
  '</documentation/json>; rel="service-desc"; type="application/json", </documentation>; rel="service-doc"; ' +
    'type="text/html", </llms.txt>; rel="describedby"; type="text/plain"'
/** ms: the text changes with the version. */
const REFERENCE_LIVES = 3_600_000

const routes: FastifyPluginAsyncTypebox = async fastify => {
  const { forkType, factory, router } = fastify.config
  const root: Root = {
    name: SERVICE_NAME,
    version: SERVICE_VERSION,
    documentation: LISTING_SPECIFICATION,
    endpoints: ROOT_TEXTS.endpoints,
    dex: { fork_type: forkType, factory_address: factory, router_address: router },
    supplyBreakdown: ROOT_TEXTS.supplyBreakdown,
    note: ROOT_TEXTS.note
  }

  fastify.get('/', {
    schema: {
      operationId: 'getRoot',
      summary: 'The service describes itself',
      description: 'Name, version, endpoints, the configured programs, and what the supply categories mean.',
      tags: ['service'],
      response: {
        200: json(RootSchema, ['Link']),
        ...COMMON_FAILURES
      }
    }
  }, async (_request, reply) => {
    reply.header('link', LINKS)
    return root
  })

  // when all routes are known
  const text = once(() => makeCachedResponse<string>(
    'text/plain; charset=utf-8', plainReference(fastify.swagger() as unknown as ReferenceDocument)
  ))
  fastify.get('/llms.txt', {
    schema: {
      operationId: 'getLlmsText',
      summary: 'The service in a page of plain text',
      description: 'What this is, its units and limits, and each path in a line: for machines that read. Made of ' +
        'this document.',
      tags: ['service'],
      response: {
        200: {
          description: 'The page.',
          headers: headers(BYTES_HEADERS),
          content: { 'text/plain': { schema: Type.String(), example: `# ${SERVICE_NAME}` } }
        },
        304: notModified(headers(BYTES_HEADERS)),
        ...COMMON_FAILURES
      }
    }
  }, async (_request, reply) => reply.sendCached({ value: text(), left: REFERENCE_LIVES }))
}
export default routes
