import { randomUUID } from 'node:crypto'
import type { Server } from 'node:http'
import { fileURLToPath } from 'node:url'
import autoload from '@fastify/autoload'
import { type FastifyHttpOptions, type FastifyInstance, LogController } from 'fastify'
import { answerClientError } from './lib/client-errors.js'
import { addressMatcher } from './lib/settings.js'
import { SHARED_SCHEMAS } from './schemas/responses.js'
import type { CacheOptions } from './plugins/cache.js'
import type { ConfigOptions } from './plugins/config.js'
import type { DrainOptions } from './plugins/drain.js'
import type { EdgeOptions } from './plugins/edge.js'
import type { HistoryPluginOptions } from './plugins/history.js'
import type { MarketOptions } from './plugins/market.js'
import type { OverloadOptions } from './plugins/overload.js'
import type { RateLimitOptions } from './plugins/rate-limit.js'
import type { RpcOptions } from './plugins/rpc.js'
import type { SharedLimitOptions } from './plugins/shared-limit.js'

/** What the application is made with; tests replace its edges here, never its modules. */
export type AppOptions = ConfigOptions & CacheOptions & HistoryPluginOptions & MarketOptions & RateLimitOptions & RpcOptions &
  EdgeOptions & DrainOptions & OverloadOptions & SharedLimitOptions

const folder = (name: string): string => fileURLToPath(new URL(name, import.meta.url))

/** The application: every file of plugins/, then every folder of routes/. It never listens. */
export default async function app (fastify: FastifyInstance, options: AppOptions): Promise<void> {
  for (const schema of SHARED_SCHEMAS) fastify.addSchema(schema)
  await fastify.register(autoload, { dir: folder('plugins'), options })
  await fastify.register(autoload, { dir: folder('routes') })
}

/** Longer than any key: a path parameter of any length reaches its handler, which answers it in the words of the contract. */
const MOST_PARAMETER = 16_384

/**
 * Limits of a connection, ms and bytes. A request is a few hundred bytes without a body: who needs longer than these for one holds a
 * connection and does nothing with it.
 */
const HEADERS_WITHIN = 5_000
const REQUEST_WITHIN = 10_000
/** Nothing sent or read for so long: an answer takes 10 s at most, so this is a client who does not read. */
const SILENT_WITHIN = 30_000
/** Load balancers reuse a connection for up to 60 s: ours must outlive it, or they meet a closed one. */
const KEPT_OPEN = 72_000
/** Connections are held against these limits once a second; the platform does so twice a minute. */
const CHECKED_EVERY = 1_000
/** A path, its query and all headers together: the platform's default, which fits a chain of proxies and their cookies. */
const MOST_HEADERS = 16_384

/** What Fastify must know before any plugin is loaded. The settings it reads are checked with the others once plugins load. */
export function serverOptions (env: ConfigOptions['env']) {
  const isProxy = addressMatcher(env.TRUST_PROXY ?? '')
  return {
    // plugins/request-log.ts writes one line for each request instead of two
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: ({ headers }) => requestId(headers['x-request-id']),
    trustProxy: address => isProxy(address),
    routerOptions: { maxParamLength: MOST_PARAMETER },
    rewriteUrl: ({ url = '/' }) => escapeStrayPercents(url),
    connectionTimeout: SILENT_WITHIN,
    keepAliveTimeout: KEPT_OPEN,
    requestTimeout: REQUEST_WITHIN,
    http: {
      headersTimeout: HEADERS_WITHIN,
      connectionsCheckingInterval: CHECKED_EVERY,
      maxHeaderSize: MOST_HEADERS,
      requireHostHeader: false   // plugins/edge.ts answers such requests in the words of the contract
    },
    clientErrorHandler: (error, socket) => answerClientError(error, socket),
    return503OnClosing: false    // plugins/drain.ts does, likewise
  } satisfies FastifyHttpOptions<Server>
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
