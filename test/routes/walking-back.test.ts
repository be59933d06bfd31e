import { test } from 'tap'
import type { AggregateVolume } from '../../schemas/aggregate.js'
import type { AggregateFees, AggregateLiquidity } from '../../schemas/aggregate.js'
import type { Pool } from '../../schemas/pools.js'
import type { Candles, MarketDay, PoolDays, Trades } from '../../schemas/traded.js'
import type { Ready } from '../../schemas/ready.js'
import { DAY, dayOf, HOUR } from '../../lib/time.js'
import { build, goOn, headReached, historyComplete, settings, startChain, until } from '../helper.js'
import { createSpeedClock } from '../support/speed-clock.js'
import { steadyClock } from '../support/steady-time.js'

/** How much quicker time passes while something is waited for than while it is looked at. */
const FAST = 8

test('while the past is read back each answer waits only for what it states', async t => {
  const { ledger, node } = await startChain(t)
  const dao = ledger.dao(
    { base: ledger.mint(), quote: ledger.usdc(), baseReserves: 10n ** 12n, quoteReserves: 10n ** 11n }
  )
  const begun = ledger.time
  dao.initializeProposal()
  for (let hour = 0; hour < 160; hour++) {
    dao.swap('buy', 1_000_000n)
    ledger.advance(HOUR)
  }
  const { clock, go } = createSpeedClock(steadyClock)
  const app = await build(t, {
    env: settings(t, node, ledger, { CHAIN_RPC_RATE: '10', RATE_LIMIT_MAX: '1000000' }),
    now: () => ledger.time * 1000,
    transport: { clock },
    pollMs: 1000
  })
  const { address } = dao
  let last = clock.now()
  const ticking = setInterval(() => {
    ledger.advance((clock.now() - last) / 1000)
    last = clock.now()
  }, 50)
  t.teardown(() => { clearInterval(ticking) })
  const quickly = async (wait: () => Promise<void>) => {
    go(FAST)
    await wait()
    go(1)
  }
  const get = async <T>(path: string) => {
    const answer = await app.inject(path)
    return { status: answer.statusCode, headers: answer.headers, body: answer.json<T>() }
  }

  await until(
    'some of the last day is read', () => app.history.status().phase === 'last-day' && app.history.status().swaps > 0
  )
  const [pool] = (await get<Pool[]>('/api/pools')).body
  t.match(pool, {
    pool_id: address,
    target_volume_24h: null,
    trades_24h: null,
    high_24h: null,
    target_volume_7d: null,
    price_change_24h: null
  })
  t.ok(Date.parse(pool!.complete_since!) / 1000 > ledger.time - DAY)
  t.equal((await get(`/api/pools/${address}`)).status, 200)
  const trades = await get<Trades>(`/api/pools/${address}/trades`)
  t.match(trades, { status: 200, headers: { 'x-history-complete': 'false' } })
  t.ok(trades.body.length > 0 && trades.body.length < 24)
  t.ok(trades.body.every(({ timestamp }) => timestamp >= String(trades.headers['x-history-since'])))
  t.equal(
    (await get(`/api/pools/${address}/trades?before=${trades.body.at(-1)!.trade_id}`)).status,
    503,
    'no page passes for the last one'
  )
  t.equal((await get(`/api/pools/${address}/trades?until=${ledger.time - 2 * DAY}`)).status, 503)
  t.match(await get('/api/tickers'), { status: 503 }, 'a volume that misses trades is a wrong number')
  const warming = (await get<Ready>('/ready')).body
  t.match(warming.answers.map(({ ready }) => ready), [true, true, false, false, false, false])
  t.equal(warming.answers[1]!.since, pool!.complete_since)

  await quickly(() => until('the last day is read, while somebody asks for the pools', async () => {
    await get('/api/pools')
    return app.history.status().last24h
  }))
  t.equal((await get('/coingecko/tickers')).status, 200, 'the tickers with what the pools know by then')
  t.match((await get('/api/pools')).body, [{ trades_24h: Number }], 'which they tell themselves')
  await quickly(() => until(
    'some more is read', () => app.history.status().phase === 'walking-back' && app.history.status().swaps > 40
  ))
  await until('the answers are made anew', async () => (await get<Pool[]>('/api/pools')).body[0]?.trades_24h === 23)
  const [later] = (await get<Pool[]>('/api/pools')).body
  t.match(later, { trades_24h: 23, target_volume_30d: null, price_change_30d: null })
  t.equal((await get('/api/tickers')).status, 200)
  const since = Math.ceil(Date.parse(later!.complete_since!) / 1000)
  const candles = await get<Candles>(`/api/pools/${address}/ohlcv?interval=4h&empty=true`)
  t.equal(candles.headers['x-history-complete'], 'false')
  // the walk goes on between two answers: each is held to what it says itself
  const sinceOf = ({ headers }: typeof candles | typeof days) => Date.parse(String(headers['x-history-since'])) / 1000
  t.ok(candles.body.length > 6 && candles.body.every(({ time, trades }) => time >= sinceOf(candles) && trades <= 4))
  const days = await get<PoolDays>(`/api/pools/${address}/days`)
  t.ok(days.body.length > 1 && days.body.every(({ date }) => Date.parse(date) / 1000 >= sinceOf(days)))
  const volume = await get<AggregateVolume>('/api/volume/aggregate')
  t.equal(volume.headers['x-history-complete'], 'false')
  t.equal(volume.headers['x-history-since'], `${volume.body.dailyBreakdown.at(-1)!.date}T00:00:00.000Z`)
  const fees = await get<AggregateFees>('/api/fees/aggregate')
  t.match(fees, { status: 200, body: { conditionalFees: null, externalPoolFees: null } })
  t.same(volume.body.dailyBreakdown.slice(1, -1).map(({ trades }) => trades), days.body.slice(1, -1).map(() => 24))
  t.equal((await get(`/api/days/${new Date((since - 3 * DAY) * 1000).toISOString().slice(0, 10)}`)).status, 503)
  t.match((await get<Ready>('/ready')).body.answers.map(({ ready }) => ready), [true, true, false, true, true, false])
  t.equal((await get('/api/proposals')).status, 503, 'when one was proposed is not read yet')

  await quickly(() => until('all is read, while somebody asks for sums', async () => {
    await get('/api/volume/aggregate')
    return app.history.status().complete
  }))
  // made of sums from before
  const held = await get<AggregateLiquidity>(`/api/liquidity/aggregate?dao=${address}`)
  const isWhole = held.body.dailyBreakdown.length === dayOf(ledger.time) - dayOf(begun)
  t.equal(held.headers['x-history-complete'], String(isWhole), `${held.body.dailyBreakdown.length} days`)
  ledger.advance(15)
  await until(
    'the answers are made anew', async () => (await get<Pool[]>('/api/pools')).body[0]?.complete_since === null
  )
  t.match((await get<Pool[]>('/api/pools')).body[0], { target_volume_30d: String })
  await until(
    'the fees are told', async () => (await get<AggregateFees>('/api/fees/aggregate')).body.externalPoolFees === '0.00'
  )
  t.match(
    (await get<Trades>(`/api/pools/${address}/trades?limit=1000`)),
    { headers: { 'x-history-complete': 'true' }, body: { length: 160 } }
  )
  t.match(
    (await get<Ready>('/ready')).body.answers,
    Array.from({ length: 6 }, () => ({ since: null }))
  )
  t.match(await get('/api/proposals'), { status: 200, body: { length: 1 } })
})

test('a day of which no node has anything is not told, but where there was no DAO yet', async t => {
  const { ledger, node } = await startChain(t)
  const first = ledger.time
  ledger.advance(2 * DAY)
  const dao = ledger.dao(
    { base: ledger.mint(), quote: ledger.usdc(), baseReserves: 10n ** 12n, quoteReserves: 10n ** 11n }
  )
  dao.swap('buy', 1_000_000n)
  ledger.advance(5 * DAY)
  node.fault({ kind: 'pruned', value: ledger.slot - 10 })
  dao.swap('buy', 7_000_000n)
  ledger.advance(HOUR)
  const app = await build(t, { env: settings(t, node, ledger), now: () => ledger.time * 1000, pollMs: 20 })
  for (let looks = 0; looks < 20; looks++) {
    ledger.advance(3)
    await headReached(app, ledger, ledger.time)
  }
  await until('the gap has been looked for', () =>
    app.history.status().searched && app.history.status().missingEvents > 0)
  const day = async (at: number) => {
    const answer = await app.inject(`/api/days/${new Date((first + at * DAY) * 1000).toISOString().slice(0, 10)}`)
    const { complete, volume_usd: volume, trades } = answer.json<MarketDay>()
    return [answer.statusCode, complete, volume, trades, answer.headers['x-history-complete']]
  }
  t.same(await day(0), [200, false, '0.00', 0, 'false'])
  t.same(await day(1), [200, false, '0.00', 0, 'false'])
  for (const at of [2, 3, 6]) t.match(await day(at), [503, undefined], `the swap of that day, if any, is lost: ${at}`)
  t.same(await day(7), [200, false, '7.00', 1, 'false'])
  t.match((await app.inject('/api/days')).json(), [{ trades: 1 }], 'as the list has it')
  dao.swap('buy', 7_000_000n)
  ledger.advance(DAY)
  await headReached(app, ledger, ledger.time)
  const liquidity = await app.inject('/api/liquidity/aggregate')
  t.match(liquidity.json(), { dailyBreakdown: [{ daos: 1, unknown: 0 }] })
  t.match(liquidity.headers, { 'x-history-complete': 'false' }, 'it begins where the loss ends')
})

test('an interval without a trade begins with the price before it, or is not told', async t => {
  const { ledger, node } = await startChain(t)
  const dao = ledger.dao(
    { base: ledger.mint(), quote: ledger.usdc(), baseReserves: 10n ** 12n, quoteReserves: 10n ** 11n }
  )
  const { time } = dao.swap('buy', 1_000_000n)
  ledger.advance(HOUR)
  dao.swap('buy', 1_000_000n)
  const app = await build(t, { env: settings(t, node, ledger), now: () => ledger.time * 1000, pollMs: 20 })
  await historyComplete(app)
  const candles = async (from: number) => {
    const answer = await app.inject(
      `/api/pools/${dao.address}/ohlcv?interval=1m&empty=true&from=${from}&to=${from + 299}`
    )
    return [answer.statusCode, answer.headers['x-history-complete'], answer.json<Candles>().length]
  }
  const { time: missing } = dao.swap('buy', 1_000_000n)
  node.fault({ kind: 'hole', value: [missing, missing + 1] })
  ledger.advance(10)
  const { time: unpriced } = dao.swap('buy', 1n)
  await until('one is known to be missing, five minutes ago', () => {
    goOn(app, ledger, ledger.time < unpriced + 400 ? 5 : 0.01)
    return app.history.status().missingEvents === 1 && ledger.time >= unpriced + 400
  })
  await headReached(app, ledger, unpriced + 390)
  t.same(await candles(time - time % 60 + 600), [200, 'true', 5], 'by what happened until then alone')
  t.same(await candles(unpriced + 60), [503, undefined, undefined], 'which price it has is not known')
})
