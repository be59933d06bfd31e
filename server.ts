import { lookup } from 'node:dns/promises'
import { existsSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import closeWithGrace from 'close-with-grace'
import Fastify from 'fastify'
import fp from 'fastify-plugin'
import app, { serverOptions } from './app.js'
import { isServiceError, ServiceError } from './lib/errors.js'
import { createLogStream } from './lib/log-stream.js'
import { createRedactor, secretsOf } from './lib/secrets.js'
import { SettingsError } from './lib/settings.js'
import { SettingsSchema } from './schemas/settings.js'

/** The process: reads the environment, builds the app, listens, closes with grace. */

/**
 * Longest that everything may take to end, ms; what is in work is cut off long before that
 * (plugins/graceful-shutdown.ts, plugins/history.ts).
 */
const GRACE = 9_500
const SIGNALS: Array<'SIGTERM' | 'SIGINT' | 'SIGQUIT'> = ['SIGTERM', 'SIGINT', 'SIGQUIT']
/**
 * npm passes on a signal that the terminal, or whoever ends the process group, has already sent here: within this time
 * it is the same one, ms.
 */
const SAME_SIGNAL = 100
/**
 * Connections that may wait to be accepted: with the platform's 511 a burst of slow clients makes others wait for
 * seconds.
 */
const MAX_WAITING = 4_096
/** Between two attempts to reach a node at the start, ms. */
const ASK_AGAIN = 1_000
/** Settings of a file beside the service; those of the real environment win. */
const FILE = '.env'

try {
  if (existsSync(FILE)) process.loadEnvFile(FILE)
} catch (error) {
  process.stderr.write(`${FILE} can't be read: ${(error as Error).message}\n`)
  process.exit(1)
}
const { env } = process
// a diagnostic report would hold the environment, and with it every key
Object.assign(process.report, { excludeEnv: true })

const levels = SettingsSchema.properties.LOG_LEVEL.anyOf.map(({ const: level }) => level)
const fastify = Fastify({
  ...serverOptions(env),
  logger: {
    // one that is no level is reported with the other problems
    level: levels.find(level => level === env.LOG_LEVEL?.trim()) ?? 'info',
    stream: createLogStream({
      out: process.stdout, terminal: process.stdout.isTTY === true, redact: createRedactor(secretsOf(env))
    })
  }
})
/** For the reasons why the process ends: told at every level, or nobody would know. */
const fatalLog = fastify.log.child({}, { level: 'error' })

/** A sentence for each problem that the operator can solve; undefined for one that is ours. */
function explain (error: unknown): string[] | undefined {
  if (error instanceof SettingsError) return error.problems
  if (isServiceError(error)) return [error.message]
  const { code, syscall = '', address, port, setting } = error as NodeJS.ErrnoException & {
    address?: string,
    port?: number,
    setting?: 'METRICS'
  }
  const prefix = setting === undefined ? '' : `${setting}_`
  if (port !== undefined && code === 'EADDRINUSE') {
    return [`port ${port} at ${address} is taken by another process: stop it first, or set another ${prefix}PORT`]
  }
  if (port !== undefined && code === 'EACCES') {
    return [`port ${port} at ${address} may not be used by this user: set another ${prefix}PORT`]
  }
  const host = address ?? (setting === undefined ? fastify.config.host : fastify.config.metricsHost)
  return ['listen', 'getaddrinfo'].includes(syscall)
    ? [`${prefix}HOST is no address of this machine: ${host} (${code})`]
    : undefined
}

async function start (): Promise<void> {
  await fastify.register(fp(app), { env })
  await fastify.ready()
  const { port, host } = fastify.config
  // given `localhost`, Fastify listens on each of its addresses by a server of its own, which none of our limits reach
  const { address } = await lookup(host, { order: 'ipv4first' })
  await fastify.listen({ port, host: address, backlog: MAX_WAITING })
  isUp = true
  await nodeAnswers()
}

/**
 * Waits until a node has answered, says so, and checks the programs; throws where they are none, or where NODE_WITHIN
 * sets a time and none has answered by then.
 */
async function nodeAnswers (): Promise<void> {
  const { config: { startupTimeout }, cache } = fastify
  const deadline = performance.now() + (startupTimeout ?? Infinity)
  for (let tries = 0; !isEnding(); tries++) {
    try {
      const { slot, discovered } = await cache.snapshot.get([])
      fastify.log.info({ slot }, 'a node answers')
      return await checkPrograms(discovered.length > 0)
    } catch (error) {
      if (isEnding()) return
      if (error instanceof SettingsError) throw error
      if (performance.now() > deadline) {
        await fastify.close()
        throw new ServiceError(
          'NODE_UNAVAILABLE',
          `no node has answered within NODE_WITHIN=${startupTimeout! / 1000} s`,
          { cause: error }
        )
      }
      if (tries === 0) fastify.log.warn('no node answers yet: the service listens, and goes on trying')
      await setTimeout(ASK_AGAIN, undefined, { ref: false })
    }
  }
}

/**
 * Throws a SettingsError where FACTORY_ADDRESS is no program of this network; says so of ROUTER_ADDRESS, and where the
 * node has accounts of a program that it does not know.
 */
async function checkPrograms (hasDaos: boolean): Promise<void> {
  const { config: { factory, router }, chain } = fastify
  const { value: [[program, routing] = []] } = await chain.accounts.accounts([[factory, router]])
  const problem = (account: typeof program) => account == null
    ? 'there is no such account on this network'
    : account.executable === true ? undefined : 'the account is no program'
  const [wrong, doubt] = [problem(program), problem(routing)]
  if (doubt !== undefined) fastify.log.warn(`ROUTER_ADDRESS=${router}: ${doubt}`)
  if (wrong === undefined) return
  if (hasDaos) return fastify.log.warn(`FACTORY_ADDRESS=${factory}: ${wrong}, though it has accounts`)
  await fastify.close()
  throw new SettingsError([`FACTORY_ADDRESS=${factory}: ${wrong}`])
}

const grace = closeWithGrace({ delay: GRACE, logger: fatalLog, skip: SIGNALS }, async ({ err }) => {
  if (err !== undefined) fatalLog.fatal({ err }, 'an error that nothing caught')
  await fastify.close()
  fastify.log.info('the service has ended')
})

/** Whether it listens; before, there is nothing in work that its end would have to wait for. */
let isUp = false
/** When the process was told to end. */
let told = Infinity
const isEnding = (): boolean => told !== Infinity
for (const signal of SIGNALS) {
  process.on(signal, () => {
    if (performance.now() - told > SAME_SIGNAL) {
      fatalLog.error(`${signal} once more: the service ends at once`)
      process.exit(1)
    }
    if (isEnding()) return
    told = performance.now()
    if (!isUp) {
      fastify.log.info(`${signal} received before the service listens: it ends`)
      process.exit(0)
    }
    fastify.log.info(`${signal} received: requests in work are answered, then the service ends`)
    grace.close()
  })
}

start().catch((error: unknown) => {
  const problems = explain(error)
  if (problems === undefined) fatalLog.fatal({ err: error }, 'the service could not start')
  else for (const problem of problems) fatalLog.error(problem)
  process.exit(1)
})
