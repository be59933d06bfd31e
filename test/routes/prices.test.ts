import { existsSync, readFileSync } from 'node:fs'
import { test } from 'tap'
import { formatUnits, ratio } from '../../lib/decimal.js'
import { quoteSwap } from '../../lib/market/quote.js'
import type { Pool, Quote } from '../../schemas/pools.js'
import type { MarketDay, MarketDays } from '../../schemas/traded.js'
import type { Prices } from '../../schemas/prices.js'
import { fromBase58 } from '../../simulator/bytes.js'
import { u64 } from '../support/transaction-events.js'
import { createRandom } from '../../simulator/random.js'
import { createLedger, startNode } from '../../simulator/index.js'
import { allOfNow, build, headReached, historyComplete, patient, settings, startChain } from '../helper.js'
import { getterOf } from '../support/answers.js'

const DAY = 86_400
/** Random seconds and sizes that are asked for; sizes by the ten thousand: `test/lib/market/quote.test.ts`. */
const [SECONDS, SIZES] = [1_000, 200]
const RECORDING = new URL('../../../shared/fixtures/program-recording.json', import.meta.url)

test('prices at random seconds, changes, quotes and days are those of the ledger\'s own trades', async t => {
  const { ledger, node } = await startChain(t)
  const random = createRandom(29)
  const usdc = ledger.usdc()
  const [one, two] = [ledger.mint({ symbol: 'ONE' }), ledger.mint({ symbol: 'TWO', decimals: 9 })]
  const shallow = ledger.dao({ base: one, quote: usdc, baseReserves: 10n ** 12n, quoteReserves: 10n ** 10n })
  const deep = ledger.dao({ base: one, quote: usdc, baseReserves: 2n * 10n ** 12n, quoteReserves: 2n * 10n ** 11n })
  const inOne = ledger.dao({ base: two, quote: one, baseReserves: 10n ** 15n, quoteReserves: 10n ** 12n })
  const unpriced = ledger.dao({
    base: ledger.mint({ symbol: 'ODD' }),
    quote: ledger.mint({ symbol: 'USDC', name: 'USD Coin' }),
    baseReserves: 10n ** 12n,
    quoteReserves: 10n ** 15n
  })
  const daos = [shallow, deep, inOne, unpriced]
  const begun = ledger.time
  for (let i = 0; i < 1500; i++) {
    ledger.advance(1 + random.int(4500))
    const dao = daos[random.int(4)]!
    const side = random.int(2) === 0 ? 'buy' : 'sell'
    dao.swap(side, random.amount(1n, (side === 'buy' ? dao.reserves.quote : dao.reserves.base) / 50n))
  }
  ledger.advance(60)
  const app = await build(t, {
    bounds: { delay: 60_000 },
    env: settings(
      t,
      node,
      ledger,
      { RATE_LIMIT_MAX: '1000000', USD_PRICED_MINTS: `${one.address}:${deep.address}`, USD_MIN_DEPTH: '1' }
    ),
    now: () => ledger.time * 1000,
    pollMs: 20
  })
  await historyComplete(app)
  const get = getterOf(app)
  const close = (a: number, b: number) => Math.abs(a / b - 1) < 1e-10
  const traded = new Map(daos.map(({ address }) =>
    [address, ledger.swaps.filter(({ dao, output }) => dao === address && output > 0n)]))
  const priced = (at: number, dao: string) => traded.get(dao)!.findLast(({ time }) => time <= at)
  const priceOf = (swap: typeof ledger.swaps[number], decimals: number) => {
    const [quote, base] = swap.side === 'buy' ? [swap.input, swap.output] : [swap.output, swap.input]
    return Number(quote) / Number(base) * 10 ** (decimals - 6)
  }
  const mints = [one.address, two.address, unpriced.base.address, usdc.address, ledger.mint().address]

  await t.test('now', async t => {
    const { prices } = await get<Prices>(`/api/prices?mints=${mints.join()}`)
    t.equal(prices[one.address]!.pool_id, deep.address, 'the deepest')
    t.ok(close(Number(prices[one.address]!.price), Number(deep.reserves.quote) / Number(deep.reserves.base)))
    t.equal(prices[one.address]!.price_usd, prices[one.address]!.price)
    t.ok(close(
      Number(prices[two.address]!.price_usd), Number(prices[two.address]!.price) * Number(prices[one.address]!.price)
    ))
    t.match(prices[unpriced.base.address], { price_usd: null, pool_id: unpriced.address })
    t.same([prices[usdc.address], prices[mints[4]!]], [null, null])
    t.ok(Math.abs(prices[one.address]!.timestamp - ledger.time) < 60)
  })

  await t.test('at random seconds, and at those of every trade', async t => {
    let wrong = 0
    // a price is another from the second of a trade on, which few random seconds are beside
    const edges = ledger.swaps.flatMap(({ time }) => [time - 1, time])
    const between = Array.from({ length: SECONDS }, () => begun - 1000 + random.int(ledger.time - begun + 1000))
    for (const at of [...edges, ...between]) {
      const { prices } = await get<Prices>(`/api/prices?mints=${mints.join()}&at=${at}`)
      for (const [dao, decimals] of [[deep, 6], [inOne, 9], [unpriced, 6]] as const) {
        const [price, swap] = [prices[dao.base.address]!, priced(at, dao.address)]
        if (swap === undefined) { if (price !== null) wrong++ } else if (!close(
          Number(price.price), priceOf(swap, decimals)
        ) || price.timestamp !== swap.time) wrong++
        else if (dao === deep && price.price_usd !== price.price) wrong++
        else if (dao === unpriced && price.price_usd !== null) wrong++
        else if (dao === inOne) {
          const worth = ledger.swaps.findLast(({ dao, time }) => dao === deep.address && time <= at)
          const expected = worth === undefined
            ? null
            : Number(price.price) * Number(worth.quoteReserves) / Number(worth.baseReserves)
          if (expected === null ? price.price_usd !== null : !close(Number(price.price_usd), expected)) wrong++
        }
      }
    }
    t.equal(wrong, 0)
  })

  await t.test('changes', async t => {
    const pools = await get<Pool[]>('/api/pools')
    t.equal(pools.length, 4)
    for (const pool of pools) {
      const dao = daos.find(({ address }) => address === pool.pool_id)!
      const decimals = dao === inOne ? 9 : 6
      for (const [name, seconds] of [
        ['5m', 300], ['1h', 3600], ['6h', 6 * 3600], ['24h', DAY], ['7d', 7 * DAY], ['30d', 30 * DAY]
      ] as const) {
        const [from, to] = [priced(ledger.time - seconds, dao.address), priced(ledger.time, dao.address)!]
        const expected = from === undefined ? null : (priceOf(to, decimals) / priceOf(from, decimals) - 1) * 100
        const told = pool[`price_change_${name}`]
        t.ok(
          expected === null ? told === null : Math.abs(Number(told) - expected) < 0.0051,
          `${name}: ${told} for ${expected}`
        )
      }
      t.equal(pool.startDate, new Date(dao.createdAt * 1000).toISOString().slice(0, 10))
    }
  })

  await t.test('quotes of random sizes are what the ledger\'s pool then gives', async t => {
    let wrong = 0
    const { state } = deep
    for (let i = 0; i < SIZES; i++) {
      const side = random.int(2) === 0 ? 'buy' : 'sell'
      const { base, quote } = deep.reserves
      const input = random.amount(1n, side === 'buy' ? quote : base)
      const text = `${input / 1_000_000n}.${String(input % 1_000_000n).padStart(6, '0')}`
      const told = await get<Quote>(`/api/pools/${deep.address}/quote?side=${side}&amount=${text}`)
      const net = input * 9950n / 10000n
      const output = side === 'buy' ? net * base / (quote + net) : net * quote / (base + net)
      const units = (text: string) => {
        const [whole = '', rest = ''] = text.split('.'); return BigInt(whole +
        rest.padEnd(6, '0'))
      }
      if (units(told.output) !== output || units(told.fee.amount) !== input - net || !told.exact) wrong++
      if (Number(told.price_impact) < 0 || Number(told.price_impact) > 100) wrong++
    }
    t.equal(wrong, 0)
    t.ok(state.pools.pass === null)
  })

  await t.test('days of the market', async t => {
    const days = await get<MarketDays>('/api/days?from=2000-01-01').catch((error: Error) => error.message)
    t.match(days, /400 .*Invalid from: at most 366 days in all/)
    const month = await get<MarketDays>('/api/days')
    t.equal(month.length, 30)
    const { pools: _pools, ...single } = await get<MarketDay>(`/api/days/${month[17]!.date}`)
    t.same(month[17], single)
    const [from, to] = [month[3]!.date, month[9]!.date]
    t.same(await get(`/api/days?from=${from}&to=${to}`), month.slice(3, 10))
  })

  await t.test('what is asked wrongly is said', async t => {
    const says = async (url: string, status: number, error: string | RegExp) => {
      const answer = await app.inject(url)
      t.same([answer.statusCode, answer.headers['cache-control']], [status, 'no-store'], url)
      t.match(answer.json<{ error: string }>().error, error)
    }
    const list = /^Invalid mints: 1 to 100 addresses separated by commas, each once, as \w+$/
    for (const query of [
      '', '?mints=', '?mints=nonsense', `?mints=${one.address},${one.address}`, `?mints=${'1'.repeat(9000)}`
    ]) await says(`/api/prices${query}`, 400, list)
    const at = /^Invalid at: Unix seconds/
    for (const time of [ledger.time + 100, ledger.time * 1000, '-5', '1.5', '']) {
      await says(`/api/prices?mints=${one.address}&at=${time}`, 400, at)
    }
    const quote = `/api/pools/${deep.address}/quote`
    await says(`${quote}?amount=1`, 400, 'Invalid side: one of buy, sell')
    for (const amount of ['', '0', '0.0', '-1', '1e3', 'x', '1'.repeat(70)]) {
      await says(
      `${quote}?side=buy&amount=${amount}`, 400, 'Invalid amount: whole tokens as plain decimal text above 0, as 100'
      )
    }
    await says(`${quote}?side=buy&amount=1.0000001`, 400, 'Invalid amount: at most 6 digits after the point')
    await says(`${quote}?side=sell&amount=99999999`, 400, /^Invalid amount: at most [\d.]+, what the pool holds$/)
    await says(`/api/pools/${one.address}/quote?side=buy&amount=1`, 404, /^Pool not found/)
    await says('/api/days?from=2026-02-02&to=2026-02-01', 400, 'Invalid to: not before from')
    await says('/api/days?from=2999-01-01', 400, 'Invalid from: a day that has begun')
    await says('/api/days?since=2999-01-01', 400, 'Invalid since: a day that has begun')
    await says('/api/days?since=2020-01-01', 400, 'Invalid since: at most 366 days in all')
    await says(`/api/days?from=${ledger.time * 1000}`, 400, /^Invalid from: Unix seconds/)
  })

  /** Once the accounts, which are read for those who ask, have confirmed the history up to a second. */
  async function confirmed (time: number): Promise<void> {
    await headReached(app, ledger, time)
    while (app.history.head().time < time) {
      ledger.advance(1)
      await app.inject('/api/tickers')
      await headReached(app, ledger, time)
    }
  }

  await t.test('a second is answered once it is final', async t => {
    const ask = async (at: number) => await app.inject(`/api/prices?mints=${deep.base.address}&at=${at}`)
    await confirmed(ledger.time)
    const head = app.history.head().time
    const early = await ask(head)
    t.same([early.statusCode, early.headers['retry-after']], [503, '1'], 'another block may have the head\'s second')
    ledger.advance(30)
    const at = ledger.time
    const behind = await ask(at)
    t.equal(behind.statusCode, 503, 'a second that has passed, and is not final')
    t.ok(Number(behind.headers['retry-after']) >= 1 && Number(behind.headers['retry-after']) <= 60)
    deep.swap('buy', 1_000_000n)
    const swap = ledger.swaps.at(-1)!
    ledger.advance(5)
    await headReached(app, ledger, swap.time + 1)
    if (app.history.head().time <= swap.time) {
      t.equal((await ask(swap.time)).statusCode, 503, 'one in which a list may have left out a trade')
    }
    await confirmed(swap.time + 1)
    t.equal((await ask(swap.time)).json<Prices>().prices[deep.base.address]!.timestamp, swap.time)
    t.equal((await ask(ledger.time + 100)).statusCode, 400)
  })

  await t.test('a day that has just begun is no day to come', async t => {
    ledger.advance(DAY - ledger.time % DAY - 20)
    await headReached(app, ledger, ledger.time)
    const head = app.history.head().time
    ledger.advance(25)
    const today = new Date(ledger.time * 1000).toISOString().slice(0, 10)
    for (const path of [`/api/days/${today}`, `/api/days?from=${today}`]) {
      const { statusCode, headers } = await app.inject(path)
      t.equal(statusCode, app.history.head().time === head ? 503 : 200, path)
      if (statusCode === 503) t.ok(Number(headers['retry-after']) > 0)
    }
    await confirmed(ledger.time)
    t.equal((await get<MarketDays>(`/api/days?from=${today}`)).length, 1)
  })

  await t.test('a day that has begun since the sums were made is not answered by those', async t => {
    const midnight = ledger.time - ledger.time % DAY + DAY
    ledger.advance(midnight - ledger.time - 6)
    await headReached(app, ledger, midnight - 6)
    await get('/api/days')
    ledger.advance(midnight + 1 - ledger.time)
    deep.swap('buy', 1_000_000n)
    await headReached(app, ledger, midnight + 1)
    const today = new Date(midnight * 1000).toISOString().slice(0, 10)
    const one = await app.inject(`/api/days/${today}`)
    t.ok(one.statusCode === 503 || one.json<MarketDay>().trades === 1, one.payload)
    const since = await app.inject(`/api/days?from=${today}`)
    t.ok(since.statusCode === 503 || since.json<MarketDays>()[0]?.trades === 1, since.payload)
    t.equal((await get<MarketDays>('/api/days')).length, 30)
    ledger.advance(10)
    await confirmed(midnight + 11)
    t.equal((await get<MarketDay>(`/api/days/${today}`)).trades, 1)
  })

  await t.test('while a proposal is live a quote is the least that is had', async t => {
    shallow.launchProposal()
    ledger.advance(30)
    const told = await get<Quote>(`/api/pools/${shallow.address}/quote?side=buy&amount=25`)
    t.equal(told.exact, false)
    const { output } = shallow.swap('buy', 25_000_000n)
    t.ok(Number(told.output) <= Number(output) / 1e6 && Number(told.output) > Number(output) / 1e6 * 0.9)
  })

  await t.test('a price of the past is in USD by the pool that priced it then, though that is empty now', async t => {
    const priceOf = async (at = '') => (await get<Prices>(`/api/prices?mints=${two.address}${at}`)).prices[two.address]!
    const then = `&at=${ledger.time - 2 * DAY}`
    const before = await priceOf(then)
    t.type(before.price_usd, 'string')
    deep.withdrawLiquidity(1)
    ledger.advance(11)
    await allOfNow(app, ledger)
    t.equal((await priceOf()).price_usd, null)
    t.same(await priceOf(then), before)
  })

  await t.test('pages for machines', async t => {
    const root = await app.inject('/')
    t.match(root.headers.link, /<\/documentation\/json>; rel="service-desc".*<\/llms\.txt>; rel="describedby"/)
    const text = await app.inject('/llms.txt')
    t.match(text.headers['content-type'], /^text\/plain/)
    const { paths } = (await app.inject('/documentation/json')).json<{ paths: object }>()
    for (const path of Object.keys(paths)) t.ok(text.body.includes(`[${path}](${path})`), path)
  })
})

test('a pool that has not been traded since the program changed its rates is quoted by those of now', async t => {
  const { ledger, node } = await startChain(t)
  const [idle, busy] = [1, 2].map(() => ledger.dao({
    base: ledger.mint(),
    quote: ledger.usdc(),
    baseReserves: 2_000_000_000_000n,
    quoteReserves: 200_000_000_000n,
    protocolFeeBps: 25,
    lpFeeBps: 25
  }))
  const app = await build(t, {
    env: settings(t, node, ledger, { RATE_LIMIT_MAX: '100000' }), now: () => ledger.time * 1000, pollMs: 20
  })
  for (const lp of [25, 0]) {
    for (const dao of [idle!, busy!]) dao.setFees(50 - lp, lp)
    if (lp === 25) idle!.swap('sell', 10_000_000_001n)
    ledger.advance(30)
    busy!.swap('buy', 1_000_000_000n)
    ledger.advance(30)
    await historyComplete(app)
    await headReached(app, ledger, ledger.time)
    const told = (await app.inject(`/api/pools/${idle!.address}/quote?side=buy&amount=1234.567891`)).json<Quote>()
    t.match(told, { protocol_fee_rate: `0.00${lp === 25 ? '25' : '5'}`, lp_fee_rate: lp === 25 ? '0.0025' : '0' })
    if (lp > 0) continue
    const { output, fee } = idle!.swap('buy', 1_234_567_891n)
    t.same([told.output, told.fee.amount], [formatUnits(output, 6), formatUnits(fee, 6)])
  }
})

test('a quote is as old as the swaps that its fee is told by', async t => {
  const ledger = createLedger()
  const node = await startNode(ledger, { finalityLag: 60 })
  t.teardown(() => node.close())
  const { address } =
    ledger.dao({ base: ledger.mint(), quote: ledger.usdc(), baseReserves: 10n ** 12n, quoteReserves: 10n ** 12n })
  ledger.advance(120)
  const app = await build(t, { env: settings(t, node, ledger), now: () => ledger.time * 1000, pollMs: 20 })
  await historyComplete(app)
  const { headers } = await patient(app, `/api/pools/${address}/quote?side=buy&amount=1`)
  const { time } = app.history.head()
  t.ok(time < ledger.time)
  t.ok(Date.parse(String(headers['x-chain-time'])) <= time * 1000)
})

test('quotes are the compiled program\'s own outputs, to the raw unit', {
  skip: !existsSync(RECORDING) && 'the recording is not here'
}, async t => {
  const recording = JSON.parse(readFileSync(RECORDING, 'utf8'))
  const fees = { protocol: ratio(50n, 10_000n), lp: ratio(0n) }
  let before: { quote: bigint, base: bigint } | undefined
  let compared = 0
  for (const { meta } of recording.transactions) {
    for (const { data, accounts } of meta.innerInstructions.flatMap((inner: any) => inner.instructions)) {
      if (accounts.length !== 1) continue
      const event = fromBase58(data)
      if (before !== undefined) {
        const [into, out] = event[104] === 0 ? [before.quote, before.base] : [before.base, before.quote]
        if (quoteSwap(u64(event, 105), into, out, fees).output !== u64(event, 113)) t.fail(`swap ${compared}`)
        compared++
      }
      before = { quote: u64(event, 230), base: u64(event, 238) }
    }
  }
  t.equal(compared, 91)
  // the rates of the first builds, by the vectors of the program's source
  t.match(quoteSwap(
    10_000_000_001n, 2_000_000_000_000n, 200_000_000_000n, { protocol: ratio(25n, 10_000n), lp: ratio(25n, 10_000n) }
  ), { output: 990_080_568n, fee: 25_000_001n })
})
