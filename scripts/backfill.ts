import { existsSync } from 'node:fs'
import Fastify from 'fastify'
import { backfill } from './backfill-progress.js'
import { readCommandLine, runScript } from './command-line.js'
import { createHistory } from '../lib/history/history.js'
import { openPostgresStore } from './open-engine.js'
import { openSqliteStore } from '../lib/history/store/sqlite.js'
import cachePlugin from '../plugins/cache.js'
import chainPlugin from '../plugins/chain.js'
import configPlugin from '../plugins/config.js'

const HELP = `npm run backfill

Reads the whole history of the program into the store, from now back to the beginning that the node offers, and shows
how far it is. Runs what \`npm run build\` has made.

Settings are those of the service, from the environment or .env:
  CHAIN_RPC_URL    the node, or several with commas. Its pace decides how long this takes: a free public one days, a
                   paid one hours
  CHAIN_RPC_RATE   requests a second that it allows
  FACTORY_ADDRESS  the program
  DATA_DIR         folder of the embedded store (./data), or
  DATABASE_URL     postgres://…

Ctrl-C ends it; what has come is stored, and the next start goes on from there. A second Ctrl-C ends it at once.
It refuses to run beside a service on the same store: a running service reads the history by itself.

  --help  this text

Status 0: read, or stopped by a signal. Status 1: a setting, a store or a node that can't be, told in a line.`
readCommandLine(HELP, {})
if (existsSync('.env')) process.loadEnvFile('.env')

await runScript(async signal => {
  const fastify = Fastify({ logger: false })
  try {
    await fastify.register(configPlugin, { env: process.env })
    await fastify.register(chainPlugin)
    await fastify.register(cachePlugin)
    await fastify.ready()
    const { chain, cache, config: { dataDir, databaseUrl, factory, feeRate, volumeBasis } } = fastify
    const store = databaseUrl === undefined
      ? await openSqliteStore({ folder: dataDir, program: factory })
      : await openPostgresStore({ url: databaseUrl, program: factory })
    try {
      await backfill(createHistory({
        reader: chain.history,
        store,
        program: factory,
        daos: cache.daos,
        time: chain.time,
        rate: feeRate,
        basis: volumeBasis,
        onLog: ({ level, message }) => {
          if (level !== 'info') process.stderr.write(`${process.stdout.isTTY ? '\r\x1b[2K' : ''}${level}: ${message}\n`)
        }
      }), { out: process.stdout, signal })
    } finally {
      await store.close()
    }
  } finally {
    await fastify.close()
  }
}, { interrupted: 'what has come is stored.' })
