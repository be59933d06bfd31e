import { test, type Test } from 'tap'
import type { AggregateVolume } from '../../schemas/aggregate.js'
import type { Ready } from '../../schemas/ready.js'
import type { Dao } from '../../simulator/index.js'
import { build, historyComplete, settings, startChain } from '../helper.js'

const DAY = 86_400

async function setUp (t: Test, env: Record<string, string> = {}) {
  const { ledger, node } = await startChain(t)
  const aggregate = async (more: Record<string, string> = {}) => {
    const app = await build(t, {
      env: settings(t, node, ledger, { PROTOCOL_FEE_RATE: '0.005', ...env, ...more }),
      now: () => ledger.time * 1000,
      pollMs: 20
    })
    await historyComplete(app)
    const answer = await app.inject('/api/volume/aggregate')
    await app.close()
    t.equal(answer.statusCode, 200)
    return { headers: answer.headers, body: answer.json<AggregateVolume>() }
  }
  return { ledger, node, aggregate }
}

const cents = (text: string): bigint => {
  if (!/^\d+\.\d\d$/.test(text)) throw new Error(`${text} is no USD figure`)
  return BigInt(text.replace('.', ''))
}
const dateOf = (time: number): string => new Date(time * 1000).toISOString().slice(0, 10)

test(
  'spec 2.3: GET /api/volume/aggregate: every UTC day since the first launch, newest first; ' +
    'days, tokens and total agree to the cent',
  async t => {
    const { ledger, aggregate } = await setUp(t)
    const usdc = ledger.usdc()
    const daos = [1n, 3n, 7n].map(depth => ledger.dao({
      base: ledger.mint({ symbol: `T${depth}` }),
      quote: usdc,
      baseReserves: 2_000_000_000_000n,
      quoteReserves: depth * 123_456_789_012n
    }))
    const launched = ledger.time
    for (let day = 0; day < 9; day++) {
      ledger.advance(DAY)
      if (day % 3 === 1) continue
      for (const [i, dao] of daos.entries()) {
        dao.swap('buy', 1_000_003n * BigInt(day + 1) + BigInt(i))
        ledger.advance(700)
        dao.swap('sell', 5_000_777n * BigInt(i + 1))
      }
    }
    const { body, headers } = await aggregate()
    t.equal(headers['x-history-complete'], 'true')
    t.equal(headers['x-history-missing'], '0')

    // an independent count: exact sums over a common denominator of all inputs
    const worth = (
      { side, fee, input, output }: typeof ledger.swaps[number]
    ) => side === 'buy' ? { n: fee * 200n, d: 1n } : { n: fee * 200n * output, d: input }
    const sum = (swaps: typeof ledger.swaps) => swaps.map(worth).reduce(
      (a, b) => ({ n: a.n * b.d + b.n * a.d, d: a.d * b.d }), { n: 0n, d: 1n }
    )
    const nearest = ({ n, d }: { n: bigint, d: bigint }): bigint => (2n * n + d * 10_000n) / (2n * d * 10_000n)
    t.equal(cents(body.totalVolume), nearest(sum(ledger.swaps)))
    t.equal(body.dailyBreakdown.reduce((total, { volume }) => total + cents(volume), 0n), cents(body.totalVolume))
    t.equal(body.tokens.reduce((total, { totalVolume }) => total + cents(totalVolume), 0n), cents(body.totalVolume))

    t.same(
      body.dailyBreakdown.map(({ date }) => date),
      Array.from({ length: 10 }, (_, i) => dateOf(launched + (9 - i) * DAY))
    )
    for (const { date, volume, trades } of body.dailyBreakdown) {
      const swaps = ledger.swaps.filter(({ time }) => dateOf(time) === date)
      t.equal(trades, swaps.length, date)
      const difference = cents(volume) - nearest(sum(swaps))
      t.ok(difference >= -1n && difference <= 1n, `${date} to the cent`)
    }
    t.same(
      new Set(body.tokens.map(({ mint, symbol }) => `${mint} ${symbol}`)),
      new Set(daos.map(({ base }, i) => `${base.address} T${[1, 3, 7][i]}`))
    )
    t.same(
      body.tokens.map(({ totalVolume }) => cents(totalVolume)),
      body.tokens.map(({ totalVolume }) => cents(totalVolume)).sort((a, b) => Number(b - a))
    )
  }
)

test('before any DAO there is no volume and no day', async t => {
  const { aggregate } = await setUp(t)
  t.same((await aggregate()).body, { totalVolume: '0.00', dailyBreakdown: [], tokens: [] })
})

test('excluded DAOs are out of every figure, and un-excluding one needs no re-indexing', async t => {
  const { ledger, aggregate } = await setUp(t)
  const usdc = ledger.usdc()
  const [kept, spam] = [0, 1].map(
    () => ledger.dao({ base: ledger.mint(), quote: usdc, baseReserves: 10n ** 12n, quoteReserves: 10n ** 11n })
  )
  kept!.swap('buy', 10_000_000n)
  spam!.swap('buy', 70_000_000n)
  const without = await aggregate({ EXCLUDED_DAOS: spam!.address })
  t.match(without.body, {
    totalVolume: '10.00',
    dailyBreakdown: [{ trades: 1, volume: '10.00' }],
    tokens: [{ mint: kept!.base.address, totalVolume: '10.00' }]
  })
  t.equal(without.body.tokens.length, 1)
  t.equal((await aggregate()).body.totalVolume, '80.00')
})

test(
  'a fake dollar adds nothing to USD sums; a token does that the settings name with the pool that prices it',
  async t => {
    const { ledger, aggregate } = await setUp(t)
    const usdc = ledger.usdc()
    const euro = ledger.mint({ symbol: 'EURO' })
    const reserves = { baseReserves: 10n ** 12n, quoteReserves: 10n ** 12n }
    ledger.dao(
      { base: ledger.mint({ symbol: 'FAKED' }), quote: ledger.mint({ symbol: 'USDC' }), ...reserves }
    ).swap('buy', 50_000_000n)
    const pool = ledger.dao({ base: euro, quote: usdc, baseReserves: 10n ** 12n, quoteReserves: 2n * 10n ** 12n })
    ledger.dao({ base: ledger.mint({ symbol: 'INEURO' }), quote: euro, ...reserves }).swap('buy', 10_000_000n)
    t.equal((await aggregate()).body.totalVolume, '0.00', 'a pool alone is no price')
    const { body } = await aggregate({ USD_PRICED_MINTS: `${euro.address}:${pool.address}` })
    t.equal(body.totalVolume, '20.00', '10 EURO at 2 USD')
    t.equal(body.dailyBreakdown[0]?.trades, 2)
    t.notOk(body.tokens.some(({ symbol }) => symbol === 'FAKED'))
  }
)

test('a dollar that can\'t be read is an error, not a total of nought', async t => {
  const { ledger, node } = await startChain(t)
  ledger.dao(
    { base: ledger.mint(), quote: ledger.usdc(), baseReserves: 10n ** 12n, quoteReserves: 10n ** 11n }
  ).swap('buy', 10n ** 8n)
  const fault = node.fault({ method: 'getMultipleAccounts', kind: 'wrong-owner' })
  const app = await build(t, { env: settings(t, node, ledger), now: () => ledger.time * 1000, pollMs: 20 })
  await historyComplete(app)
  for (const path of ['/api/volume/aggregate', '/api/fees/aggregate', '/api/tickers']) {
    t.equal((await app.inject(path)).statusCode, 500, path)
  }
  t.ok(fault.fired > 0)
})

test('what has no form that is known is an error, where nothing else is left or a value needs it', async t => {
  const { ledger, node } = await startChain(t)
  const [usdc, euro] = [ledger.usdc(), ledger.mint({ symbol: 'EURO' })]
  const [pool, other] = [[euro, usdc], [ledger.mint(), euro]].map(([base, quote]) =>
    ledger.dao({ base: base!, quote: quote!, baseReserves: 10n ** 12n, quoteReserves: 10n ** 12n }))
  for (const dao of [pool!, other!]) dao.swap('buy', 10n ** 8n)
  const statuses = async (env: Record<string, string>, isReadable = true) => {
    const app = await build(t, { env: settings(t, node, ledger, env), now: () => ledger.time * 1000, pollMs: 20 })
    // with no account that can be read nothing is told of the history
    if (isReadable) await historyComplete(app)
    const paths = ['/api/volume/aggregate', '/api/tickers', '/api/pools', '/api/treasuries']
    const answers = await Promise.all(paths.map(path => app.inject(path)))
    const told = (await app.inject('/ready')).json<Ready>().answers
    await app.close()
    for (const [index, path] of paths.entries()) {
      const group = told.find(({ paths }) => paths.includes(path))
      t.equal(group?.ready, answers[index]!.statusCode === 200, `${path}, as /ready tells of it`)
    }
    return [...new Set(answers.map(({ statusCode }) => statusCode))]
  }
  const spoil = ({ address }: Dao): void => {
    const { owner, data } = ledger.account(address)!
    data[8] = 2
    ledger.setAccount(address, { owner, data })
  }
  const priced = { USD_PRICED_MINTS: `${euro.address}:${pool!.address}` }
  t.same(await statuses(priced), [200])
  spoil(pool!)
  t.same([await statuses({}), await statuses(priced)], [[200], [500]])
  spoil(other!)
  t.same(await statuses({}, false), [500])
})

test('two DAOs of one token make one token record', async t => {
  const { ledger, aggregate } = await setUp(t)
  const base = ledger.mint({ symbol: 'TWO' })
  for (let i = 0; i < 2; i++) {
    ledger.dao(
      { base, quote: ledger.usdc(), baseReserves: 10n ** 12n, quoteReserves: 10n ** 12n }
    ).swap('buy', 1_000_000n)
  }
  t.match((await aggregate()).body.tokens, [{ mint: base.address, symbol: 'TWO', totalVolume: '2.00' }])
})

test(
  'VOLUME_BASIS: a swap whose fee disagrees with the configured rate counts its input, or its fee by that rate',
  async t => {
    const { ledger, aggregate } = await setUp(t)
    const dao = ledger.dao(
      { base: ledger.mint(), quote: ledger.usdc(), baseReserves: 10n ** 12n, quoteReserves: 10n ** 12n }
    )
    dao.swap('buy', 10_000_000n)
    t.equal((await aggregate({ PROTOCOL_FEE_RATE: '0.0025' })).body.totalVolume, '10.00')
    t.equal((await aggregate({ PROTOCOL_FEE_RATE: '0.0025', VOLUME_BASIS: 'fees' })).body.totalVolume, '20.00')
    t.equal((await aggregate({ PROTOCOL_FEE_RATE: '0.005', VOLUME_BASIS: 'fees' })).body.totalVolume, '10.00')
  }
)
