import { test, type Test } from 'tap'
import { formatUnits } from '../../lib/decimal.js'
import type { AggregateFees } from '../../schemas/aggregate.js'
import type { Daos } from '../../schemas/daos.js'
import type { Pool, PoolDetail, Quote } from '../../schemas/pools.js'
import type { Prices } from '../../schemas/prices.js'
import type { Candles, MarketDay, PoolDays, Trades } from '../../schemas/traded.js'
import type { AggregateVolume } from '../../schemas/aggregate.js'
import type { Ticker } from '../../schemas/ticker.js'
import { build, headReached, historyComplete, settings, startChain, until } from '../helper.js'
import { get } from '../support/answers.js'

const DAY = 86_400

/** `beforeMidnight`: seconds from the start of the service to the end of a day. */
async function market (t: Test, beforeMidnight?: number) {
  const { ledger, node } = await startChain(t)
  const usdc = ledger.usdc()
  const strange = ledger.mint({ decimals: 9, symbol: 'ODD' })
  const base = ledger.mint({ symbol: 'ONE' })
  const daos = [
    ledger.dao({ base, quote: usdc, baseReserves: 2_000_000_000_000n, quoteReserves: 200_000_000_000n }),
    ledger.dao({ base, quote: usdc, baseReserves: 1_000_000_000_000n, quoteReserves: 900_000_000_000n }),
    ledger.dao(
      { base: ledger.mint({ symbol: 'TWO' }), quote: strange, baseReserves: 10n ** 12n, quoteReserves: 10n ** 15n }
    )
  ]
  for (let hour = 0; hour < 40 * 24; hour += 3) {
    ledger.advance(3 * 3600)
    for (const [i, dao] of daos.entries()) {
      if ((hour / 3 + i) % 4 === 0) continue
      dao.swap(hour % 2 === 0 ? 'buy' : 'sell', 1_000_003n * BigInt(1 + hour % 17))
      ledger.advance(61)
    }
  }
  daos[0]!.swap('buy', 1n)   // its output is 0: it has no price
  daos[1]!.initializeProposal()
  daos[1]!.stake()
  daos[1]!.launchProposal()
  ledger.advance(100)
  if (beforeMidnight !== undefined) ledger.advance(2 * DAY - ledger.time % DAY - beforeMidnight)
  const app = await build(t, {
    bounds: { delay: 60_000 },
    env: settings(t, node, ledger, { RATE_LIMIT_MAX: '100000' }),
    now: () => ledger.time * 1000,
    pollMs: 20
  })
  await historyComplete(app)
  return { ledger, node, daos, app }
}

const units = (text: string, decimals = 6) => {
  const [whole = '', fraction = ''] = text.split('.')
  return BigInt(whole + fraction.slice(0, decimals).padEnd(decimals, '0'))
}
const sum = (texts: Iterable<string>, decimals = 6) => [...texts].reduce(
  (total, text) => total + units(text, decimals), 0n
)

test('pools, their trades, candles and days: each agrees with the others', async t => {
  const { ledger, daos, app } = await market(t)
  const pools = await get<Pool[]>(app, '/api/pools')
  const tickers = await get<Ticker[]>(app, '/api/tickers')
  t.same(
    pools.map(({ pool_id: id }) => id),
    [daos[1]!.address, daos[0]!.address, daos[2]!.address],
    'deepest first, without a USD value last'
  )

  await t.test('the list', async t => {
    for (const [at, pool] of pools.entries()) {
      const ticker = tickers[at]!
      const dao = daos.find(({ address }) => address === pool.pool_id)!
      const inWindow = ledger.swaps.filter(swap => swap.dao === dao.address && swap.time > ledger.time - DAY)
      t.same(
        [pool.ticker_id, pool.last_price, pool.liquidity_in_usd, pool.trades_24h],
        [ticker.ticker_id, ticker.last_price, ticker.liquidity_in_usd, inWindow.length]
      )
      t.same(
        [pool.state, pool.priced_in_usd, pool.quote.decimals],
        [dao === daos[1] ? 'proposal' : 'spot', dao !== daos[2], dao === daos[2] ? 9 : 6]
      )
      t.equal(Number(pool.base_volume_24h), Number(ticker.base_volume))
      t.ok(Math.abs(Number(pool.target_volume_24h) - Number(ticker.target_volume)) <= 5e-9)
      const traders = (side?: string) => new Set(
        inWindow.filter(swap => side === undefined || swap.side === side).map(({ trader }) => trader)).size
      t.same([pool.makers_24h, pool.buyers_24h, pool.sellers_24h], [traders(), traders('buy'), traders('sell')])
      const buys = inWindow.filter(({ side }) => side === 'buy').length
      t.same([pool.buys_24h, pool.sells_24h], [buys, inWindow.length - buys])
      const quoted = (side: string) => formatUnits(inWindow.filter(swap => swap.side === side)
        .reduce((sum, { input, output }) => sum + (side === 'buy' ? input : output), 0n), pool.quote.decimals)
      t.same([pool.buy_volume_24h, pool.sell_volume_24h], [quoted('buy'), quoted('sell')])
      t.ok(Number(pool.low_24h) <= Number(pool.vwap_24h) && Number(pool.vwap_24h) <= Number(pool.high_24h))
      t.ok(Number(pool.target_volume_24h) < Number(pool.target_volume_7d) &&
        Number(pool.target_volume_7d) < Number(pool.target_volume_30d))
      t.match(pool.price_change_24h, /^-?\d+\.\d\d$/)
      t.ok(Number(pool.fees_24h) > 0)
      t.match(pool.created_at, /^\d{4}-\d\d-\d\dT/)
    }
  })

  await t.test('one pool', async t => {
    const detail = await get<PoolDetail>(app, `/api/pools/${daos[0]!.address}`)
    const { provenance, other_pools: others, ...pool } = detail
    t.same(pool, pools[1])
    t.same(others, [daos[1]!.address])
    t.match(provenance, {
      base_reserves: String(daos[0]!.reserves.base),
      quote_reserves: String(daos[0]!.reserves.quote),
      base_fees: String(daos[0]!.feeBalances.base),
      quote_fees: String(daos[0]!.feeBalances.quote),
      sequence_on_chain: String(daos[0]!.seqNum),
      sequence_indexed: String(daos[0]!.seqNum),
      missing_events: '0',
      accounts: {
        dao: daos[0]!.address,
        base_vault: daos[0]!.identity.baseVault,
        quote_vault: daos[0]!.identity.quoteVault,
        base_mint: daos[0]!.base.address,
        quote_mint: daos[0]!.quote.address
      }
    })
    const swaps = ledger.swaps.filter(swap => swap.dao === daos[0]!.address && swap.input > 1n)
    t.same(provenance.fee_rates, [{ rate: '0.005', from_slot: swaps[0]!.slot, to_slot: swaps.at(-1)!.slot }])
  })

  await t.test('trades in pages', async t => {
    const [dao] = daos
    const swaps = ledger.swaps.filter(swap => swap.dao === dao!.address).reverse()
    const found: Trades = []
    for (let query = 'limit=37'; ;) {
      const page = await get<Trades>(app, `/api/pools/${dao!.address}/trades?${query}`)
      found.push(...page)
      if (page.length < 37) break
      query = `limit=37&before=${page.at(-1)!.trade_id}`
    }
    t.same(found.map(trade => [trade.trade_id, trade.signature, trade.slot, trade.side, trade.maker, trade.timestamp]),
      swaps.map(swap => [
        String(swap.seq), swap.signature, swap.slot, swap.side, swap.trader, new Date(swap.time * 1000).toISOString()
      ]))
    t.same(found.map((
      { base_amount: base, quote_amount: quote, base_reserve: baseAfter, quote_reserve: quoteAfter, fee }
    ) => [units(base), units(quote), units(baseAfter!), units(quoteAfter!), fee && units(fee.amount)]),
    swaps.map(({ side, input, output, baseReserves, quoteReserves, fee }) => [
      side === 'buy' ? output : input, side === 'buy' ? input : output, baseReserves, quoteReserves, fee
    ]))
    t.equal(found[0]!.price, null, 'nothing received, no price')
    t.ok(found.slice(1).every(({ price, base_amount: base, quote_amount: quote }) => Math.abs(
      Number(price) / (Number(quote) / Number(base)) - 1
    ) < 1e-9))
    const { time } = swaps[50]!
    const bounded = await get<Trades>(
      app, `/api/pools/${dao!.address}/trades?since=${time - 86_400}&until=${time}&limit=1000`
    )
    t.same(
      bounded.map(({ trade_id: id }) => id),
      swaps.filter(swap => swap.time >= time - 86_400 && swap.time <= time).map(({ seq }) => String(seq))
    )
  })

  await t.test('candles add up, from minutes to days', async t => {
    for (const [i, dao] of daos.entries()) {
      const decimals = i === 2 ? 9 : 6
      const days = await get<PoolDays>(app, `/api/pools/${dao.address}/days`)
      const totals = new Map<string, bigint>()
      for (const interval of ['1m', '5m', '15m', '1h', '4h', '1d']) {
        const candles: Candles = []
        for (let to = ledger.time; ;) {
          const page = await get<Candles>(
            app, `/api/pools/${dao.address}/ohlcv?interval=${interval}&limit=500&to=${to}`
          )
          candles.unshift(...page)
          if (page.length < 500) break
          to = page[0]!.time - 1
        }
        t.same(candles, [...candles].sort((a, b) => a.time - b.time))
        totals.set(interval, sum(candles.map(({ target_volume: volume }) => volume), decimals))
        t.equal(
          candles.reduce((total, { trades }) => total + trades, 0),
          ledger.swaps.filter(swap => swap.dao === dao.address).length,
          interval
        )
        t.ok(candles.every(({ open, high, low, close }) => Number(low) <= Math.min(Number(open), Number(close)) &&
          Number(high) >= Math.max(Number(open), Number(close))))
      }
      t.equal(
        new Set([...totals.values(), sum(days.map(({ target_volume: volume }) => volume), decimals)]).size,
        1,
        'all the same'
      )
      const daily = await get<Candles>(app, `/api/pools/${dao.address}/ohlcv?interval=1d&limit=1000`)
      t.same(daily.map(({ time, open, high, low, close, base_volume: base, target_volume: quote, trades }) => [
        new Date(time * 1000).toISOString().slice(0, 10), open, high, low, close, base, quote, trades
      ]),
      days.map((
        { date, open, high, low, close, base_volume: base, target_volume: quote, trades }
      ) => [date, open, high, low, close, base, quote, trades]))
      t.match(days.at(-2), {
        makers: new Set(ledger.swaps.filter(({ dao: of, time }) => of === dao.address &&
        new Date(time * 1000).toISOString().slice(0, 10) === days.at(-2)!.date).map(({ trader }) => trader)).size
      })
    }
    const filled = await get<Candles>(app, `/api/pools/${daos[0]!.address}/ohlcv?interval=15m&limit=200&empty=true`)
    t.equal(filled.length, 200)
    t.ok(filled.every(({ time }, at) => at === 0 || time === filled[at - 1]!.time + 900))
    t.ok(filled.every((candle, at) => candle.trades > 0 || at === 0 ||
      (candle.open === filled[at - 1]!.close && candle.close === candle.open && candle.base_volume === '0')))
  })

  await t.test('days of the market and both aggregates agree to the cent', async t => {
    const [volume, fees] = [
      await get<AggregateVolume>(app, '/api/volume/aggregate'), await get<AggregateFees>(app, '/api/fees/aggregate')
    ]
    const cents = (texts: Iterable<string>) => sum(texts, 2)
    t.equal(cents(fees.dailyBreakdown.map(({ fees }) => fees)), cents([fees.totalFees]))
    t.equal(cents(fees.tokens.map(({ totalFees }) => totalFees)), cents([fees.totalFees]))
    const exact = ledger.swaps.filter(({ dao }) => dao !== daos[2]!.address).reduce((
      total, { side, fee, input, output }
    ) => total + (side === 'buy' ? fee * 10n ** 12n : fee * output * 10n ** 12n / input), 0n)
    t.ok(Math.abs(Number(fees.totalFees) - Number(exact / 10n ** 12n) / 1e6) < 0.01, 'each fee as it was charged')
    const days = await Promise.all(
      volume.dailyBreakdown.map(async ({ date }) => await get<MarketDay>(app, `/api/days/${date}`))
    )
    t.equal(cents(days.map(({ volume_usd: usd }) => usd)), cents([volume.totalVolume]))
    t.equal(cents(days.map(({ fees_usd: usd }) => usd)), cents([fees.totalFees]))
    t.same(days.map(({ complete }) => complete), [false, ...days.slice(1).map(() => true)], 'today is not over')
    t.same(days.map(({ trades }) => trades), volume.dailyBreakdown.map(({ trades }) => trades))
    t.same(days[3]!.pools.map(({ trades }) => trades).reduce((a, b) => a + b), days[3]!.trades)
    const own = await get<PoolDays>(
      app, `/api/pools/${daos[0]!.address}/days?from=${days[3]!.date}&to=${days[3]!.date}`
    )
    const row = days[3]!.pools.find(({ pool_id: id }) => id === daos[0]!.address)!
    t.match(
      own[0], { target_volume: row.target_volume, volume_usd: row.volume_usd, fees: row.fees!, trades: row.trades }
    )
  })

  await t.test('what is asked wrongly is said', async t => {
    const [id, other] = [daos[0]!.address, daos[0]!.base.address]
    const says = async (url: string, status: number, error: string | RegExp) => {
      const answer = await app.inject(url)
      t.equal(answer.statusCode, status, url)
      t.match(answer.json<{ error: string }>().error, error)
    }
    for (const path of ['', '/trades', '/ohlcv', '/days']) {
      await says(`/api/pools/${other}${path}`, 404, `Pool not found: ${other}`)
      await says(`/api/pools/nonsense${path}`, 400, 'Invalid pool_id')
      await says(`/api/pools/${id}${path}?nonsense=1`, 400, /^Invalid nonsense: /)
    }
    await says('/api/pools?limit=1', 400, /^Invalid limit: /)
    await says(`/api/pools/${id}/trades?limit=1001`, 400, 'Invalid limit: a whole number from 1 to 1000 (rows), as 100')
    await says(`/api/pools/${id}/trades?limit=0`, 400, /^Invalid limit: /)
    await says(`/api/pools/${id}/trades?before=18446744073709551616`, 400, 'Invalid before: a trade_id, as 4711')
    await says(`/api/pools/${id}/trades?since=2&until=1`, 400, 'Invalid until: not before since')
    await says(`/api/pools/${id}/ohlcv?interval=2m`, 400, /^Invalid interval: one of 1m, 5m, 15m, 1h, 4h, 1d/)
    await says(`/api/pools/${id}/ohlcv?from=5&to=4`, 400, 'Invalid to: not before from')
    await says(`/api/pools/${id}/ohlcv?empty=1`, 400, /^Invalid empty: /)
    await says(`/api/pools/${id}/days?from=2026-02-30`, 400, /^Invalid from: Unix seconds, or ISO 8601: /)
    await says(`/api/pools/${id}/days?from=2026-02-02&to=2026-02-01`, 400, 'Invalid to: not before from')
    await says('/api/days/today', 400, /^Invalid date: /)
    await says('/api/days/2999-01-01', 400, /^Invalid date: /)
    await says('/api/fees/aggregate?x=1', 400, /^Invalid x: /)
    await says(`/api/pools/${id}/trades?since=1&from=1`, 400, 'Invalid since: another name of from, which is given too')
    await says(`/api/pools/${id}/trades?from=2026-01-31T12:00:00`, 400, /^Invalid from: Unix seconds/)
    t.same(await get(app, `/api/pools/${id}/trades?until=1`), [])
    const day = new Date(app.history.head().time * 1000).toISOString().slice(0, 10)
    for (const path of ['trades', 'ohlcv', 'days']) {
      const [first, last] = [Date.parse(day) / 1000, Date.parse(day) / 1000 + DAY - 1]
      const asked = await get(app, `/api/pools/${id}/${path}?from=${first}&to=${last}`)
      for (const range of [
        `from=${day}&to=${day}`, `since=${day}T00:00:00Z&until=${day}T23:59:59.999Z`,
        `from=${day}T01:00%2B01:00&until=${day}`
      ]) {
        t.same(await get(app, `/api/pools/${id}/${path}?${range}`), asked, `${path} ${range}`)
      }
    }
    t.same(await get(app, `/api/pools/${id}/ohlcv?to=1`), [])
  })

  await t.test('answers are kept, with their names', async t => {
    for (const url of [
      '/api/pools', `/api/pools/${daos[0]!.address}`, `/api/pools/${daos[0]!.address}/trades`,
      `/api/pools/${daos[0]!.address}/ohlcv`, '/api/fees/aggregate'
    ]) {
      const { headers } = await app.inject(url)
      t.match(headers['cache-control'], /^public, max-age=\d$|^public, max-age=10$/, url)
      const again = await app.inject({ url, headers: { 'if-none-match': String(headers.etag) } })
      t.equal(again.statusCode, 304, url)
      for (const encoding of ['identity', 'br']) {
        const [get, head, unchanged] = await Promise.all([
          {}, { method: 'HEAD' as const }, { method: 'HEAD' as const, known: String(headers.etag) }
        ].map(async ({ known, ...rest }: { method?: 'HEAD', known?: string }) =>
          await app.inject({
            url,
            ...rest,
            headers: { 'accept-encoding': encoding, ...(known !== undefined && { 'if-none-match': known }) }
          })))
        t.same(
          [head!.statusCode, head!.payload, head!.headers['content-length'], head!.headers.etag],
          [200, '', String(get!.rawPayload.length), get!.headers.etag],
          `HEAD ${url}`
        )
        t.same([
          unchanged!.statusCode, unchanged!.payload, unchanged!.headers['content-length'],
          unchanged!.headers['content-encoding']
        ], [304, '', String(get!.rawPayload.length), undefined], `HEAD ${url}`)
      }
    }
  })
})

test('volumes, fees and days are of one moment, and a day is complete once its last trades are final', async t => {
  const { ledger, daos, app } = await market(t, 120)
  const indexed = () => until('all is indexed', () => app.history.status().swaps === ledger.swaps.length)
  const dateOf = (time: number) => new Date(time * 1000).toISOString().slice(0, 10)
  await get(app, '/api/volume/aggregate')
  for (const dao of daos) dao.swap('buy', 5_000_000n)
  ledger.advance(2)
  await indexed()
  const [volume, fees] = [
    await get<AggregateVolume>(app, '/api/volume/aggregate'), await get<AggregateFees>(app, '/api/fees/aggregate')
  ]
  t.same(fees.dailyBreakdown.map(({ trades }) => trades), volume.dailyBreakdown.map(({ trades }) => trades))
  const day = await get<MarketDay>(app, `/api/days/${dateOf(ledger.time)}`)
  t.equal(day.pools.reduce((sum, { trades }) => sum + trades, 0), day.trades)
  t.equal(day.trades, volume.dailyBreakdown[0]!.trades)

  const end = (Math.floor(ledger.time / DAY) + 1) * DAY
  ledger.advance(end - 3 - ledger.time)
  await headReached(app, ledger, end - 3)
  await get(app, '/api/volume/aggregate')
  daos[0]!.swap('buy', 5_000_000n)
  ledger.advance(end + 4 - ledger.time)
  const over = () => get<MarketDay>(app, `/api/days/${dateOf(end - 1)}`)
  const before = await over()
  t.ok(
    before.trades === ledger.swaps.filter(({ time }) => dateOf(time) === before.date).length || !before.complete,
    'not while its last trades may be on their way'
  )
  t.equal(before.complete, false)
  ledger.advance(120)
  await headReached(app, ledger, end + 100)
  ledger.advance(11)
  const after = await over()
  t.same([after.complete, after.trades], [true, ledger.swaps.filter(({ time }) => dateOf(time) === after.date).length])
})

test('days are as old as the prices that value them; trades and candles need none', async t => {
  const { ledger, node, daos, app } = await market(t)
  const path = `/api/pools/${daos[0]!.address}`
  await get(app, '/api/pools')
  node.fault({ method: 'getProgramAccounts', kind: 'status', value: 500 })
  ledger.advance(30)
  const age = async (of: string) => (await app.inject(`${path}${of}`)).headers.age
  t.ok(Number(await age('/days')) >= 30, 'the state of the chain could not be read for 30 s')
  t.same([await age('/trades'), await age('/ohlcv')], [undefined, undefined])
})

test(
  'while no node gives the accounts of supplies and treasuries, pools are there without what is made of them',
  async t => {
    const { ledger, node } = await startChain(t)
    const dao = ledger.dao(
      { base: ledger.mint(), quote: ledger.usdc(), baseReserves: 10n ** 12n, quoteReserves: 10n ** 12n }
    )
    dao.swap('buy', 10n ** 8n)
    const app = await build(t, { env: settings(t, node, ledger), now: () => ledger.time * 1000, pollMs: 20 })
    await historyComplete(app)
    const get = async (path: string) => {
      const answer = await app.inject(path)
      t.equal(answer.statusCode, 200, path)
      return answer.json()
    }
    await get('/api/tickers')
    const fault = node.fault({ method: 'getMultipleAccounts', kind: 'status', value: 500 })
    const unknown = { market_cap_usd: null, fdv_usd: null, treasury_usdc_aum: null }
    t.match((await get('/api/pools'))[0], { pool_id: dao.address, ...unknown })
    t.match(await get(`/api/pools/${dao.address}`), { pool_id: dao.address, ...unknown, trades_24h: 1 })
    t.ok(fault.fired > 0)
    node.faults.clear()
    ledger.advance(11)
    await headReached(app, ledger, ledger.time)
    const [pool] = await get('/api/pools') as Pool[]
    t.ok(Number(pool!.fdv_usd) > 0 && pool!.treasury_usdc_aum === '0', JSON.stringify(pool))
  }
)

test('a slot is that of the accounts, also where another backend of the same address gave the Clock', async t => {
  const { ledger, node, daos: [dao], app } = await market(t)
  ledger.advance(60)
  dao!.swap('buy', 5_000_000n)
  const { slot, baseReserves } = ledger.swaps.at(-1)!
  ledger.advance(4)
  node.faults.set({ kind: 'jump-back', method: 'getAccountInfo', value: 8 })
  const id = dao!.address
  const { provenance, ...pool } = await get<PoolDetail>(app, `/api/pools/${id}`)
  t.equal(provenance.base_reserves, baseReserves.toString(), 'the accounts are newer than the Clock')
  const { mint } = pool.base
  const slots = [
    provenance.slot,
    pool.slot,
    (await get<Pool[]>(app, '/api/pools'))[0]!.slot,
    (await get<Quote>(app, `/api/pools/${id}/quote?side=buy&amount=1`)).slot,
    (await get<Prices>(app, `/api/prices?mints=${mint}`)).slot,
    (await get<Daos>(app, '/api/daos')).slot
  ]
  t.ok(slots.every(one => one >= slot), `${slots.join()}, and the swap was at ${slot}`)
})
