import { test, type Test } from 'tap'
import type { CachedResponse } from '../../lib/http/cached-response.js'
import { createCmc } from '../../lib/responses/forms/cmc.js'
import { createCoinGecko } from '../../lib/responses/forms/coingecko.js'
import { createDayTickers } from '../../lib/responses/forms/day-tickers.js'
import type { Turn } from '../../lib/line.js'
import type { Part } from '../../lib/live/fresh.js'
import { createPoolResponses } from '../../lib/responses/pools.js'
import type { CmcSummary, CmcTickers, CmcTrades } from '../../schemas/cmc.js'
import type { CoinGeckoTickers, CoinGeckoTrades } from '../../schemas/coingecko.js'
import { asking, build, headReached, historyComplete, settings, startChain, until } from '../helper.js'

async function setUp (t: Test) {
  const { ledger, node } = await startChain(t)
  const usdc = ledger.usdc()
  const base = ledger.mint({ symbol: 'AAA', decimals: 9 })
  const dao = ledger.dao({ base, quote: usdc, baseReserves: 2_000_000_000_000_000n, quoteReserves: 200_000_000_000n })
  const twin = ledger.dao({ base, quote: usdc, baseReserves: 2_000_000_000_000n, quoteReserves: 100_000_000n })
  const quiet = ledger.dao({ base: ledger.mint(), quote: usdc, baseReserves: 10n ** 12n, quoteReserves: 10n ** 11n })
  const trades: Array<{ pool: string, side: string, price: number, at: number }> = []
  const swap = (pool: typeof dao, side: 'buy' | 'sell', amount: bigint) => {
    ledger.advance(600)
    pool.swap(side, amount)
    const { input, output } = ledger.swaps.at(-1)!
    const price = (side === 'buy' ? Number(input) / Number(output) : Number(output) / Number(input)) * 1000
    trades.push({ pool: pool.address, side, price, at: ledger.time })
  }
  swap(dao, 'buy', 1_000_000_000n)
  ledger.advance(2 * 86_400)
  for (let i = 0n; i < 12n; i++) {
    swap(dao, i % 3n === 0n ? 'sell' : 'buy', 500_000_000n + i * 7n)
    if (i % 4n === 0n) swap(twin, 'buy', 1_000n + i)
  }
  dao.swap('buy', 1n)   // gives nothing
  ledger.advance(60)
  const app = await build(t, {
    env: settings(t, node, ledger, { RATE_LIMIT_MAX: '100000' }),
    now: () => ledger.time * 1000,
    pollMs: 20,
    bounds: { delay: 60_000 }
  })
  await historyComplete(app)
  const { get } = asking(t, app)
  return { ledger, node, dao, twin, quiet, app, get, trades, id: `${base.address}_${usdc.address}` }
}

/** As if nobody else asked. */
const turn: Turn = async work => await work()

const near = (a: number, b: number): boolean => Math.abs(a / b - 1) < 1e-9

test('high, low and change of the last 24 hours; the average price lies between', async t => {
  const { ledger, dao, quiet, get, trades, id } = await setUp(t)
  const prices = trades.filter(
    ({ pool, at }) => pool === dao.address && at > ledger.time - 86_400
  ).map(({ price }) => price)
  const tickers = await get<CoinGeckoTickers>('/coingecko/tickers')
  const of = (pool: string) => tickers.find(({ pool_id: id }) => id === pool)!
  t.ok(
    near(Number(of(dao.address).high), Math.max(...prices)) && near(Number(of(dao.address).low), Math.min(...prices))
  )
  for (const { base_volume: base, target_volume: target, high, low, last_price: last } of tickers) {
    if (Number(base) === 0) t.same([high, low], [last, last])
    else {
      t.ok(Number(target) / Number(base) >= Number(low) * (1 - 1e-6) &&
      Number(target) / Number(base) <= Number(high) * (1 + 1e-6))
    }
  }
  t.equal(of(quiet.address).high, of(quiet.address).last_price)
  const summary = await get<CmcSummary>('/cmc/v1/summary')
  const row = summary.find(({ pool_id: id }) => id === dao.address)!
  t.equal(row.highest_price_24h, Number(of(dao.address).high))
  const change = (prices.at(-1)! / trades[0]!.price - 1) * 100
  t.ok(Math.abs(row.price_change_percent_24h! - change) < 0.0051, `${row.price_change_percent_24h} ${change}`)
  t.equal(
    summary.find(({ pool_id: id }) => id === quiet.address)!.price_change_percent_24h,
    null,
    'never traded: nothing to compare with'
  )
  t.same(summary.length, tickers.length)
  const { [id]: pair } = await get<CmcTickers>('/cmc/v1/ticker')
  const { last_price: last, base_volume: base, quote_volume: quote } = row
  t.match(pair, { last_price: last, base_volume: base, quote_volume: quote }, 'to the last raw unit')
})

test('a DAO that is not final yet is left out of tickers and summary, and all others are there', async t => {
  const { ledger, node, dao, twin, quiet, get } = await setUp(t)
  node.conditions.finalizedAt = ledger.slot
  ledger.advance(1)
  const known = [dao, quiet, twin].map(({ address }) => address)
  const { address } = ledger.dao(
    { base: ledger.mint(), quote: dao.quote, baseReserves: 10n ** 12n, quoteReserves: 10n ** 6n }
  )
  const pools = async (path: string) =>
    (await get<Array<{ pool_id: string }>>(path)).map(({ pool_id: pool }) => pool)
  await until('the tickers list it', async () => {
    ledger.advance(1)
    return (await pools('/api/tickers')).includes(address)
  })
  const forms = ['/coingecko/tickers', '/cmc/v1/summary']
  for (const form of forms) t.same(await pools(form), known, form)
  node.conditions.finalizedAt = null
  await until('it is told once it is final', async () => {
    ledger.advance(1)
    const told = await Promise.all(forms.map(pools))
    t.ok(told.every(list => known.every(pool => list.includes(pool))), 'the others are always there')
    return told.every(list => list.includes(address))
  })
})

test('a DAO that misses an event is left out of tickers and summary; where all do, there is neither', async t => {
  const { ledger, node, dao, twin, quiet, app } = await setUp(t)
  const { answers: { sources: common, supply, market }, history } = app
  const list = await market.tickerList([])
  const told = async () => {
    const tickers = async () => list
    const days = createDayTickers(common, tickers, createPoolResponses(common, {} as never).traded)
    const sources = { ...common, supply, tickers, days }
    const lists = [await createCoinGecko(sources).tickers([]), await createCmc(sources).summary([])]
    return lists.map(({ bodies }) =>
      (JSON.parse(String(bodies.get('identity'))) as CmcSummary).map(({ pool_id: pool }) => pool))
  }
  const missing = async (...daos: Array<typeof dao>) => {
    for (const one of daos) one.swap('buy', 1_000_000n)
    await until('they are known to be missing, and whose they are', async () => {
      const partly = await history.read(async reading =>
        [dao, twin, quiet].filter(({ address }) => reading.knowledge(address, ledger.time - 86_400) === 'partly'))
      // however slow the machine is, the chain is not too far ahead of what is read of it
      ledger.advance(0.1)
      return partly.length === daos.length && daos.every(one => partly.includes(one))
    })
  }
  node.fault({ method: 'getTransaction', kind: 'null-transaction' })
  await missing(twin)
  const others = [dao, quiet].map(({ address }) => address)
  t.same(await told(), [others, others])
  // what is missing holds up the head for twenty seconds of the chain, and at seventy nothing is told
  await headReached(app, ledger, ledger.time)
  await missing(dao, twin, quiet)
  await t.rejects(told(), { code: 'HISTORY_UNAVAILABLE' })
})

test('trades by side and time, of the deepest pool of the pair or of another by its id', async t => {
  const { ledger, dao, twin, quiet, get, trades, app, id } = await setUp(t)
  const url = `/coingecko/historical_trades?ticker_id=${id}`
  const { buy, sell } = await get<CoinGeckoTrades>(url)
  const made = (side: string, of = dao) => trades.filter(
    ({ pool, side: way }) => pool === of.address && way === side
  ).reverse()
  for (const [side, rows] of [['buy', buy], ['sell', sell]] as const) {
    t.same(
      rows.map(({ trade_timestamp: at, pool_id: pool, type }) => [at, pool, type]),
      made(side).map(({ at, pool }) => [at * 1000, pool, side])
    )
    t.ok(rows.every(({ price, base_volume: base, target_volume: target }, at) =>
      near(Number(price), made(side)[at]!.price) && near(Number(target) / Number(base), Number(price))), side)
  }
  const from = made('buy')[2]!.at
  const some = await get<CoinGeckoTrades>(`${url}&type=buy&start_time=${from}`)
  t.same([some.buy.length, some.sell], [3, []])
  const other = await get<CoinGeckoTrades>(`${url}&pool_id=${twin.address}`)
  t.same(
    other.buy.map(({ trade_timestamp: at, pool_id: pool }) => [at, pool]),
    made('buy', twin).map(({ at, pool }) => [at * 1000, pool])
  )
  t.same(await get<CoinGeckoTrades>(`${url}&pool_id=${dao.address}`), { buy, sell })
  const missing = await app.inject(`${url}&pool_id=${quiet.address}`)
  t.same(
    [missing.statusCode, missing.json()], [404, { error: `Pool not found: ${quiet.address}` }], 'a pool of another pair'
  )
  t.same(await get<CoinGeckoTrades>(`${url}&type=buy&start_time=${from}000`), some, 'milliseconds are understood')
  t.same((await get<CoinGeckoTrades>(`${url}&limit=2`)).buy, buy.slice(0, 2))
  t.equal((await get<CoinGeckoTrades>(`${url}&limit=0`)).buy.length, buy.length)
  t.same((await get<CoinGeckoTrades>(`${url}&end_time=${from - 1}&type=buy`)).buy, buy.slice(3))
  const within = `&start_time=${from * 1000 + 200}&end_time=${from * 1000 + 800}`
  t.match(await get<CoinGeckoTrades>(`${url}${within}`), { buy: [], sell: [] }, 'within a second there is none')
  for (const [query, error] of [
    ['&limit=1001', 'Invalid limit: a whole number from 0 to 1000 (trades of each side), as 100'],
    ['&type=BUY', 'Invalid type: one of buy, sell'],
    ['&start_time=5&end_time=4', 'Invalid end_time: start_time or later'], ['&pool_id=x', 'Invalid pool_id'],
    ['&start_time=x', 'Invalid start_time: a whole number, 0 or more (Unix seconds or milliseconds), as 1769860800']
  ] as const) {
    const answer = await app.inject(url + query)
    t.same([answer.statusCode, answer.json()], [400, { error }])
  }
  const day = await get<CmcTrades>(`/cmc/v1/trades/${id}`)
  const recent = trades.filter(({ pool, at }) => pool === dao.address && at > ledger.time - 86_400).reverse()
  t.same(day.map(({ timestamp, type }) => [timestamp, type]), recent.map(({ at, side }) => [at * 1000, side]))
  t.ok(day.every(({ trade_id: one }, at) => at === 0 || one < day[at - 1]!.trade_id), 'ids rise with time')
})

test('both sides are of one moment: what trades meanwhile is in both or in none', async t => {
  const { app, ledger, dao, id } = await setUp(t)
  const { answers: { sources: common, supply, market }, history } = app
  let reads = 0
  const trading: typeof history = {
    ...history,
    async read (work) {
      const found = await history.read(work)
      if (reads++ > 0) return found
      const [trades, { time }] = [history.status().swaps, history.head()]
      dao.swap('buy', 3_000_000n)
      dao.swap('sell', 4_000_000_000n)
      await until('both are stored, and the head has moved on', () => {
        ledger.advance(0.8)
        return history.status().swaps === trades + 2 && history.head().time > time
      })
      return found
    }
  }
  const sources = { ...common, supply, history: trading, tickers: market.tickerList, days: async () => [] }
  const ALL = { pool_id: undefined, type: undefined, limit: 0, start_time: undefined, end_time: undefined }
  const last = dao.seqNum
  const bodyOf = ({ bodies }: CachedResponse) => JSON.parse(String(bodies.get('identity'))) as unknown
  const [parts, head]: [Part[], { time: number }] = [[], history.head()]
  const { buy, sell } = bodyOf(
    await createCoinGecko(sources).trades(parts, { ...ALL, ticker_id: id }, turn)
  ) as CoinGeckoTrades
  t.same(parts.map(({ time }) => time), [head.time], 'dated by the head before they were read')
  t.equal(buy.some(({ trade_id: one }) => Number(one) > last), sell.some(({ trade_id: one }) => Number(one) > last))
  const known = dao.seqNum
  reads = 0
  const day = bodyOf(await createCmc(sources).trades([], id, turn)) as CmcTrades
  const late = day.filter(({ trade_id: one }) => one > known)
  t.ok(late.length === 0 || late.length === 2, `${late.length} of two`)
})

test('pools that a stranger adds to a pair push out no trade of it, in no form', async t => {
  const { ledger, dao, get, app, id } = await setUp(t)
  const [base, quote] = [dao.base, dao.quote]
  const dust = Array.from(
    { length: 40 }, () => ledger.dao({ base, quote, baseReserves: 10_000_000_000n, quoteReserves: 1_000_000n })
  )
  ledger.advance(30)
  for (const pool of dust) for (let i = 0; i < 3; i++) pool.swap('buy', 1_000n)
  const { seq } = dao.swap('buy', 5_000_000n)
  for (const pool of dust) pool.swap('buy', 1_000n)
  await until('they are there', async () => {
    ledger.advance(0.4)
    const [trades, pairs] = [
      await app.inject(`/coingecko/historical_trades?ticker_id=${id}&limit=1`), await app.inject('/coingecko/pairs')
    ]
    return trades.statusCode === 200 && trades.json<CoinGeckoTrades>().buy[0]?.trade_id === String(seq) &&
      pairs.statusCode === 200 && pairs.json<unknown[]>().length === 43
  })
  const { buy } = await get<CoinGeckoTrades>(`/coingecko/historical_trades?ticker_id=${id}&type=buy&limit=8`)
  t.ok(buy.length === 8 && buy.every(({ pool_id: pool }) => pool === dao.address))
  t.equal((await get<CmcTrades>(`/cmc/v1/trades/${id}`))[0]!.trade_id, Number(seq))
})

test('a long day is read page by page', async t => {
  const { ledger, dao, id, app } = await setUp(t)
  ledger.advance(30)
  const made = Array.from(
    { length: 2_300 }, (_, at) => Number(dao.swap(at % 10 === 0 ? 'sell' : 'buy', 2_000_000n + BigInt(at)).seq)
  )
  ledger.advance(60)
  let ids: number[] = []
  await until('they are told', async () => {
    ledger.advance(1)
    const answer = await app.inject(`/cmc/v1/trades/${id}`)
    ids = answer.statusCode === 200 ? answer.json<CmcTrades>().map(({ trade_id: one }) => one) : []
    return ids.includes(made.at(-1)!)
  })
  t.ok(made.every(one => ids.includes(one)))
  t.equal(new Set(ids).size, ids.length, 'none twice')
  t.same(ids, ids.toSorted((a, b) => b - a))
})

test('a day of more trades than one answer can hold is refused, not cut short', async t => {
  const { app: { answers: { sources: common, supply, market } }, get, id } = await setUp(t)
  const { length: most } = await get<CmcTrades>(`/cmc/v1/trades/${id}`)
  const sources = { ...common, supply, tickers: market.tickerList, days: async () => [] }
  await t.resolves(createCmc(sources, most).trades([], id, turn))
  await t.rejects(createCmc(sources, most - 1).trades([], id, turn), { code: 'HISTORY_UNAVAILABLE' })
})

test('a pair that has left the list has no trades any more, though they are kept', async t => {
  const { ledger, quiet, app } = await setUp(t)
  const id = `${quiet.base.address}_${quiet.quote.address}`
  const url = `/cmc/v1/trades/${id}`
  ledger.advance(30)
  quiet.swap('buy', 1_000_000n)
  await until('its trade is told', async () => {
    ledger.advance(1)
    return (await app.inject(url)).payload.includes('"trade_id"')
  })
  quiet.withdrawLiquidity(1)
  await until('it has left the list', async () => {
    ledger.advance(1)
    return (await app.inject(`/api/tickers/${id}`)).statusCode === 404
  })
  const answer = await app.inject(url)
  t.same([answer.statusCode, answer.json()], [404, { error: `Ticker not found: ${id}` }])
})
