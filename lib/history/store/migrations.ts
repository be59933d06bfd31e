import { sql } from 'kysely'
import { unusable } from '../../errors.js'
import type { IndexedRange } from '../rules/rows.js'
import { BRINGS_FEES, INCOMPLETE, IS_PROPOSAL_EVENT, UNNAMED, UNTOLD } from './conditions.js'
import { notesOf } from './state.js'
import type { ColumnTypes, Db } from './tables.js'
import { putMeta } from './view.js'

/** Version 1.0.0. */
async function first (db: Db, { revision, u64 }: ColumnTypes): Promise<void> {
  const [arrival, amount] = [revision, u64].map(type => sql.raw(type))
  const tables = [
    sql`create table meta (key text primary key, value text not null)`,
    sql`create table daos (id integer primary key, address text not null unique, first_swap bigint)`,
    sql`create table events (
      change ${arrival} primary key, dao integer not null, seq ${amount} not null, kind text not null,
      slot bigint not null, at bigint not null, signature text not null, place integer not null, side text,
      input ${amount}, output ${amount}, fee ${amount},
      quote_fees ${amount}, base_fees ${amount}, quote_reserves ${amount}, base_reserves ${amount}, reason text,
      raw text, unique (dao, seq))`,
    sql`create index events_at on events (at)`,
    sql`create index events_odd on events (dao) where reason is not null`,
    sql`create table unplaced (
      signature text not null, place integer not null, kind text not null, seq ${amount}, slot bigint not null,
      at bigint, keeps_fees integer not null, key_a text, key_b text, reason text, raw text,
      primary key (signature, place))`,
    sql`create index unplaced_a on unplaced (key_a)`,
    sql`create index unplaced_b on unplaced (key_b)`,
    sql`create table intervals (
      dao integer not null, low ${amount} not null, high ${amount} not null, low_slot bigint not null,
      high_slot bigint not null, low_at bigint not null, high_at bigint not null, through integer not null,
      top_quote ${amount}, top_base ${amount},
      open_seq ${amount}, open_at bigint, open_side text, open_input ${amount}, open_output ${amount},
      open_post ${amount}, primary key (dao, low))`,
    sql`create table proposals (proposal text primary key, dao integer not null)`,
    sql`create table segments (
      newest text primary key, newest_slot bigint not null, oldest text not null, oldest_slot bigint not null,
      oldest_time bigint, anchor text)`,
    sql`create table missing (signature text primary key, slot bigint not null, at bigint, reason text not null)`
  ]
  for (const table of tables) await table.execute(db)
}

const RENAMED: Record<string, { from: string, columns?: Record<string, string> }> = {
  events: { from: 'events', columns: { change: 'revision', place: 'event_index' } },
  sequence_ranges: {
    from: 'intervals',
    columns: {
      low: 'first_seq',
      high: 'last_seq',
      low_slot: 'first_slot',
      high_slot: 'last_slot',
      low_at: 'first_at',
      high_at: 'last_at',
      through: 'keeps_fees',
      top_quote: 'quote_fees_after',
      top_base: 'base_fees_after',
      open_seq: 'pending_seq',
      open_at: 'pending_at',
      open_side: 'pending_side',
      open_input: 'pending_input',
      open_output: 'pending_output',
      open_post: 'pending_fees_after'
    }
  }
}

/** Version 2.0.0. Candles are made at the first start (`rebuild.ts`), makers read from the chain (`complete.ts`). */
async function second (db: Db, { u64, sum, clustered, address }: ColumnTypes): Promise<void> {
  const [amount, total, clause, maker] = [u64, sum, clustered, address].map(type => sql.raw(type))
  for (const [table, { from, columns = {} }] of Object.entries(RENAMED)) {
    if (from !== table) await sql`alter table ${sql.table(from)} rename to ${sql.table(table)}`.execute(db)
    for (const [old, name] of Object.entries(columns)) {
      await sql`alter table ${sql.table(table)} rename column ${sql.ref(old)} to ${sql.ref(name)}`.execute(db)
    }
  }
  const { rows: indexedRanges } = await sql<IndexedRange>`
    select newest, newest_slot as "newestSlot", oldest, oldest_slot as "oldestSlot", oldest_time as "oldestTime", anchor
    from segments order by newest_slot desc`.execute(db)
  if (indexedRanges.length > 0) await putMeta(db, notesOf({ indexedRanges }))
  const statements = [
    // events that waited for their DAO show as sequence gaps, and are read again
    ...['segments', 'unplaced', 'proposals'].map(table => sql`drop table ${sql.table(table)}`),
    sql`drop table if exists rates`,
    ...[
      sql`maker text`, sql`block_index integer`, sql`quote_change ${amount}`, sql`base_change ${amount}`,
      sql`proposal text`, sql`market text`, sql`facts text`, sql`late text`
    ].map(column => sql`alter table events add column ${column}`),
    sql`create index events_trades on events (dao, at, seq) where side is not null`,
    sql`create index events_slot on events (slot, block_index, event_index)`,
    sql`create index events_incomplete on events (slot) where ${INCOMPLETE}`,
    sql`create index events_unnamed on events (dao, at) where ${UNNAMED}`,
    sql`create index events_untold on events (dao) where ${UNTOLD}`,
    sql`create index events_proposals on events (proposal) where ${IS_PROPOSAL_EVENT}`,
    sql`create index events_markets on events (proposal, market, at, seq) where market is not null`,
    sql`create index events_other_fees on events (dao, seq) where ${BRINGS_FEES}`,
    sql`drop table if exists days`,
    sql`create table candles (
      dao integer not null, width integer not null, start bigint not null, base ${total} not null,
      quote ${total} not null, trades bigint not null, fees ${total} not null, unknown_fees bigint not null,
      open_seq ${amount}, open_quote ${amount}, open_base ${amount},
      close_seq ${amount}, close_quote ${amount}, close_base ${amount}, high_quote ${amount}, high_base ${amount},
      low_quote ${amount}, low_base ${amount}, average_quote ${total}, average_base ${total},
      revision bigint, primary key (dao, width, start)) ${clause}`,
    sql`create index candles_revision on candles (revision) where revision is not null`,
    sql`create table closes (
      dao integer not null, day integer not null, seq ${amount} not null, at bigint not null,
      quote_reserves ${amount} not null, base_reserves ${amount} not null, revision bigint not null,
      primary key (dao, day))`,
    sql`create index closes_revision on closes (revision)`,
    sql`insert into closes
      select last.dao, last.day, last.seq, e.at, e.quote_reserves, e.base_reserves, e.revision from (
        select dao, at / 86400 as day, max(seq) as seq from events where quote_reserves is not null
        group by dao, at / 86400) last
      join events e on e.dao = last.dao and e.seq = last.seq`,
    sql`create table makers (
      day integer not null, dao integer not null, maker ${maker} not null, primary key (day, dao, maker)) ${clause}`,
    sql`create table fee_rates (
      dao integer not null, bps text not null, from_slot bigint not null, to_slot bigint not null,
      primary key (dao, bps))`,
    sql`drop table if exists accounts`,
    sql`alter table daos drop column first_swap`,
    sql`update meta set key = 'revision' where key = 'change'`,
    sql`delete from meta where key = 'valuation'`
  ]
  for (const statement of statements) await statement.execute(db)
}

/** A released one is never changed, a new one is added at the end. */
const MIGRATIONS = [{ to: 2, run: first }, { to: 14, run: second }]

export const SCHEMA_VERSION = MIGRATIONS.at(-1)!.to

/** Throws HISTORY_UNAVAILABLE for a newer version, or one that no release had. */
export async function migrate (db: Db, types: ColumnTypes): Promise<void> {
  await sql`create table if not exists schema_version (version integer not null)`.execute(db)
  const {
    rows: [found]
  } = await sql<{ version: number | null }>`select max(version) as version from schema_version`.execute(db)
  const version = Number(found?.version ?? 0)
  if (version > SCHEMA_VERSION) {
    const known = `schema ${version}, this one knows ${SCHEMA_VERSION}`
    throw unusable(`the history was written by a newer version of this service (${known}): update the service`)
  }
  if (version > 0 && !MIGRATIONS.some(({ to }) => to === version)) {
    const message = `the history was written by a version of this service that was never released (schema ${version})`
    throw unusable(`${message}: delete it, it is read from the chain again`)
  }
  for (const { to, run } of MIGRATIONS) {
    if (to <= version) continue
    await db.transaction().execute(async trx => {
      await run(trx, types)
      await sql`insert into schema_version (version) values (${to})`.execute(trx)
    })
  }
}
