import Fastify from 'fastify'
import { test } from 'tap'
import { compare, ratio } from '../../lib/decimal.js'
import { SettingsError, warnings } from '../../lib/settings.js'
import config from '../../plugins/config.js'

const PROGRAM = 'FUTARELBfJfQ8RDGhg1wdhddq1odMAJUePHFuBYfUxKq'
const required = { FACTORY_ADDRESS: PROGRAM, ROUTER_ADDRESS: PROGRAM }

async function read (env: Record<string, string>) {
  const app = Fastify()
  await app.register(config, { env })
  await app.ready()
  return app.config
}

async function problemsOf (env: Record<string, string>): Promise<string[]> {
  try {
    await read(env)
  } catch (error) {
    if (error instanceof SettingsError) return error.problems.sort()
    throw error
  }
  return []
}

test('spec 8: with the two addresses alone every other setting has its default', async t => {
  const settings = await read(required)
  t.match(settings, {
    nodeUrls: ['https://api.mainnet-beta.solana.com'],
    websocketUrl: 'wss://api.mainnet-beta.solana.com',
    port: 3000,
    host: '0.0.0.0',
    environment: 'production',
    forkType: 'Custom',
    dataDir: './data',
    databaseUrl: undefined,
    redisUrl: undefined,
    rateLimitMax: 60,
    volumeBasis: 'input',
    staleIfError: 60_000,
    logLevel: 'info',
    metricsPort: undefined
  })
  t.equal(compare(settings.feeRate, ratio(25n, 10_000n)), 0)
  t.equal(compare(settings.quoteRules.feeRate, ratio(5n, 1_000n)), 0)
  t.equal(compare(settings.quoteRules.notional, ratio(100n)), 0)
  t.same(
    [...settings.usdRules.usdMints],
    ['EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v', 'Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB']
  )
})

test('spec 7: a missing required setting is named in exactly these words', async t => {
  t.same(await problemsOf({}), ['FACTORY_ADDRESS not configured', 'ROUTER_ADDRESS not configured'])
  t.same(await problemsOf({ ...required, FACTORY_ADDRESS: ' ', CHAIN_RPC_URL: '', DEX_FORK_TYPE: '' }),
    ['CHAIN_RPC_URL not configured', 'DEX_FORK_TYPE not configured', 'FACTORY_ADDRESS not configured'])
})

test('all problems are reported at once, and no value is repeated', async t => {
  const problems = await problemsOf({
    FACTORY_ADDRESS: 'secret-one',
    ROUTER_ADDRESS: '1111',
    CHAIN_RPC_URL: 'ftp://secret-two',
    CHAIN_WS_URL: 'http://secret-three',
    PORT: '70000',
    NODE_ENV: 'prod',
    PROTOCOL_FEE_RATE: '1',
    TAKER_FEE_RATE: '0',
    QUOTE_NOTIONAL: '-5',
    EXCLUDED_DAOS: `${PROGRAM},secret-four`,
    USD_MINTS: 'secret-five',
    USD_PRICED_MINTS: `${PROGRAM}:secret-eight`,
    USD_MIN_DEPTH: 'secret-nine',
    DATABASE_URL: 'mysql://secret-six',
    REDIS_URL: 'secret-seven',
    RATE_LIMIT_MAX: '0',
    RATE_LIMIT_ALLOW: '10.0.0.0/33',
    TRUST_PROXY: 'true',
    STALE_IF_ERROR: '1.5',
    VOLUME_BASIS: 'both',
    LOG_LEVEL: 'loud',
    METRICS_PORT: 'x'
  })
  t.equal(problems.length, 22)
  t.notOk(problems.some(problem => problem.includes('secret')))
  t.ok(problems.includes('PROTOCOL_FEE_RATE must be a decimal above 0 and below 1, of 12 places at most'))
  t.ok(problems.includes('PORT must be a whole number from 0 to 65535'))
  t.ok(problems.includes('NODE_ENV must be one of development, production, test'))
  t.ok(problems.includes('FACTORY_ADDRESS must be a public key: base58 of 32 bytes'))
})

test('a % in a node\'s user or password that is not encoded is told at the start: no call could be sent', async t => {
  for (const login of ['user:100%', 'us%er:word', 'user:%E9', 'a%zz']) {
    t.same(await problemsOf({ ...required, CHAIN_RPC_URL: `http://node, http://${login}@node.example/key` }),
      ['CHAIN_RPC_URL must be http or https URLs separated by commas, a % in user or password written as %25'], login)
  }
  t.same(await problemsOf({ ...required, CHAIN_RPC_URL: 'http://user:100%25@node.example/100%' }), [])
})

test('a pace of calls that no timer can keep is told at the start', async t => {
  const must = 'CHAIN_RPC_RATE must be decimals above 0.01 separated by commas: one, or one for each node'
  for (const rate of ['0', '1e-7', '1e-330', '-1', 'x']) {
    t.same(await problemsOf({ ...required, CHAIN_RPC_RATE: rate }), [must], rate)
  }
  t.same((await read({ ...required, CHAIN_RPC_RATE: '0.5' })).nodeRates, [0.5])
})

test('a rate or an amount that answers could show only rounded, as 0 or 1, is told at the start', async t => {
  for (const [name, range] of [
    ['PROTOCOL_FEE_RATE', ' and below 1'], ['TAKER_FEE_RATE', ' and below 1'], ['QUOTE_NOTIONAL', ''],
    ['USD_MIN_DEPTH', '']
  ] as const) {
    for (const value of ['1e-13', '0.9999999999999', '0.0000000000001']) {
      t.same(
        await problemsOf({ ...required, [name]: value }),
        [`${name} must be a decimal above 0${range}, of 12 places at most`],
        `${name}=${value}`
      )
    }
    for (const value of ['1e-12', '0.999999999999', '0.0050000000000000']) {
      t.same(await problemsOf({ ...required, [name]: value }), [], `${name}=${value}`)
    }
  }
})

test('a whole number is digits and nothing else', async t => {
  for (const PORT of ['0x7a3', '1e4', '+8123', '60.0', '-0', '1_0']) {
    t.same(await problemsOf({ ...required, PORT }), ['PORT must be a whole number from 0 to 65535'], PORT)
  }
  t.equal((await read({ ...required, PORT: ' 8123 ' })).port, 8123)
})

test('lists allow blanks, rates are read exactly, an empty optional setting keeps its default', async t => {
  const settings = await read({
    ...required,
    EXCLUDED_DAOS: ` ${PROGRAM} , , ${PROGRAM}`,
    PROTOCOL_FEE_RATE: '5e-3',
    PORT: '',
    CHAIN_RPC_URL: 'http://a, http://b'
  })
  t.same([...settings.excluded], [PROGRAM])
  t.equal(compare(settings.feeRate, ratio(5n, 1000n)), 0)
  t.equal(settings.port, 3000)
  t.same(settings.nodeUrls, ['http://a', 'http://b'])
  t.equal(settings.websocketUrl, undefined, 'another node than the public one brings no public WebSocket')
  t.equal((await read({ ...required, CHAIN_WS_URL: '' })).websocketUrl, undefined, 'empty: none')
})

test('RATE_LIMIT_ALLOW matches addresses and ranges of both families', async t => {
  const { isExempt } = await read({ ...required, RATE_LIMIT_ALLOW: '10.0.0.0/8, 192.0.2.7, 2001:db8::/32' })
  for (const address of ['10.1.2.3', '192.0.2.7', '::ffff:10.1.2.3', '2001:db8::1']) t.ok(isExempt(address), address)
  for (const address of ['11.1.2.3', '192.0.2.8', '2001:db9::1', 'nonsense', '']) t.notOk(isExempt(address), address)
})

test('ROLE is for replicas: without DATABASE_URL one process does all', async t => {
  const problem =
    'ROLE must be all without DATABASE_URL: the embedded store belongs to one process, which indexes and serves'
  for (const ROLE of ['api', 'indexer']) {
    t.same(await problemsOf({ ...required, ROLE }), [problem])
    t.equal((await read({ ...required, ROLE, DATABASE_URL: 'postgres://host/database' })).role, ROLE)
  }
  t.equal((await read(required)).role, 'all')
  t.same(await problemsOf({ ...required, ROLE: 'leader' }), ['ROLE must be one of all, api, indexer'])
})

test('VOLUME_BASIS auto is input by its old name; USD_PRICED_MINTS names each mint with its pool', async t => {
  t.equal((await read({ ...required, VOLUME_BASIS: 'auto' })).volumeBasis, 'input')
  t.equal((await read({ ...required, VOLUME_BASIS: 'fees' })).volumeBasis, 'fees')
  const [mint, pool] = ['So11111111111111111111111111111111111111112', PROGRAM]
  const settings = await read({ ...required, USD_PRICED_MINTS: ` ${mint} : ${pool} ,`, USD_MIN_DEPTH: '2500.5' })
  t.same([...settings.usdRules.pricedBy], [[mint, pool]])
  t.equal(compare(settings.usdRules.minDepth, ratio(5001n, 2n)), 0)
  for (const USD_PRICED_MINTS of [mint, `${mint}:`, `${mint}:${pool}:${pool}`, `${mint}:${pool},${mint}:${mint}`]) {
    t.same(
      await problemsOf({ ...required, USD_PRICED_MINTS }),
      ['USD_PRICED_MINTS must be mint:pool pairs of public keys separated by commas, each mint once']
    )
  }
})

test('a pool that prices a token and is excluded is told', async t => {
  const [mint, pool] = ['So11111111111111111111111111111111111111112', PROGRAM]
  const env = { ...required, USD_PRICED_MINTS: `${mint}:${pool}` }
  const told = async (env: Record<string, string>) => warnings(await read(env), env).filter(one => one.includes(pool))
  t.same(await told(env), [])
  t.same(await told({ ...env, EXCLUDED_DAOS: pool }), [
    `EXCLUDED_DAOS has ${pool}, by which USD_PRICED_MINTS values ${mint}: it has no value in USD`
  ])
})
