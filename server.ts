import closeWithGrace from 'close-with-grace'
import Fastify from 'fastify'
import fp from 'fastify-plugin'
import app, { serverOptions } from './app.js'
import { SettingsError } from './lib/settings.js'

/** The process: reads the environment, builds the app, listens, closes with grace. */

/** Longest that requests in flight and the indexer's step may take to end, ms. */
const GRACE = 8_000

const { env } = process
const fastify = Fastify({
  ...serverOptions(env),
  logger: { level: env.LOG_LEVEL || 'info' }
})

async function start (): Promise<void> {
  await fastify.register(fp(app), { env })
  await fastify.ready()
  const { port, host } = fastify.config
  await fastify.listen({ port, host })
}

closeWithGrace({ delay: GRACE, logger: fastify.log }, async ({ err }) => {
  if (err !== undefined) fastify.log.fatal({ err }, 'an error that nothing caught')
  await fastify.close()
})

start().catch((error: unknown) => {
  if (error instanceof SettingsError) for (const problem of error.problems) fastify.log.error(problem)
  else fastify.log.fatal({ err: error }, 'the service could not start')
  process.exit(1)
})
