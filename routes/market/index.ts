import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import fastifyStatic from '@fastify/static'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import { represent } from '../../lib/representation.js'

/** The market page for people: static files that read the public API, under a policy that lets them do nothing else. */

/** Everything is forbidden that the page does not do; text from token metadata can never become markup, even by a mistake of ours. */
const POLICY = [
  "default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self'", "connect-src 'self'",
  "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'", "require-trusted-types-for 'script'", "trusted-types 'none'"
].join('; ')
const HEADERS = {
  'content-security-policy': POLICY,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin'
}

/** How the page itself names the folder of its assets; served, the folder is named after what is in it. */
const ASSETS = 'market/assets/'
const VERSION_LENGTH = 12

/** The page's folder, which the build does not copy: it stands two folders above this file in the source, three in the build. */
function findFolder (): string {
  for (const path of ['../../public/market/', '../../../public/market/']) {
    const folder = fileURLToPath(new URL(path, import.meta.url))
    if (existsSync(folder)) return folder
  }
  throw new Error('public/market is missing beside the program')
}

/** A name for the folder's contents as they are now: a browser may keep what it gets under it for good. */
function versionOf (folder: string): string {
  const hash = createHash('sha256')
  for (const name of readdirSync(folder).sort()) hash.update(name).update('\0').update(readFileSync(folder + name))
  return hash.digest('hex').slice(0, VERSION_LENGTH)
}

const routes: FastifyPluginAsyncTypebox = async fastify => {
  const folder = findFolder()
  const version = versionOf(folder)
  const page = await represent('text/html; charset=utf-8',
    readFileSync(`${folder}index.html`, 'utf8').replaceAll(ASSETS, `market/${version}/`))

  await fastify.register(fastifyStatic, { root: folder, serve: false, index: false, cacheControl: false })
  fastify.addHook('onRequest', async (_request, reply) => { reply.headers(HEADERS) })

  // Asked for anew on every visit, which costs a 304 while nothing has changed
  fastify.get('/', { prefixTrailingSlash: 'no-slash', schema: { hide: true } },
    async (_request, reply) => reply.represent({ value: page, age: 0, left: 0 }))

  // One address only, so that the page's relative links hold behind a proxy that serves us under a path
  fastify.get('/', { prefixTrailingSlash: 'slash', schema: { hide: true } },
    async (_request, reply) => reply.header('location', '../market').code(308).send())

  // While replicas are being replaced, a page may ask for another version than ours: it gets what we have, and is not to keep it
  fastify.get('/:version/:file', {
    schema: { hide: true, params: Type.Object({ version: Type.String(), file: Type.String() }) }
  }, async ({ params }, reply) => {
    reply.header('cache-control', params.version === version ? 'public, max-age=31536000, immutable' : 'no-cache')
    return reply.sendFile(params.file)
  })
}
export default routes
