import { test } from 'tap'
import type { DaoRecord } from '../../schemas/dao.js'
import type { AggregateFees } from '../../schemas/aggregate.js'
import type { Prices } from '../../schemas/prices.js'
import { build, goOn, historyComplete, settings, startChain, until } from '../helper.js'

for (const [strangers, beside] of [[1, 0], [1, 1], [0, 1]] as const) {
  const others = `${strangers} other pool of its pair, ${beside} pair beside it`
  test(`where an event of the deepest pool is missing, no other one passes for it: ${others}`, async t => {
    const { ledger, node } = await startChain(t)
    const usdc = ledger.usdc()
    const base = ledger.mint()
    const honest = ledger.dao({ base, quote: usdc, baseReserves: 10n ** 12n, quoteReserves: 10n ** 12n })
    const strange = Array.from({ length: strangers }, () =>
      ledger.dao({ base, quote: usdc, baseReserves: 1_000_000n, quoteReserves: 100_000_000n }).address)
    for (let i = 0; i < beside; i++) {
      ledger.dao({ base: ledger.mint(), quote: usdc, baseReserves: 10n ** 12n, quoteReserves: 10n ** 11n })
    }
    honest.swap('buy', 1_000_000n)
    ledger.advance(100)
    const app = await build(t, {
      env: settings(t, node, ledger, { RATE_LIMIT_MAX: '100000' }), now: () => ledger.time * 1000, pollMs: 20
    })
    await historyComplete(app)
    const id = `${base.address}_${usdc.address}`
    const ofPair = [
      `/api/tickers/${id}`, `/coingecko/orderbook?ticker_id=${id}`, `/coingecko/historical_trades?ticker_id=${id}`,
      `/cmc/v1/orderbook/${id}`, `/cmc/v1/trades/${id}`
    ]
    for (const path of ofPair) t.equal((await app.inject(path)).statusCode, 200, path)
    t.ok(id in (await app.inject('/cmc/v1/ticker')).json())

    node.fault({ method: 'getTransaction', kind: 'null-transaction' })
    honest.swap('buy', 1_000_000n)
    await until('an event is missing', () => {
      goOn(app, ledger)
      return app.history.status().missingEvents === 1
    })
    await until('its pool is not listed', async () => {
      ledger.advance(1)
      const list = (await app.inject('/api/tickers')).json<Array<{ pool_id: string }>>()
      const ids = Array.isArray(list) ? list.map(({ pool_id: id }) => id) : []
      return ids.length === strangers + beside && strange.every(pool => ids.includes(pool))
    })
    const trades = `/coingecko/historical_trades?ticker_id=${id}`
    for (const path of [...ofPair, `${trades}&pool_id=${honest.address}`]) {
      t.equal((await app.inject(path)).statusCode, 503, path)
    }
    const tickers = await app.inject('/cmc/v1/ticker')
    t.equal(tickers.statusCode, beside === 0 ? 503 : 200, 'an empty list would look like a market without pools')
    t.notOk(id in tickers.json())
    for (const pool of strange) t.equal((await app.inject(`${trades}&pool_id=${pool}`)).statusCode, 200)
    const { prices } = (await app.inject(`/api/prices?mints=${base.address}`)).json<Prices>()
    t.match(prices[base.address], { pool_id: honest.address, price_usd: /^1\.0/ }, 'a price needs no history')
  })
}

test('a mint that counts as a dollar is one, whatever a pool pays for it', async t => {
  const { ledger, node } = await startChain(t)
  const [usdc, other] = [ledger.usdc(), ledger.mint({ decimals: 6 })]
  ledger.dao({ base: ledger.mint(), quote: usdc, baseReserves: 10n ** 12n, quoteReserves: 10n ** 12n })
  const strange = ledger.dao({ base: usdc, quote: other, baseReserves: 1_000_000n, quoteReserves: 10_000n })
  strange.swap('buy', 10n)
  ledger.advance(120)
  const app = await build(t, {
    env: settings(t, node, ledger, { USD_MINTS: `${usdc.address},${other.address}` }),
    now: () => ledger.time * 1000,
    pollMs: 20
  })
  await historyComplete(app)
  for (const path of ['', `&at=${ledger.time - 60}`]) {
    const { prices } = (await app.inject(`/api/prices?mints=${usdc.address}${path}`)).json<Prices>()
    t.match(prices[usdc.address], { price_usd: '1.000000000000', pool_id: strange.address }, path)
  }
  const dao = (await app.inject(`/api/daos/${strange.address}`)).json<DaoRecord>()
  t.ok(JSON.stringify(dao).includes('"price_usd":"1.000000000000"'))
})

test('what came to fees from elsewhere is told once all of it is known', async t => {
  const { ledger, node } = await startChain(t)
  const dao = ledger.dao(
    { base: ledger.mint(), quote: ledger.usdc(), baseReserves: 10n ** 12n, quoteReserves: 10n ** 11n }
  )
  dao.swap('buy', 1_000_000n)
  const app = await build(t, {
    env: settings(t, node, ledger, { RATE_LIMIT_MAX: '100000' }), now: () => ledger.time * 1000, pollMs: 20
  })
  await historyComplete(app)
  const fees = async () => (await app.inject('/api/fees/aggregate')).json<AggregateFees>()
  t.match(await fees(), { conditionalFees: '0.00', externalPoolFees: '0.00' })
  node.fault({ method: 'getTransaction', kind: 'null-transaction' })
  dao.collectExternalFees(5_000_000n, 0n)
  await until('an event is missing', () => {
    goOn(app, ledger)
    return app.history.status().missingEvents === 1
  })
  await until('nobody knows', async () => {
    ledger.advance(1)
    const { conditionalFees, externalPoolFees } = await fees()
    return conditionalFees === null && externalPoolFees === null
  })
})
