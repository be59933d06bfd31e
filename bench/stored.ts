/**
 * `npm run bench -- stored [--swaps 10000000] [--daos 60] [--url postgres://…]`: CPU of reading trades, candles and
 * block ranges on so many stored swaps of a year, which SQL makes by itself in minutes. With `--url` on PostgreSQL,
 * else on SQLite.
 *
 * Cold: each read is of rows that none before it touched, in a process that has just opened the store. The same once
 * more right after it: the ratio is what it costs to find the rows. Of reads above 10 ms it says how many were among
 * the first, before the code is compiled, and how many held a garbage collection.
 */
import { statfsSync } from 'node:fs'
import { join } from 'node:path'
import { PerformanceObserver } from 'node:perf_hooks'
import { setTimeout } from 'node:timers/promises'
import Database from 'libsql'
import pg from 'pg'
import { openPostgresStore } from '../scripts/open-engine.js'
import { openSqliteStore } from '../lib/history/store/sqlite.js'
import type { Store } from '../lib/history/store/create-store.js'
import { costOf } from './support/measure.js'
import { options, scratchFolder } from './support/run.js'
import { dropSchema, withSchema } from './support/schema.js'
import { PROGRAM } from './support/swap-event.js'

const { swaps, daos, url } = options({ swaps: 10_000_000, daos: 60, url: '' })
const BEGIN = 1_767_225_600
const [DAYS, HOUR, DAY] = [365, 3600, 86_400]
const BYTES_A_SWAP = 1_000
const BATCH = 250_000
const [LIMIT_MS, WARMING] = [10, 20]

interface Sample { ms: number, begun: number, ended: number }

/** A candle of 19 trades. */
const CANDLE =
  '\'2333340333333\', \'1000003000000\', 19, \'95000\', 0, \'100\', \'1000003\', \'2333340\', \'118\', \'1000979\', ' +
    '\'2335617\', \'1000979\', \'2335000\', \'1000003\', \'2336000\', \'1000003000000\', \'2333340333333\''
const COLUMNS =
  `base, quote, trades, fees, unknown_fees, open_seq, open_quote, open_base, close_seq, close_quote, close_base,
  high_quote, high_base, low_quote, low_base, average_quote, average_base`

interface Dialect {
  number: string
  series: (from: number, to: number) => string
  pad: (value: string, length: number) => string
}

/** Statements that make swap n of DAO 1 + n % daos, one a slot, in the order of time, and the rows of candles. */
function * statements ({ number, series, pad }: Dialect): Generator<string> {
  const at = `cast(${BEGIN} + n * ${DAYS * DAY}.0 / ${swaps} as ${number})`
  yield `insert into daos (id, address) select n, 'dao' || n from ${series(1, daos)}`
  for (let from = 0; from < swaps; from += BATCH) {
    yield `insert into events (revision, dao, seq, kind, slot, at, signature, event_index, side, input, output, fee,
        quote_fees, base_fees, quote_reserves, base_reserves, maker, block_index)
      select n + 1, 1 + n % ${daos}, ${pad(`1 + n / ${daos}`, 20)}, 'SpotSwap', n, ${at}, ${pad('n', 88)}, 65537,
        case n % 3 when 0 then 'sell' else 'buy' end, '1000003', '2333340', '5001', '5000000', '0', '1000001000003',
        '1000000000000000', 'maker' || ${pad('n % 997', 39)}, n % 1000
      from ${series(from, Math.min(from + BATCH, swaps) - 1)}`
  }
  const minutes = Math.min(DAYS * 1440, Math.ceil(swaps / daos))
  for (const [table, width, rows] of [
    ['days', DAY, DAYS], ['hours', HOUR, DAYS * 24], ['minutes', 60, minutes]
  ] as const) {
    const revision = table === 'days' ? 'n + 1' : 'null'
    for (let from = 0; from < rows * daos; from += BATCH) {
      yield `insert into candles (dao, width, start, ${COLUMNS}, revision)
        select 1 + n % ${daos}, ${width}, ${BEGIN + (DAYS * DAY - rows * width)} + n / ${daos} * ${width}, ${CANDLE},
          ${revision}
        from ${series(from, Math.min(from + BATCH, rows * daos) - 1)}`
    }
  }
  yield `insert into meta (key, value) values ('revision', '${swaps}')`
}

async function fill (run: (sql: string) => Promise<unknown>, dialect: Dialect): Promise<void> {
  const begun = performance.now()
  for (const statement of statements(dialect)) await run(statement)
  console.log(`${swaps} swaps of ${daos} DAOs in ${Math.round((performance.now() - begun) / 1000)} s`)
}

async function sqlite (): Promise<{ open: () => Promise<Store>, end: () => Promise<void> }> {
  const folder = scratchFolder()
  const { bavail, bsize } = statfsSync(folder)
  if (bavail * bsize < swaps * BYTES_A_SWAP) {
    throw new Error(`${swaps} swaps take about ${Math.round(swaps * BYTES_A_SWAP / 1e9)} GB, ${folder} has less`)
  }
  const open = () => openSqliteStore({ folder, program: PROGRAM })
  await (await open()).close()
  const db = new Database(join(folder, 'history.db'))
  db.exec('pragma synchronous = off; pragma cache_size = -500000')
  const series = (from: number, to: number) =>
    `(with recursive n (n) as (select ${from} union all select n + 1 from n where n < ${to}) select n from n) as n`
  await fill(
    async sql => { db.exec(sql) },
    { number: 'integer', series, pad: (value, length) => `printf('%0${length}d', ${value})` }
  )
  db.close()
  return { open, end: async () => {} }
}

async function postgres (url: string): Promise<{ open: () => Promise<Store>, end: () => Promise<void> }> {
  const schema = `bench_${process.pid}`
  const open = () => openPostgresStore({ url: withSchema(url, schema), program: PROGRAM })
  await (await open()).close()
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(`set search_path = "${schema}"; set synchronous_commit = off`)
  const pad = (value: string, length: number) => length === 20 ? `(${value})` : `lpad((${value})::text, ${length}, '0')`
  await fill(
    sql => client.query(sql),
    { number: 'bigint', series: (from, to) => `generate_series(${from}::bigint, ${to}) n`, pad }
  )
  await client.query('analyze events; analyze candles')
  await client.end()
  return { open, end: () => dropSchema(url, schema) }
}

const show = (samples: number[]) => {
  const sorted = [...samples].sort((a, b) => a - b)
  const at = (part: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))]!.toFixed(2)
  return `${at(0.5)} ms, 95 % ${at(0.95)}, at most ${at(1)}, the first ${samples[0]!.toFixed(2)}`
}

const { open, end } = await (url === '' ? sqlite() : postgres(url))
try {
  const last = Math.floor(swaps / daos)
  const reads: Record<string, (store: Store, at: number) => Promise<unknown[]>> = {
    '1,000 trades': (store, at) => store.trades(
      { dao: `dao${1 + at % daos}`, limit: 1000, before: BigInt(last - Math.floor(at / daos) * 1000 - at * 7) }
    ),
    '1,000 candles of an hour': (store, at) => store.candlesOf(
      `dao${1 + at % daos}`, 'hours', { from: BEGIN, to: BEGIN + (DAYS - at) * DAY, limit: 1000 }
    ),
    '1,000 candles of a minute': (store, at) => store.candlesOf(
      `dao${1 + at % daos}`, 'minutes', { from: BEGIN, to: BEGIN + DAYS * DAY - at * 60, limit: 1000 }
    ),
    '1,000 slots with 1,000 events': (store, at) => store.poolEvents(
      { from: Math.floor(swaps / 200) * at, to: Math.floor(swaps / 200) * at + 999, limit: 10_000 }
    )
  }
  const collections: Array<{ startTime: number, duration: number }> = []
  const observer = new PerformanceObserver(list => { collections.push(...list.getEntries()) })
  observer.observe({ entryTypes: ['gc'] })
  for (const [what, read] of Object.entries(reads)) {
    const [cold, again]: [Sample[], number[]] = [[], []]
    const store = await open()
    for (let at = 0; at < 100; at++) {
      const begun = performance.now()
      const { cpu: ms, value: rows } = await costOf(() => read(store, at))
      if (rows.length !== 1000) throw new Error(`${rows.length} rows`)
      cold.push({ ms, begun, ended: performance.now() })
      again.push((await costOf(() => read(store, at))).cpu)
    }
    await store.close()
    await setTimeout(50)   // the observer is told later
    const all = cold.map(({ ms }) => ms)
    const sum = (list: number[]) => list.reduce((total, one) => total + one, 0)
    const slow = cold.filter(({ ms }) => ms > LIMIT_MS)
    const collected = slow.filter(({ begun, ended }) => collections.some(
      ({ startTime, duration }) => startTime < ended && startTime + duration > begun
    )).length
    const young = slow.filter(sample => cold.indexOf(sample) < WARMING).length
    console.log(
      `${what}: ${show(all)}; ${(sum(all) / sum(again)).toFixed(2)} of the same again; ` +
        `above ${LIMIT_MS} ms ${slow.length}: ${young} of the first ${WARMING}, ${collected} with a collection`
    )
  }
  observer.disconnect()
} finally {
  await end()
}
