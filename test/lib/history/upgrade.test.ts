import { join } from 'node:path'
import Database from 'libsql'
import { test, type Test } from 'tap'
import { openPostgresStore } from '../../../scripts/open-engine.js'
import { openSqliteStore } from '../../../lib/history/store/sqlite.js'
import type { Store } from '../../../lib/history/store/create-store.js'
import { settled, until, watch } from '../../support/history/history.js'
import { ask, newPlace, withoutPostgres } from '../../support/history/postgres.js'
import { ledgerReader } from '../../support/history/reader.js'
import { makeYear } from '../../support/history/year.js'

const CANDLE = ['fees', 'unknown_fees', ...['open', 'close'].flatMap(
  end => [`${end}_seq`, `${end}_quote`, `${end}_base`]
),
...['high', 'low', 'average'].flatMap(end => [`${end}_quote`, `${end}_base`])]

const RENAMED = [
  ['events', 'events', 'revision change, event_index place'],
  [
    'sequence_ranges',
    'intervals',
    `first_seq low, last_seq high, first_slot low_slot, last_slot high_slot, first_at low_at, last_at high_at,
    keeps_fees through, quote_fees_after top_quote, base_fees_after top_base, pending_seq open_seq,
    pending_at open_at, pending_side open_side, pending_input open_input,
    pending_output open_output, pending_fees_after open_post`
  ]
] as const

/**
 * What turns the tables back into those of version 1.0.0, whose schema is 2; its day sums are wrong ones, which nothing
 * may be made of.
 */
const BACK = [
  ...[
    'events_trades', 'events_slot', 'events_incomplete', 'events_unnamed', 'events_untold', 'events_proposals',
    'events_markets', 'events_other_fees'
  ].map(index => `drop index ${index}`),
  ...[
    'maker', 'block_index', 'quote_change', 'base_change', 'proposal', 'market', 'facts', 'late'
  ].map(column => `alter table events drop column ${column}`),
  ...RENAMED.flatMap(([table, old, columns]) => [
    ...columns.split(',').filter(pair => pair !== '').map(pair => pair.trim().split(' ')).map(
      ([name, before]) => `alter table ${table} rename column ${name} to ${before}`
    ),
    ...(table === old ? [] : [`alter table ${table} rename to ${old}`])
  ]),
  ...['candles', 'closes', 'makers', 'fee_rates'].map(table => `drop table ${table}`),
  `create table days (dao integer not null, day integer not null, base text not null, quote text not null,
    trades bigint not null, change bigint not null, primary key (dao, day))`,
  'alter table daos add column first_swap bigint',
  'create table rates (bps text primary key, swaps bigint not null)',
  `create table segments (newest text primary key, newest_slot bigint not null, oldest text not null,
    oldest_slot bigint not null, oldest_time bigint, anchor text)`,
  'create index days_change on days (change)',
  'create table proposals (proposal text primary key, dao integer not null)',
  `create table unplaced (signature text not null, place integer not null, kind text not null,
    primary key (signature, place))`,
  "insert into days values (1, 20000, '1', '1', 99, 1)",
  'create table accounts (address text primary key, seq text not null)',
  'delete from schema_version where version > 2',
  "delete from meta where key in ('published', 'valuation', 'rates', 'indexedRanges')",
  "update meta set key = 'change' where key = 'revision'",
  "insert into meta (key, value) values ('valuation', 'auto 1/200')"
]

const TABLES = {
  events: `select dao, seq, maker, block_index, quote_change, base_change, proposal, market, facts from events
    where kind in ('SpotSwap', 'ProvideLiquidity', 'WithdrawLiquidity', 'LaunchProposal', 'FinalizeProposal',
      'AdminCancelProposal', 'InitializeDao',
      'InitializeProposal', 'RemoveProposal', 'ConditionalSwap', 'CollectMeteoraDammFees') order by dao, seq`,
  all: `select revision, dao, seq, kind, slot, at, signature, event_index, side, input, output, fee, quote_fees,
    base_fees, quote_reserves, base_reserves, reason, raw from events order by dao, seq`,
  daos: 'select id, address from daos order by id',
  candles:
    `select dao, width, start, base, quote, trades, ${CANDLE.join(', ')} from candles order by dao, width, start`,
  closes: 'select dao, day, seq, at, quote_reserves, base_reserves from closes order by dao, day',
  makers: 'select dao, day, maker from makers order by dao, day, maker',
  rates: 'select dao, bps, from_slot, to_slot from fee_rates order by dao, bps',
  ranges: 'select * from sequence_ranges order by dao, first_seq',
  walked: "select value from meta where key = 'indexedRanges'",
  versions: 'select version from schema_version order by version'
}

interface Place {
  open (program: string): Promise<Store>
  run (sql: string[]): Promise<void>
  all (sql: string): Promise<unknown[]>
}

async function completes (t: Test, days: number, { open, run, all }: Place): Promise<void> {
  const ledger = makeYear(31, days, 4, ({ daos, random }) => {
    if (random.int(20) === 0) daos[0]!.collectExternalFees(random.amount(1n, 10n ** 9n), random.amount(1n, 10n ** 9n))
  })
  const first = await watch(t, ledger, { store: await open(ledger.program), folder: 'of the place' })
  await settled(first, ledger)
  await until(async () => await first.store.incompleteSlot() === null)
  await first.history.stop()
  await first.store.close()
  const tables = async () => {
    const found: Record<string, unknown[]> = {}
    for (const [name, sql] of Object.entries(TABLES)) found[name] = await all(sql)
    return found
  }
  const expected = await tables()
  const [walked] = expected.walked as [{ value: string }]
  const segments = JSON.parse(walked.value) as Array<Record<string, string | number | null>>
  await run([...BACK, ...segments.map(range => `insert into segments values (${
    Object.values(range).map(value => typeof value === 'string' ? `'${value}'` : String(value)).join(', ')})`)])

  for (let stops = 0; ; stops++) {
    const store = await open(ledger.program)
    if (stops === 0) t.ok(await store.untold(), 'what it tells of decisions has not been read')
    const again = await watch(t, ledger, { store, folder: 'of the place', reader: ledgerReader(ledger) })
    await until(() => again.history.status().headSlot !== null)
    const dao = ledger.daos[0]!.address
    if (stops === 0) {
      t.equal((await again.history.last24h()).volumes.size, ledger.daos.length, 'tickers need nothing of the chain')
      t.match(
        again.events.filter(({ code }) => code === 'rebuilt'),
        [{ message: `candles and sums of ${ledger.swaps.length} swaps made anew: input at 0.005` }]
      )
      t.ok((await again.history.read(
        reading => reading.candles(dao, '1h', { from: 0, to: ledger.time, limit: 10 })
      )).length > 0)
    }
    if (stops < 3) {
      await new Promise(resolve => setTimeout(resolve, 5 * stops))
    } else {
      await until(async () => await again.store.incompleteSlot() === null)
      t.notOk(await again.store.untold())
    }
    await again.history.stop()
    await again.store.close()
    if (stops === 3) break
  }
  const found = await tables()
  // completed events arrive anew; what version 1.0 kept of them is the same, row by row
  for (const rows of [found.all!, expected.all!]) {
    for (const row of rows as Array<Record<string, unknown>>) {
      delete row.revision
    }
  }
  for (const [name, rows] of Object.entries(expected)) t.same(found[name], rows, `${name}: ${rows.length} rows`)
}

test(
  'a store of version 1.0 is rebuilt at its first start, and completed in the background, ' +
    'to what a new one would hold, through stops on the way',
  async t => {
    const folder = t.testdir({})
    const within = <T>(work: (db: Database.Database) => T): T => {
      const db = new Database(join(folder, 'history.db'))
      try {
        return work(db)
      } finally {
        db.close()
      }
    }
    await completes(t, 40, {
      open: program => openSqliteStore({ folder, program }),
      run: async sql => { within(db => { for (const statement of sql) db.exec(statement) }) },
      all: async sql => within(db => db.prepare(sql).all() as unknown[])
    })
  }
)

test('and so is one in PostgreSQL', { skip: await withoutPostgres() }, async t => {
  const { url, schema } = newPlace(t)
  const path = `set search_path = "${schema}"`
  await completes(t, 25, {
    open: program => openPostgresStore({ url, program }),
    run: async sql => { await ask([path, ...sql].join('; ')) },
    all: async sql => await ask(sql.replace(/\bfrom (?=\w)/g, `from "${schema}".`))
  })
})
