import { spawnSync } from 'node:child_process'
import { test } from 'tap'

/**
 * A process that makes the application, up to the moment before it listens, and prints the CommonJS modules that it has
 * loaded for that.
 */
const PROGRAM = `
import { createRequire } from 'node:module'
import Fastify from 'fastify'
import fp from 'fastify-plugin'
import app, { serverOptions } from './app.ts'
const key = 'FUTARELBfJfQ8RDGhg1wdhddq1odMAJUePHFuBYfUxKq'
const env = {
  FACTORY_ADDRESS: key,
  ROUTER_ADDRESS: key,
  CHAIN_RPC_URL: 'http://127.0.0.1:9',
  CHAIN_WS_URL: '',
  DATA_DIR: process.argv[1]
}
const fastify = Fastify({ ...serverOptions(env), logger: false })
await fastify.register(fp(app), { env })
await fastify.after()
console.log(Object.keys(createRequire(import.meta.url).cache).join('\\n'))
process.exit()
`

test('what no request needs before a node has answered is not loaded before the service listens', async t => {
  const { stdout, stderr } = spawnSync(process.execPath, [
    '--import', 'tsx', '--input-type=module', '--eval', PROGRAM, t.testdir()
  ], {
    encoding: 'utf8', env: { PATH: process.env.PATH, FASTIFY_AUTOLOAD_TYPESCRIPT: '1' }
  })
  t.match(stdout, /node_modules\/fastify\//, stderr)
  for (const name of ['@coral-xyz/anchor', '@solana/web3.js', 'prom-client', 'ioredis', 'pg', '@resvg/resvg-js']) {
    t.notOk(stdout.includes(`node_modules/${name}/`), name)
  }
})
