import { randomUUID } from 'node:crypto'
import type { Server } from 'node:http'
import { fileURLToPath } from 'node:url'
import autoload from '@fastify/autoload'
import {
  type FastifyHttpOptions, type FastifyInstance, type FastifyReply, type FastifyRequest, LogController
} from 'fastify'
import { answerClientError } from './lib/http/client-errors.js'
import { isPageRoute } from './lib/http/page-routes.js'
import { addressMatcher } from './lib/http/client-address.js'
import { list } from './lib/settings.js'
import type { ConfigOptions } from './plugins/config.js'
import type { EdgeOptions } from './plugins/connections.js'
import type { HistoryPluginOptions } from './plugins/history.js'
import type { OverloadOptions } from './plugins/overload.js'
import type { RateLimitOptions } from './plugins/rate-limit.js'
import type { ChainOptions } from './plugins/chain.js'

/** What the application is made with; tests replace its edges here, never its modules. */
export type AppOptions = ConfigOptions & HistoryPluginOptions & RateLimitOptions & ChainOptions &
  EdgeOptions & OverloadOptions

const folder = (name: string): string => fileURLToPath(new URL(name, import.meta.url))

/** The application: every file of plugins/, then every folder of routes/. It never listens. */
export default async function app (fastify: FastifyInstance, options: AppOptions): Promise<void> {
  // handlers read what is asked themselves, and say what is wrong with it
  fastify.setValidatorCompiler(() => value => ({ value }))
  // a compiled serialiser for every status of every route would be more than half of the start
  fastify.setSerializerCompiler(() => JSON.stringify)
  await fastify.register(autoload, { dir: folder('plugins'), options })
  await fastify.register(autoload, { dir: folder('routes') })
}

/**
 * Longer than any key: a path parameter of any length reaches its handler, which answers it in the words of the
 * contract.
 */
const MAX_PARAMETER = 16_384

/**
 * Limits of a connection, ms and bytes. A request is a few hundred bytes without a body: who needs longer than these
 * for one holds a connection and does nothing with it.
 */
const HEADERS_WITHIN = 5_000
const REQUEST_WITHIN = 10_000
/** Nothing sent or read for so long: an answer takes 10 s at most, so this is a client who does not read. */
const SILENT_WITHIN = 30_000
/** Load balancers reuse a connection for up to 60 s: ours must outlive it, or they meet a closed one. */
const KEPT_OPEN = 72_000
/** Connections are held against these limits once a second; the platform does so twice a minute. */
const CHECKED_EVERY = 1_000
/**
 * A path, its query and all headers together: the platform's default, which fits a chain of proxies and their cookies.
 */
const MAX_HEADERS = 16_384

/**
 * What Fastify must know before any plugin is loaded. The settings it reads are checked with the others once plugins
 * load.
 */
export function serverOptions (env: ConfigOptions['env']) {
  const isProxy = addressMatcher(list(env.TRUST_PROXY ?? ''))
  return {
    logController: new RequestLog({ disableRequestLogging: true }),
    genReqId: ({ headers }) => requestId(headers['x-request-id']),
    trustProxy: address => isProxy(address),
    routerOptions: { maxParamLength: MAX_PARAMETER },
    // making the tables of a new version anew takes as long as it takes; what waits for others has limits of its own
    pluginTimeout: 0,
    rewriteUrl: ({ url = '/' }) => withoutTrailingSlash(escapeStrayPercents(url)),
    connectionTimeout: SILENT_WITHIN,
    keepAliveTimeout: KEPT_OPEN,
    requestTimeout: REQUEST_WITHIN,
    http: {
      headersTimeout: HEADERS_WITHIN,
      connectionsCheckingInterval: CHECKED_EVERY,
      maxHeaderSize: MAX_HEADERS,
      requireHostHeader: false   // plugins/connections.ts answers such requests in the words of the contract
    },
    clientErrorHandler: (error, socket) => answerClientError(error, socket),
    return503OnClosing: false    // plugins/graceful-shutdown.ts does, likewise
  } satisfies FastifyHttpOptions<Server>
}

/** Whether an answer came from the cache, by its headers. */
function cacheState (reply: FastifyReply): string | undefined {
  if (reply.statusCode === 304) return 'not modified'
  if (reply.hasHeader('age')) return 'stale'
  return reply.hasHeader('etag') ? 'fresh' : undefined
}

/** One line for each answer, by its request's id, instead of two; bodies, queries and headers are not logged. */
class RequestLog extends LogController {
  override requestCompleted (_error: unknown, request: FastifyRequest, reply: FastifyReply): void {
    request.log.info({
      method: request.method,
      route: request.routeOptions.url ?? 'unknown',
      status: reply.statusCode,
      ms: Math.round(reply.elapsedTime * 10) / 10,
      cache: cacheState(reply)
    }, 'answered')
  }
}

/**
 * A request's id: the client's own where it is well formed, so that nothing a stranger writes reaches the log as it is.
 */
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

/**
 * `/api/tickers/` is `/api/tickers`. The page and the reference have relative links, so there the slash means
 * something.
 */
function withoutTrailingSlash (url: string): string {
  if (!/\/(?:\?|$)/.test(url)) return url
  const [path = ''] = url.split('?')
  if (path.length < 2 || !path.endsWith('/') || path.endsWith('//') || isPageRoute(path)) return url
  return path.slice(0, -1) + url.slice(path.length)
}
