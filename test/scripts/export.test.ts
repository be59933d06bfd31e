import { once } from 'node:events'
import { readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { asyncBufferFromFile, parquetReadObjects } from 'hyparquet'
import { test } from 'tap'
import { writeFile } from '../../scripts/export/sinks.js'
import { openPostgresStore } from '../../scripts/open-engine.js'
import { settled, watch } from '../support/history/history.js'
import { newPlace, withoutPostgres } from '../support/history/postgres.js'
import { runScript } from '../support/script-process.js'
import { makeYear } from '../support/history/year.js'
import type { Pools } from '../../schemas/pools.js'
import type { Candles, PoolDays, Trades } from '../../schemas/traded.js'
import { build, historyComplete, settings, startChain } from '../helper.js'

const NOBODY = 'http://127.0.0.1:9'

test('npm run export: every trade in each format, beside the running service', async t => {
  const ledger = makeYear(5, 20)
  const watched = await watch(t, ledger)
  await settled(watched, ledger)
  const run = async (...args: string[]) => {
    const { code, stderr } = await runScript(
      'scripts/export.ts', ['--store', `sqlite:${watched.folder}`, '--url', NOBODY, ...args]
    )
    return code === 0 ? stderr : `failed: ${stderr}`
  }
  const want = ledger.swaps.map(
    ({ dao, seq, input, output, trader }) => [dao, seq, input, output, trader].join()
  ).sort()
  const file = (name: string) => join(watched.folder, name)
  const unwritten = ['--what', 'days', '--format', 'csv', '--out']
  t.equal(
    await run(...unwritten, file('none/csv')),
    `failed: --out ${file('none/csv')}: there is no folder ${file('none')}\n`
  )
  t.equal(
    await run(...unwritten, file('csv'), '--from', '2026-01-02', '--to', '2026-01-01'),
    'failed: --from is after --to\n'
  )
  for (const format of ['csv', 'ndjson', 'parquet']) {
    t.match(
      await run('--what', 'trades', '--format', format, '--out', file(format)),
      new RegExp(`^no list of pools from ${NOBODY} \\(no answer\\): .*\n${want.length} trades written to `)
    )
  }
  const [head, ...lines] = readFileSync(file('csv'), 'utf8').trim().split('\n')
  const names = head!.split(',')
  const rows = lines.map(line => Object.fromEntries(line.split(',').map((cell, at) => [names[at]!, cell])))
  const plain = (rows: Array<Record<string, unknown>>) =>
    rows.map(row => ['pool_id', 'trade_id', 'input', 'output', 'maker'].map(name => String(row[name])).join()).sort()
  t.same(plain(rows), want)
  t.same(
    plain(
      readFileSync(file('ndjson'), 'utf8').trim().split('\n').map(line => JSON.parse(line) as Record<string, unknown>)
    ),
    want
  )
  t.same(plain(await parquetReadObjects({ file: await asyncBufferFromFile(file('parquet')) })), want)
  t.match(
    await run(
      '--what', 'trades', '--format', 'csv', '--out', file('none'), '--from', '2020-01-01', '--to', '2020-01-02'
    ),
    /^0 trades/m
  )
  t.match(await run('--what', 'swaps'), /failed: export --what trades/)
  t.match(
    await run('--what', 'trades', '--format', 'csv', '--out', file('none'), '--from', 'yesterday'),
    /failed: --from: a UTC day/
  )
})

test('npm run export: from PostgreSQL, too', { skip: await withoutPostgres() }, async t => {
  const ledger = makeYear(5, 6)
  const { url } = newPlace(t)
  const watched = await watch(t, ledger, { store: await openPostgresStore({ url, program: ledger.program }) })
  await settled(watched, ledger)
  const out = join(t.testdir(), 'trades.ndjson')
  t.match(
    await runScript(
      'scripts/export.ts',
      ['--store', url, '--url', NOBODY, '--what', 'trades', '--format', 'ndjson', '--out', out]
    ),
    { code: 0 }
  )
  const rows = readFileSync(out, 'utf8').trim().split('\n').map(line => JSON.parse(line) as Record<string, unknown>)
  t.same(
    rows.map(row => [row.pool_id, row.trade_id, row.input, row.output, row.maker].join()).sort(),
    ledger.swaps.map(({ dao, seq, input, output, trader }) => [dao, seq, input, output, trader].join()).sort()
  )
})

test('npm run export: tokens, prices, candles and days are those of the service', async t => {
  const { ledger, node } = await startChain(t)
  const base = ledger.mint({ symbol: '=A,"B";', decimals: 9 })
  const [dao, other] = [base, ledger.mint()].map(base => ledger.dao({
    base,
    quote: ledger.usdc(),
    baseReserves: 10n ** 13n,
    quoteReserves: 10n ** 12n
  }))
  for (let i = 0; i < 60; i++) {
    ledger.advance(2_000)
    dao!.swap(i % 2 === 0 ? 'buy' : 'sell', 1_000_003n * BigInt(1 + i % 17))
    other!.swap('buy', 1_000_000n)
  }
  dao!.swap('buy', 1n)   // its output is 0: it has no price
  ledger.advance(100)
  const env = settings(t, node, ledger, { RATE_LIMIT_MAX: '100000' })
  const app = await build(t, { env, now: () => ledger.time * 1000, pollMs: 20 })
  await historyComplete(app)
  const url = await app.listen({ port: 0, host: '127.0.0.1' })
  const pool = `/api/pools/${dao!.address}`
  async function rowsOf (...args: string[]): Promise<Array<Record<string, any>>> {
    const out = join(env.DATA_DIR!, 'rows.ndjson')
    const { code, stderr } = await runScript('scripts/export.ts', [
      '--store', `sqlite:${env.DATA_DIR}`, '--url', url, '--pool', dao!.address, '--format', 'ndjson', '--out', out,
      ...args
    ])
    if (code !== 0) throw new Error(stderr)
    return readFileSync(out, 'utf8').trim().split('\n').map(line => JSON.parse(line) as Record<string, any>)
  }
  const get = async <T>(path: string): Promise<T> => (await app.inject(pool + path)).json<T>()

  const trades = await rowsOf('--what', 'trades')
  t.same(trades.map(row => [
    row.trade_id,
    row.time,
    row.side,
    row.price,
    row.base_amount,
    row.quote_amount,
    row.maker,
    row.base_mint,
    row.quote_symbol,
    row.base_decimals
  ]),
  (await get<Trades>('/trades?limit=1000')).map(one => [
    one.trade_id, one.timestamp, one.side, one.price, one.base_amount, one.quote_amount, one.maker, base.address,
    'USDC', 9
  ]))
  const candles = await rowsOf('--what', 'candles', '--interval', '4h')
  const wanted = (await get<Candles>('/ohlcv?interval=4h&limit=1000'))
  t.same(candles.reverse().map(row => [
    Date.parse(row.time) / 1000,
    row.open,
    row.high,
    row.low,
    row.close,
    row.base_volume,
    row.quote_volume,
    row.trades
  ]),
  wanted.map(one => [
    one.time,
    one.open,
    one.high,
    one.low,
    one.close,
    one.base_volume,
    one.target_volume,
    one.trades
  ]))
  const days = await rowsOf('--what', 'days')
  t.same(days.reverse().map(row => [row.time, row.open, row.close, row.base_volume, row.trades, row.makers]),
    (await get<PoolDays>('/days')).map(one => [one.date, one.open, one.close, one.base_volume, one.trades, one.makers]))
  t.same(days.map(({ complete }) => complete), days.map((_, at) => at < days.length - 1), 'today goes on')
  const since = Date.parse(days[1]!.time) + 1000
  const pools = (await app.inject('/api/pools')).json<Pools>()
    .map(pool => ({ ...pool, complete_since: new Date(since).toISOString() }))
  const catchingUp = createServer((_, response) => {
    response.setHeader('x-chain-time', new Date(ledger.time * 1000).toISOString())
    response.end(JSON.stringify(pools))
  }).listen(0, '127.0.0.1')
  await once(catchingUp, 'listening')
  t.teardown(() => catchingUp.close())
  const hours = await rowsOf(
    '--what', 'candles', '--url', `http://127.0.0.1:${(catchingUp.address() as AddressInfo).port}`
  )
  t.same(hours.reverse().map(({ complete }) => complete), hours.map(({ time }, at) =>
    Date.parse(time) >= since && at < hours.length - 1), 'nor is what was before all is known')

  const out = join(env.DATA_DIR!, 'trades.csv')
  await runScript(
    'scripts/export.ts',
    [
      '--store',
      `sqlite:${env.DATA_DIR}`,
      '--url',
      url,
      '--pool',
      dao!.address,
      '--what',
      'trades',
      '--format',
      'csv',
      '--out',
      out
    ]
  )
  t.match(readFileSync(out, 'utf8'), /,"'=A,""B"";",9,/, 'no formula, and one cell')
})

test('npm run export: an older file stays until the new one is whole', async t => {
  const folder = t.testdir({ old: 'old' })
  const file = join(folder, 'old')
  for (const format of ['csv', 'ndjson', 'parquet']) {
    await t.rejects(writeFile(file, format, [{ name: 'a' }], async write => {
      await write([['new']])
      throw new Error('the disk is full')
    }), /the disk is full/)
    t.same([readdirSync(folder), readFileSync(file, 'utf8')], [['old'], 'old'], format)
  }
  symlinkSync(file, join(folder, 'link'))
  await writeFile(join(folder, 'link'), 'csv', [{ name: 'a' }], async write => { await write([['new']]) })
  t.same([readdirSync(folder), readFileSync(file, 'utf8')], [['link', 'old'], 'a\nnew\n'])
})
