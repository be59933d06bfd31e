import { setTimeout } from 'node:timers/promises'
import { test, type Test } from 'tap'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { add, type Rational, ratio, toFixed, ZERO } from '../../lib/decimal.js'
import type { Daos } from '../../schemas/daos.js'
import type { Ticker } from '../../schemas/ticker.js'
import { build, headReached, historyComplete, settings, startChain, until } from '../helper.js'

const OTHER = 'So11111111111111111111111111111111111111112'

async function setUp (t: Test, env: Record<string, string> = {}) {
  const { ledger, node } = await startChain(t)
  const start = async (going?: typeof ledger) => {
    const app = await build(t, {
      env: settings(t, node, ledger, { RATE_LIMIT_MAX: '100000', PROTOCOL_FEE_RATE: '0.005', ...env }),
      now: () => ledger.utc * 1000,
      pollMs: 20
    })
    await historyComplete(app, going)
    const tickers = async () => {
      const answer = await app.inject('/api/tickers')
      t.equal(answer.statusCode, 200)
      return answer.json<Ticker[]>()
    }
    return { app, tickers }
  }
  return { ledger, node, start }
}

test('spec 2.1: GET /api/tickers has a ticker for every DAO with reserves, deepest first', async t => {
  const { ledger, node, start } = await setUp(t)
  const usdc = ledger.usdc()
  const small = ledger.dao({
    base: ledger.mint({ symbol: 'AAA', name: 'Token A' }),
    quote: usdc,
    baseReserves: 2_000_000_000_000n,
    quoteReserves: 200_000_000_000n
  })
  const large = ledger.dao({
    base: ledger.mint({ decimals: 9, symbol: 'BBB' }),
    quote: usdc,
    baseReserves: 9_007_199_254_740_993_000n,
    quoteReserves: 12_345_678_901_234_567n
  })
  ledger.dao({ base: ledger.mint(), quote: usdc, baseReserves: 0n, quoteReserves: 0n })
  ledger.advance(60)
  const { tickers } = await start()
  const list = await tickers()
  t.same(list.map(({ pool_id: pool }) => pool), [large.address, small.address])
  t.match(list[1], {
    ticker_id: `${small.base.address}_${usdc.address}`,
    base_currency: small.base.address,
    target_currency: usdc.address,
    base_symbol: 'AAA',
    base_name: 'Token A',
    target_symbol: 'USDC',
    target_name: 'USD Coin',
    last_price: '0.100000000000',
    base_volume: '0.00000000',
    target_volume: '0.00000000',
    liquidity_in_usd: '400000.00'
  })
  t.match(list[0], { last_price: '1.370645697078', liquidity_in_usd: '24691357802.47' }, 'above 2^53')
  t.ok(Number(list[1]!.bid) < 0.1 && Number(list[1]!.ask) > 0.1)
  t.equal(node.calls.getProgramAccounts, 1)
})

test(
  'spec 8: a refresh of N DAOs with M mints costs 1 + ceil(2M / 100) calls cold and 1 warm, however many ask',
  async t => {
    const { ledger, node, start } = await setUp(t)
    const usdc = ledger.usdc()
    for (let i = 0; i < 60; i++) {
      ledger.dao({ base: ledger.mint(), quote: usdc, baseReserves: 10n ** 12n, quoteReserves: 10n ** 11n })
    }
    const { app } = await start()
    t.same([node.calls.getProgramAccounts, node.calls.getMultipleAccounts], [1, 2], '61 mints')
    ledger.advance(11)
    await headReached(app, ledger, ledger.time)
    const answers = await Promise.all(Array.from({ length: 500 }, () => app.inject('/api/tickers')))
    t.ok(answers.every(({ statusCode }) => statusCode === 200))
    t.same([node.calls.getProgramAccounts, node.calls.getMultipleAccounts], [2, 2])
  }
)

test('spec 2.1.2: 24-hour volumes are those of the swaps, exactly, and roll by the second', async t => {
  const { ledger, start } = await setUp(t)
  const usdc = ledger.usdc()
  const dao = ledger.dao(
    { base: ledger.mint(), quote: usdc, baseReserves: 2_000_000_000_000n, quoteReserves: 200_000_000_000n }
  )
  ledger.advance(3_600)
  dao.swap('buy', 1_000_000_000n)
  ledger.advance(3_600)
  dao.swap('sell', 10_000_000_001n)
  ledger.advance(10)
  dao.swap('buy', 199n)
  const expected = (from: number, to: number): { base: string, quote: string } => {
    let [base, quote]: [Rational, Rational] = [ZERO, ZERO]
    for (const swap of ledger.swaps.filter(({ time }) => time > from && time <= to)) {
      const [notional, other] = [ratio(swap.input), ratio(swap.output)]
      base = add(base, swap.side === 'buy' ? other : notional)
      quote = add(quote, swap.side === 'buy' ? notional : other)
    }
    return {
      base: toFixed({ n: base.n, d: base.d * 1_000_000n }, 8),
      quote: toFixed({ n: quote.n, d: quote.d * 1_000_000n }, 8)
    }
  }
  const [first] = ledger.swaps
  const begin = ledger.time
  for (const ahead of [0, 86_400 - 3_611, 86_400 - 3_610, 86_400 - 3_609, 86_400, 2 * 86_400]) {
    ledger.advance(begin + ahead - ledger.time)
    const { app, tickers } = await start()
    const now = ledger.time
    const { base, quote } = expected(now - 86_400, now)
    const [ticker] = await tickers()
    await app.close()
    t.same([ticker?.base_volume, ticker?.target_volume], [base, quote], `${now - first!.time} s after the first swap`)
  }
  t.not(expected(0, begin).base, expected(first!.time, begin).base, 'the window made a difference')
})

test('spec 2.1.1: the price is that of the spot pool while a proposal is live too', async t => {
  const { ledger, start } = await setUp(t)
  const usdc = ledger.usdc()
  const dao = ledger.dao(
    { base: ledger.mint(), quote: usdc, baseReserves: 2_000_000_000_000n, quoteReserves: 200_000_000_000n }
  )
  dao.initializeProposal()
  dao.launchProposal()
  dao.conditionalSwap('pass', 'buy', 5_000_000_000n)
  const { tickers } = await start()
  const [ticker] = await tickers()
  t.equal(ticker?.last_price, toFixed(ratio(dao.reserves.quote, dao.reserves.base), 12))
  t.equal(ticker?.liquidity_in_usd, toFixed(ratio(2n * dao.reserves.quote, 1_000_000n), 2))
  t.equal(ticker?.target_volume, '0.00000000', 'conditional swaps are no volume')
})

test(
  'spec 4.3: accounts of every size and with stale tails are read, excluded and hostile ones left out with a reason',
  async t => {
    const { ledger, start } = await setUp(t, { EXCLUDED_DAOS: ' , ' })
    const usdc = ledger.usdc()
    const make = (layout: 'F0' | 'F1' | 'F2' | 'F3') =>
      ledger.dao({
        base: ledger.mint(),
        quote: usdc,
        baseReserves: 10n ** 12n,
        quoteReserves: 10n ** 11n,
        layout,
        spendingMembers: 10
      })
    const good = (['F0', 'F1', 'F2', 'F3'] as const).map(make)
    const spoilt = make('F2')
    const { owner, data } = ledger.account(spoilt.address)!
    data[8] = 7
    ledger.setAccount(spoilt.address, { owner, data })
    const cut = make('F2')
    ledger.setAccount(cut.address, { owner, data: ledger.account(cut.address)!.data.subarray(0, 200) })
    const noMint = make('F2')
    ledger.setAccount(noMint.base.address, null)
    const { app, tickers } = await start()
    t.same((await tickers()).map(({ pool_id: pool }) => pool).sort(), good.map(({ address }) => address).sort())
    const report = (await app.inject('/api/daos')).json<Daos>()
    t.match(report, { discovered: 7, listed: 4, left_out: 3 })
    const reason = (address: string) => report.daos.find(({ dao }) => dao === address)?.reason
    t.same(
      [reason(spoilt.address), reason(cut.address), reason(noMint.address)],
      ['undecodable', 'undecodable', 'mint unreadable']
    )
    for (const path of ['', '/treasury']) {
      const { statusCode } = await app.inject(`/api/daos/${noMint.address}${path}`)
      t.equal(statusCode, 500, 'what a DAO trades is there, whatever a node says')
    }
  }
)

test('until the last day of any is known, no DAO counts as listed', async t => {
  const { ledger, node } = await startChain(t)
  const { address } = ledger.dao(
    { base: ledger.mint(), quote: ledger.usdc(), baseReserves: 10n ** 12n, quoteReserves: 10n ** 11n }
  )
  const fault = node.fault({ method: 'getSignaturesForAddress', kind: 'rpc-error' })
  const app = await build(t, { env: settings(t, node, ledger), now: () => ledger.utc * 1000, pollMs: 20 })
  t.equal((await app.inject('/api/tickers')).statusCode, 503)
  const report = async () => (await app.inject('/api/daos')).json<Daos>()
  t.match(await report(), { listed: 0, left_out: 1, daos: [{ listed: false, reason: 'history incomplete' }] })
  t.equal((await app.inject(`/api/daos/${address}`)).statusCode, 503)
  node.faults.clear(fault)
  await historyComplete(app)
  await until('it is listed', async () => {
    ledger.advance(0.2)
    return (await app.inject('/api/tickers')).statusCode === 200
  })
  t.match(await report(), { listed: 1, left_out: 0, daos: [{ listed: true, reason: null }] }, 'at once')
})

test('where the first list takes long, the report waits for it', async t => {
  const { ledger, node } = await startChain(t)
  ledger.dao({ base: ledger.mint(), quote: ledger.usdc(), baseReserves: 10n ** 12n, quoteReserves: 10n ** 11n })
  const app = await build(t, { env: settings(t, node, ledger), now: () => ledger.utc * 1000, pollMs: 20 })
  await historyComplete(app)
  const { last24h } = app.history
  app.history.last24h = async () => {
    await setTimeout(1_500)
    return await last24h()
  }
  t.match((await app.inject('/api/daos')).json<Daos>(), { listed: 1, left_out: 0 })
})

test('where no DAO can be listed there is no list, and the report says of each why, asked for alone', async t => {
  const { ledger, node } = await startChain(t)
  const usdc = ledger.usdc()
  const daos = [0, 1].map(
    () => ledger.dao({ base: ledger.mint(), quote: usdc, baseReserves: 10n ** 12n, quoteReserves: 10n ** 11n })
  )
  for (const dao of daos) dao.swap('buy', 1_000_000n)
  const app = await build(t, { env: settings(t, node, ledger), now: () => ledger.utc * 1000, pollMs: 20 })
  await historyComplete(app)
  t.match((await app.inject('/api/daos')).json<Daos>(), { listed: 2, left_out: 0 })
  node.fault({ method: 'getTransaction', kind: 'null-transaction' })
  for (const dao of daos) dao.swap('sell', 1_000_000n)
  ledger.advance(60)
  const report = async () => (await app.inject('/api/daos')).json<Daos>()
  await until('no DAO can be listed', async () => {
    ledger.advance(11)
    return (await app.inject('/api/tickers')).statusCode === 503 && app.history.status().missingEvents === 2
  })
  await until('the report says why', async () => {
    ledger.advance(11)
    const { listed, left_out: leftOut, daos } = await report()
    return listed === 0 && leftOut === 2 && daos.every(dao => !dao.listed && dao.reason === 'history incomplete')
  })
})

test('spec 4.3: EXCLUDED_DAOS are left out', async t => {
  const { ledger, node } = await startChain(t)
  const usdc = ledger.usdc()
  const [spam, kept] = [0, 1].map(
    () => ledger.dao({ base: ledger.mint(), quote: usdc, baseReserves: 10n ** 12n, quoteReserves: 10n ** 11n })
  )
  const app = await build(t, {
    env: settings(t, node, ledger, { EXCLUDED_DAOS: `${OTHER}, ${spam!.address}` }),
    now: () => ledger.time * 1000,
    pollMs: 20
  })
  await historyComplete(app)
  t.same((await app.inject('/api/tickers')).json<Ticker[]>().map(({ pool_id: pool }) => pool), [kept!.address])
})

test('spec 7: GET /api/tickers/{ticker_id}: 400 malformed, 404 unknown, the deepest of several pools', async t => {
  const { ledger, start } = await setUp(t)
  const usdc = ledger.usdc()
  const base = ledger.mint()
  const [shallow, deep] = [10n ** 10n, 10n ** 11n].map(
    quoteReserves => ledger.dao({ base, quote: usdc, baseReserves: 10n ** 12n, quoteReserves })
  )
  const { app } = await start()
  for (const malformed of ['x', `${OTHER}`, `${OTHER}_`, `${OTHER}_${OTHER}_${OTHER}`, `${OTHER}-${OTHER}`]) {
    const answer = await app.inject(`/api/tickers/${malformed}`)
    t.same(
      [answer.statusCode, answer.payload],
      [400, '{"error":"Invalid ticker_id format. Expected: BASE_MINT_QUOTE_MINT"}'],
      malformed
    )
  }
  const unknown = await app.inject(`/api/tickers/${OTHER}_${usdc.address}`)
  t.same([unknown.statusCode, unknown.payload], [404, `{"error":"Ticker not found: ${OTHER}_${usdc.address}"}`])
  const known = await app.inject(`/api/tickers/${base.address}_${usdc.address}`)
  t.equal(known.json<Ticker>().pool_id, deep!.address)
  t.equal(known.headers['x-other-pools'], shallow!.address)
})

test('bytes: entity tag, 304, gzip and brotli of the same list, Cache-Control', async t => {
  const { ledger, start } = await setUp(t)
  const usdc = ledger.usdc()
  for (let i = 0; i < 5; i++) {
    ledger.dao({ base: ledger.mint(), quote: usdc, baseReserves: 10n ** 12n, quoteReserves: 10n ** 11n })
  }
  const { app } = await start()
  const plain = await app.inject('/api/tickers')
  t.match(
    plain.headers,
    { 'cache-control': 'public, max-age=10', vary: 'accept-encoding', age: undefined, 'content-encoding': undefined }
  )
  const unpack = { gzip: gunzipSync, br: brotliDecompressSync }
  for (const encoding of ['gzip', 'br'] as const) {
    const packed = await app.inject({ url: '/api/tickers', headers: { 'accept-encoding': `${encoding}, deflate` } })
    t.equal(packed.headers['content-encoding'], encoding)
    t.equal(unpack[encoding](packed.rawPayload).toString(), plain.payload)
    const again = await app.inject(
      { url: '/api/tickers', headers: { 'accept-encoding': encoding, 'if-none-match': String(packed.headers.etag) } }
    )
    t.same([again.statusCode, again.payload], [304, ''])
  }
  t.equal((await app.inject(
    { url: '/api/tickers', headers: { 'accept-encoding': 'br;q=0.1, gzip;q=0.9' } }
  )).headers['content-encoding'], 'gzip')
  t.equal((await app.inject(
    { url: '/api/tickers', headers: { 'accept-encoding': 'br;q=0, identity' } }
  )).headers['content-encoding'], undefined)
  t.equal((await app.inject({ url: '/api/tickers', headers: { 'if-none-match': '"other"' } })).statusCode, 200)
  const head = await app.inject({ method: 'HEAD', url: '/api/tickers' })
  t.same([head.statusCode, head.payload, head.headers['content-length']], [200, '', String(plain.rawPayload.length)])
})

test('unplugged, the last good answer is served with its age, then no answer', async t => {
  const { ledger, node, start } = await setUp(t)
  ledger.dao({ base: ledger.mint(), quote: ledger.usdc(), baseReserves: 10n ** 12n, quoteReserves: 10n ** 11n })
  const { app } = await start()
  const good = await app.inject('/api/tickers')
  await node.stop()
  ledger.advance(40)
  const stale = await app.inject('/api/tickers')
  t.match(
    stale, { statusCode: 200, payload: good.payload, headers: { age: '40', 'cache-control': 'public, max-age=0' } }
  )
  ledger.advance(31)
  let gone = await app.inject('/api/tickers')
  // on a busy machine an attempt of before may still be under way, which ends where the history does not cover the day
  // any more
  for (let time = 0; time < 20 && gone.statusCode === 503; time++) gone = await app.inject('/api/tickers')
  t.same([gone.statusCode, gone.json()], [502, { error: 'Upstream RPC service unavailable' }])
  await node.restart()
})

test(
  'a node that has lost the past still has every DAO listed: what is missing lies before the last 24 hours',
  async t => {
    const { ledger, node, start } = await setUp(t)
    const usdc = ledger.usdc()
    const reserves = { baseReserves: 10n ** 12n, quoteReserves: 10n ** 11n }
    const [idle, active] = [0, 1].map(() => ledger.dao({ base: ledger.mint(), quote: usdc, ...reserves }))
    for (const dao of [idle!, active!]) dao.swap('buy', 1_000_000n)
    ledger.advance(5 * 86_400)
    const other = ledger.dao({ base: ledger.mint(), quote: usdc, ...reserves })
    const lost = ledger.slot - 10
    ledger.advance(4 * 86_400)
    active!.swap('buy', 7_000_000n)
    ledger.advance(3_600)
    node.faults.set({ kind: 'pruned', value: lost })
    const { app } = await start(ledger)
    for (let looks = 0; looks < 20; looks++) {
      ledger.advance(3)
      await headReached(app, ledger, ledger.time)
    }
    await until(
      'sequence gaps have been looked for',
      () => app.history.status().searched && app.history.status().missingEvents > 0
    )
    const volumes = new Map((await app.inject('/api/tickers')).json<Ticker[]>().map(
      ({ pool_id: pool, target_volume: volume }) => [pool, volume]
    ))
    t.same(
      [volumes.get(idle!.address), volumes.get(active!.address), volumes.get(other.address)],
      ['0.00000000', '7.00000000', '0.00000000']
    )
    t.equal(
      (await app.inject('/api/volume/aggregate')).headers['x-history-complete'],
      'false',
      'and the aggregate says that it is not whole'
    )
  }
)
