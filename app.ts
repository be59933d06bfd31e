import { randomUUID } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import autoload from '@fastify/autoload'
import { type FastifyInstance, type FastifyServerOptions, LogController } from 'fastify'
import { addressMatcher } from './lib/settings.js'
import { SHARED_SCHEMAS } from './schemas/responses.js'
import type { CacheOptions } from './plugins/cache.js'
import type { ConfigOptions } from './plugins/config.js'
import type { HistoryPluginOptions } from './plugins/history.js'
import type { MarketOptions } from './plugins/market.js'
import type { RateLimitOptions } from './plugins/rate-limit.js'

/** What the application is made with; tests replace its edges here, never its modules. */
export type AppOptions = ConfigOptions & CacheOptions & HistoryPluginOptions & MarketOptions & RateLimitOptions

const folder = (name: string): string => fileURLToPath(new URL(name, import.meta.url))

/** The application: every file of plugins/, then every folder of routes/. It never listens. */
export default async function app (fastify: FastifyInstance, options: AppOptions): Promise<void> {
  for (const schema of SHARED_SCHEMAS) fastify.addSchema(schema)
  await fastify.register(autoload, { dir: folder('plugins'), options })
  await fastify.register(autoload, { dir: folder('routes') })
}

/** Longer than any key: a path parameter of any length reaches its handler, which answers it in the words of the contract. */
const MOST_PARAMETER = 16_384

/** What Fastify must know before any plugin is loaded. The settings it reads are checked with the others once plugins load. */
export function serverOptions (env: ConfigOptions['env']): FastifyServerOptions {
  const isProxy = addressMatcher(env.TRUST_PROXY ?? '')
  return {
    // plugins/request-log.ts writes one line for each request instead of two
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: ({ headers }) => requestId(headers['x-request-id']),
    trustProxy: address => isProxy(address),
    routerOptions: { maxParamLength: MOST_PARAMETER },
    rewriteUrl: ({ url = '/' }) => escapeStrayPercents(url)
  }
}

/** A request's id: the client's own where it is well formed, so that nothing a stranger writes reaches the log as it is. */
function requestId (header: string | string[] | undefined): string {
  return typeof header === 'string' && /^[\w-]{8,64}$/.test(header) ? header : randomUUID()
}

/** A path with a percent sign that encodes nothing is a path that does not exist, not an error of its own. */
function escapeStrayPercents (url: string): string {
  if (!url.includes('%')) return url
  try {
    decodeURI(url)
    return url
  } catch {
    return url.replaceAll('%', '%25')
  }
}
