import { spawn, spawnSync } from 'node:child_process'
import { createServer as createTcpServer, type AddressInfo } from 'node:net'
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { Redis } from 'ioredis'
import Fastify, { type FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { test, type Test } from 'tap'
import app, { serverOptions } from '../../../app.js'
import { systemClock } from '../../../lib/clock.js'
import { createRedisLink } from '../../../lib/rate-limit/redis.js'
import { createMetrics } from '../../../lib/responses/metrics.js'
import type { RateLimitOptions } from '../../../plugins/rate-limit.js'
import { settings, startChain, until } from '../../helper.js'
import { freePort } from '../../support/free-port.js'
import { createLink } from '../../support/link.js'
import { steadyNow } from '../../support/steady-time.js'

const SERVER = process.env.TEST_REDIS_URL ?? 'redis://127.0.0.1:6379'
const MINUTE = 60_000
/** Where none listens that is told at once; one that is there may be late on a busy machine. */
const PATIENCE_MS = 60_000

/**
 * Why these tests are left out here; false where they run. Where CI is set they always run, and fail without a Redis.
 */
async function withoutRedis (): Promise<string | false> {
  const redis = new Redis(SERVER, { lazyConnect: true, retryStrategy: () => null, connectTimeout: PATIENCE_MS })
  redis.on('error', () => {})
  try {
    await redis.connect()
    return false
  } catch (error) {
    if (process.env.CI !== undefined && process.env.CI !== '') throw error
    return 'no Redis answers at 127.0.0.1:6379 (or at TEST_REDIS_URL): the tests that need one are left out'
  } finally {
    redis.disconnect()
  }
}
const skip = await withoutRedis()

interface Replica {
  app: FastifyInstance
  lines: string[]
  /** How many of so many requests are let through. */
  admitted (requests: number): Promise<number>
  metric (name: string): Promise<string | undefined>
}

type Link = NonNullable<RateLimitOptions['redisLink']>
/**
 * A busy machine is no Redis that is away: what is late by less is waited for, and who is silent for less still counts.
 */
const PATIENT = { timeout: 8_000, deadAfter: 20_000, heartbeatMs: 3_000, retryMs: 50 } satisfies Link

/** A fleet of replicas over one chain, with a clock that the test turns and keys of its own. */
async function startFleet (t: Test, size: number, env: Record<string, string>, redisLink: Link = PATIENT) {
  const { ledger, node } = await startChain(t)
  const clock = { time: 1_000 * MINUTE }
  const prefix = `test:${randomUUID()}:`
  const folder = t.testdir()
  const replicas: Replica[] = []
  for (let i = 0; i < size; i++) {
    const own = {
      ...settings(t, node, ledger, { REDIS_URL: SERVER, RATE_LIMIT_MAX: '10', ...env }),
      DATA_DIR: join(folder, String(i))
    }
    const lines: string[] = []
    const fastify = Fastify(
      { ...serverOptions(own), logger: { level: 'info', stream: { write: line => { lines.push(line) } } } }
    )
    t.teardown(() => fastify.close())
    await fastify.register(fp(app), { env: own, now: () => clock.time, redisLink: { prefix, ...redisLink } })
    await fastify.ready()
    replicas.push({
      app: fastify,
      lines,
      async admitted (requests) {
        const answers = await Promise.all(Array.from({ length: requests }, () => fastify.inject('/health')))
        t.ok(answers.every(({ statusCode }) => statusCode === 200 || statusCode === 429))
        return answers.filter(({ statusCode }) => statusCode === 200).length
      },
      async metric (name) {
        return new RegExp(`^${name} (.*)$`, 'm').exec(await createMetrics(fastify).registry.metrics())?.[1]
      }
    })
  }
  const known = async (count: number): Promise<void> => await until(
    'the replicas know of each other', () => replicas.every(({ app }) => app.sharedLimit!.replicas === count)
  )
  const areUp = async (up: boolean): Promise<void> => await until(
    `Redis is ${up ? 'there' : 'away'}`, () => replicas.every(({ app }) => app.sharedLimit!.up === up)
  )
  return { replicas, prefix, clock, known, areUp }
}

const told = (lines: string[], what: string): number => lines.filter(line => line.includes(what)).length
const AWAY = 'the rate limit is not shared'
const SHARED = 'the rate limit is shared'

test('two replicas have one count for each client and clock minute, which ends by itself', { skip }, async t => {
  const { replicas: [a, b], prefix, clock } = await startFleet(t, 2, {})
  t.equal(await a!.admitted(4) + await b!.admitted(4) + await a!.admitted(4), 10)
  const refused = await b!.app.inject('/health')
  t.equal(refused.statusCode, 429)
  t.equal(refused.headers['retry-after'], '60')
  t.equal(await a!.metric('rate_limit_backend_local'), '0')

  const redis = new Redis(SERVER)
  t.teardown(() => redis.disconnect())
  const keys = await redis.keys(`${prefix}*`)
  t.same(keys.sort(), [`${prefix}1000:127.0.0.1`, `${prefix}replicas`])
  for (const key of keys) t.ok(await redis.pttl(key) > 0 && await redis.pttl(key) <= 2 * MINUTE, `${key} ends`)
  t.equal(await a!.admitted(5) + await b!.admitted(5), 0)
  t.equal(await redis.get(keys[0]!), '13', 'who is known to be past the limit is not counted on')

  clock.time += MINUTE - 1
  t.equal(await a!.admitted(1), 0, 'the last millisecond of the minute')
  clock.time += 1
  t.equal(await a!.admitted(6) + await b!.admitted(6), 10, 'the next minute')
})

for (const [how, trouble] of [['reset', 'connection'], ['silent', 'timeout']] as const) {
  test(
    `Redis away (${how}): each replica keeps to its share and says so; the count is shared again once it is back`,
    { skip },
    async t => {
      const { hostname, port, pathname } = new URL(SERVER)
      const link = await createLink({ host: hostname, port: Number(port || 6379) })
      t.teardown(() => link.close())
      const { replicas, prefix, clock, known, areUp } = await startFleet(
        t, 2, { REDIS_URL: `redis://127.0.0.1:${link.port}${pathname}` }
      )
      const [a, b] = replicas as [Replica, Replica]
      await known(2)
      t.equal(await a.metric('rate_limit_replicas'), '2')
      let admitted = 0
      for (const replica of [a, b, a, b]) admitted += await replica.admitted(1)
      t.equal(admitted, 4)

      const restore = link.begin(how)
      const begun = steadyNow()
      admitted += (await Promise.all([a.admitted(20), b.admitted(20)])).reduce((sum, n) => sum + n)
      t.ok(steadyNow() - begun < PATIENT.timeout + 5_000, 'no request hangs')
      t.ok(admitted > 4 && admitted <= 10, `${admitted} of 10 in this minute`)
      await areUp(false)
      t.equal(await a.metric('rate_limit_backend_local'), '1')
      await setTimeout(300)
      for (const { lines } of replicas) {
        t.equal(told(lines, AWAY), 1, 'one line, however many requests')
        if (how === 'silent') t.equal(told(lines, `"trouble":"${trouble}"`), 1)
      }
      clock.time += MINUTE
      t.equal(await a.admitted(20) + await b.admitted(20), 10, 'five each of the next minute')

      const redis = new Redis(SERVER)
      t.teardown(() => redis.disconnect())
      await redis.del(`${prefix}replicas`)
      restore()
      await areUp(true)
      for (const { app } of replicas) t.equal(app.sharedLimit!.replicas, 2, 'though it has forgotten them')
      t.equal(await a.metric('rate_limit_backend_local'), '0')
      t.equal(await a.admitted(20) + await b.admitted(20), 0, 'nothing more in the minute in which it comes back')
      for (const { lines } of replicas) t.equal(told(lines, SHARED), 2)
      clock.time += MINUTE
      t.equal(await a.admitted(20) + await b.admitted(20), 10, 'then one count again')
      t.equal(await b.admitted(1), 0)
    }
  )
}

test('after Redis is back, ' +
  'who is not heard of again counts for as long as a replica may be late', { skip }, async t => {
  const { hostname, port, pathname } = new URL(SERVER)
  const link = await createLink({ host: hostname, port: Number(port || 6379) })
  t.teardown(() => link.close())
  const prefix = `test:${randomUUID()}:`
  const redis = new Redis(SERVER)
  t.teardown(() => redis.disconnect())
  // heard of for longer than a busy machine takes to come to where it is forgotten
  await redis.zadd(`${prefix}replicas`, Date.now() + MINUTE, 'another')
  let backAt = 0
  const only = createRedisLink({
    ...PATIENT,
    url: `redis://127.0.0.1:${link.port}${pathname}`,
    prefix,
    expiry: MINUTE,
    heartbeatMs: 400,
    onChange: ({ up }) => { backAt = up ? systemClock.now() : 0 }
  })
  t.teardown(() => only.close())
  await only.start()
  t.equal(only.replicas, 2)
  const restore = link.begin('reset')
  await until('Redis is away', () => !only.up)
  await redis.del(`${prefix}replicas`)
  restore()
  await until('who does not come back is forgotten', () => only.up && only.replicas === 1)
  t.ok(systemClock.now() - backAt >= 1_150, 'three beats of 400 ms')
})

test('without Redis the service starts, limits and stops', async t => {
  const begun = steadyNow()
  const { replicas: [only] } = await startFleet(t, 1, { REDIS_URL: 'redis://127.0.0.1:1' })
  t.equal(await only!.admitted(20), 10)
  t.equal(await only!.metric('rate_limit_backend_local'), '1')
  await only!.app.close()
  t.ok(steadyNow() - begun < 15_000)
  t.equal(told(only!.lines, AWAY), 1)
})

test('an address that swallows everything delays the start by a second at most, and the end not at all', async t => {
  const gap = createTcpServer(() => {})
  await new Promise<void>(resolve => gap.listen(0, '127.0.0.1', resolve))
  t.teardown(() => gap.close())
  for (const scheme of ['redis', 'rediss']) {
    const url = `${scheme}://user:secretword@127.0.0.1:${(gap.address() as AddressInfo).port}`
    const link = createRedisLink({ url, prefix: 'test:', expiry: MINUTE })
    const begun = steadyNow()
    await link.start()
    t.ok(steadyNow() - begun < 3_000, 'the link alone: a service takes its own time to start')
    const ending = steadyNow()
    await link.close()
    t.ok(steadyNow() - ending < 1_000)

    // by the limits that a service has
    const { replicas: [only] } = await startFleet(t, 1, { REDIS_URL: url }, {})
    t.equal(await only!.admitted(20), 10)
    const closing = steadyNow()
    await only!.app.close()
    t.ok(steadyNow() - closing < 5_000)
    t.notOk(only!.lines.join('').includes('secretword'))
  }
})

test('a password that is refused is not told', { skip }, async t => {
  const { replicas: [only] } = await startFleet(t, 1, { REDIS_URL: SERVER.replace('://', '://someone:s%40cretword@') })
  t.equal(await only!.admitted(20), 10)
  t.equal(told(only!.lines, '"trouble":"answer"'), 1)
  const text = only!.lines.join('') + await createMetrics(only!.app).registry.metrics()
  t.notOk(/cretword/.test(text))
})

const noServer = spawnSync('redis-server', ['--version']).error !== undefined &&
  'no redis-server can be started here: what a full one, and a failover, do is left out'
/** A server of its own, and a connection for its operator. */
async function startRedis (t: Test, ...settings: string[]) {
  const port = await freePort()
  const server = spawn('redis-server', ['--port', String(port), '--save', '', ...settings], { stdio: 'ignore' })
  // however long a busy machine takes to start it
  const admin = new Redis(port, { retryStrategy: () => 50, maxRetriesPerRequest: null }).on('error', () => {})
  t.teardown(() => {
    admin.disconnect()
    server.kill()
  })
  await admin.ping()
  return { port, admin }
}

/** A started link, and what it has told. */
async function startLink (t: Test, port: number) {
  const changes: boolean[] = []
  const link = createRedisLink({
    url: `redis://127.0.0.1:${port}`,
    prefix: 'test:',
    expiry: MINUTE,
    ...PATIENT,
    onChange: ({ up }) => changes.push(up)
  })
  t.teardown(() => link.close())
  await link.start()
  return { link, changes }
}

test('a Redis without room is away until it has some, told once', { skip: noServer }, async t => {
  const { port, admin } = await startRedis(t, '--maxmemory', '1')
  const { link, changes } = await startLink(t, port)
  await setTimeout(300)
  t.same(changes, [false])
  await admin.config('SET', 'maxmemory', '0')
  await until('it counts', () => link.up)
  t.equal(await link.add('client'), 1)
  t.same(changes, [false, true])
})

test('after a failover the new primary behind the name is found, told once', { skip: noServer }, async t => {
  const [old, next] = [await startRedis(t), await startRedis(t)]
  const name = { host: '127.0.0.1', port: old.port }
  const way = await createLink(name)
  t.teardown(() => way.close())
  const { link, changes } = await startLink(t, way.port)
  await old.admin.replicaof('127.0.0.1', 1)
  await t.rejects(link.add('client'), /READONLY/)
  await setTimeout(300)
  name.port = next.port
  await until('it counts', () => link.up)
  t.equal(await link.add('client'), 1)
  t.same(changes, [true, false, true])
})

test('a replica that ends leaves the fleet at once', { skip }, async t => {
  const { replicas: [a, b], known } = await startFleet(t, 2, {})
  await known(2)
  await b!.app.close()
  await until('the other knows', () => a!.app.sharedLimit!.replicas === 1)
  t.equal(await a!.metric('rate_limit_replicas'), '1')
})
