import { sql, type Kysely } from 'kysely'
import { ServiceError } from '../../errors.js'
import { INCOMPLETE, NEVER_ROLLED, UNNAMED } from './conditions.js'
import type { ColumnTypes, Tables } from './table-types.js'

type Migration = (db: Kysely<Tables>, types: ColumnTypes) => Promise<void>

async function first (db: Kysely<Tables>, { change, u64Key, u64, sum }: ColumnTypes): Promise<void> {
  const [arrival, key, amount, total] = [change, u64Key, u64, sum].map(type => sql.raw(type))
  const tables = [
    sql`create table meta (key text primary key, value text not null)`,
    sql`create table daos (id integer primary key, address text not null unique, first_swap bigint)`,
    sql`create table events (
      change ${arrival} primary key, dao integer not null, seq ${key} not null, kind text not null, slot bigint not null, at bigint not null,
      signature text not null, place integer not null, side text, input ${amount}, output ${amount}, fee ${amount},
      quote_fees ${amount}, base_fees ${amount}, quote_reserves ${amount}, base_reserves ${amount}, reason text, raw text,
      unique (dao, seq))`,
    sql`create index events_at on events (at)`,
    sql`create index events_odd on events (dao) where reason is not null`,
    sql`create table unplaced (
      signature text not null, place integer not null, kind text not null, seq ${key}, slot bigint not null, at bigint,
      keeps_fees integer not null, key_a text, key_b text, reason text, raw text, primary key (signature, place))`,
    sql`create index unplaced_a on unplaced (key_a)`,
    sql`create index unplaced_b on unplaced (key_b)`,
    sql`create table intervals (
      dao integer not null, low ${key} not null, high ${key} not null, low_slot bigint not null, high_slot bigint not null,
      low_at bigint not null, high_at bigint not null, through integer not null, top_quote ${amount}, top_base ${amount},
      open_seq ${key}, open_at bigint, open_side text, open_input ${amount}, open_output ${amount}, open_post ${amount},
      primary key (dao, low))`,
    sql`create table days (
      dao integer not null, day integer not null, base ${total} not null, quote ${total} not null, trades bigint not null,
      change bigint not null, primary key (dao, day))`,
    sql`create index days_change on days (change)`,
    sql`create table rates (bps text primary key, swaps bigint not null)`,
    sql`create table proposals (proposal text primary key, dao integer not null)`,
    sql`create table segments (
      newest text primary key, newest_slot bigint not null, oldest text not null, oldest_slot bigint not null, oldest_time bigint, anchor text)`,
    sql`create table missing (signature text primary key, slot bigint not null, at bigint, reason text not null)`
  ]
  for (const table of tables) await table.execute(db)
}

/** The sequence numbers that the accounts showed to the process that writes, for those that only read. An embedded store has no such. */
async function second (db: Kysely<Tables>, { u64 }: ColumnTypes): Promise<void> {
  await sql`create table accounts (address text primary key, seq ${sql.raw(u64)} not null)`.execute(db)
}

/**
 * Who traded and where in the block, what went in and out of the pools, and candles kept beside the trades. Of rows written by version 1.0 the
 * first are read again from the chain, the last made from the trades: nothing that was stored is touched.
 */
async function third (db: Kysely<Tables>, { u64Key, u64, sum, clustered, address }: ColumnTypes): Promise<void> {
  const [key, amount, total, clause, maker] = [u64Key, u64, sum, clustered, address].map(type => sql.raw(type))
  const candle = [
    sql`fees ${total} not null default '0'`, sql`unknown_fees bigint not null default 0`,
    sql`open_seq ${key}`, sql`open_quote ${amount}`, sql`open_base ${amount}`, sql`close_seq ${key}`, sql`close_quote ${amount}`, sql`close_base ${amount}`,
    sql`high_quote ${amount}`, sql`high_base ${amount}`, sql`low_quote ${amount}`, sql`low_base ${amount}`
  ]
  const statements = [
    ...[sql`maker text`, sql`block_index integer`, sql`quote_change ${amount}`, sql`base_change ${amount}`].map(column => sql`alter table events add column ${column}`),
    ...[...candle, sql`makers bigint not null default 0`].map(column => sql`alter table days add column ${column}`),
    sql`alter table daos add column rolled_from bigint not null default ${sql.raw(String(NEVER_ROLLED))}`,
    sql`create table rollups (
      dao integer not null, size integer not null, start bigint not null, base ${total} not null, quote ${total} not null, trades bigint not null,
      ${sql.join(candle)}, primary key (dao, size, start)) ${clause}`,
    sql`create table makers (dao integer not null, day integer not null, maker ${maker} not null, primary key (dao, day, maker)) ${clause}`,
    sql`create table fee_rates (dao integer not null, bps text not null, from_slot bigint not null, to_slot bigint not null, primary key (dao, bps))`,
    sql`create index events_trades on events (dao, at, seq) where side is not null`,
    sql`create index events_slot on events (slot, block_index, place)`,
    sql`create index events_incomplete on events (slot) where ${INCOMPLETE}`,
    sql`create index events_unnamed on events (dao, at) where ${UNNAMED}`
  ]
  for (const statement of statements) await statement.execute(db)
}

/** What came after its slot had been published, which must not change what was. */
async function fourth (db: Kysely<Tables>, { u64Key, clustered }: ColumnTypes): Promise<void> {
  const [key, clause] = [u64Key, clustered].map(type => sql.raw(type))
  await sql`create table late (dao integer not null, seq ${key} not null, what text not null, primary key (dao, seq, what)) ${clause}`.execute(db)
}

/**
 * Candles of hours stand in the row of their day, those of minutes together by the hour, and makers in the order of the days: kept singly and by DAO they
 * cost the indexer half of its rate. Candles that there are are made anew from the trades.
 */
async function fifth (db: Kysely<Tables>, { clustered, address }: ColumnTypes): Promise<void> {
  const [clause, maker] = [clustered, address].map(type => sql.raw(type))
  const statements = [
    sql`drop table rollups`,
    sql`alter table days add column hours text`,
    sql`create table minutes (start bigint not null, dao integer not null, candles text not null, primary key (start, dao)) ${clause}`,
    sql`update daos set rolled_from = ${sql.raw(String(NEVER_ROLLED))}`,
    sql`alter table makers rename to makers_by_dao`,
    sql`create table makers (day integer not null, dao integer not null, maker ${maker} not null, primary key (day, dao, maker)) ${clause}`,
    sql`insert into makers (day, dao, maker) select day, dao, maker from makers_by_dao`,
    sql`drop table makers_by_dao`
  ]
  for (const statement of statements) await statement.execute(db)
}

/** Events that were stored as not understood, which a later version may understand. */
async function sixth (db: Kysely<Tables>): Promise<void> {
  await sql`create index events_raw on events (dao, seq) where raw is not null`.execute(db)
}

/** The newest state of all DAOs that the process that writes has read. An embedded store keeps it empty. */
async function seventh (db: Kysely<Tables>, { passing, bytes }: ColumnTypes): Promise<void> {
  const [kind, type] = [passing, bytes].map(text => sql.raw(text))
  await sql`create ${kind} table shared_state (id integer primary key, slot bigint not null, seen_at double precision not null, bytes ${type} not null)`.execute(db)
}

/** Candles as shorter texts: those that are there are made anew from the trades. */
async function eighth (db: Kysely<Tables>): Promise<void> {
  await sql`update days set hours = null where hours is not null`.execute(db)
  await sql`delete from minutes`.execute(db)
  await sql`update daos set rolled_from = ${sql.raw(String(NEVER_ROLLED))}`.execute(db)
}

/** In order; a released one is never changed, a new one is added at the end. */
const MIGRATIONS: readonly Migration[] = [first, second, third, fourth, fifth, sixth, seventh, eighth]

export const SCHEMA_VERSION = MIGRATIONS.length

/**
 * Brings the tables up to this version, each migration in its own transaction with the note that it ran.
 * Throws HISTORY_UNAVAILABLE when a newer version of the service has written here.
 */
export async function migrate (db: Kysely<Tables>, types: ColumnTypes): Promise<void> {
  await sql`create table if not exists schema_version (version integer not null)`.execute(db)
  const { rows: [found] } = await sql<{ version: number | null }>`select max(version) as version from schema_version`.execute(db)
  const version = Number(found?.version ?? 0)
  if (version > SCHEMA_VERSION) {
    throw new ServiceError('HISTORY_UNAVAILABLE',
      `the history was written by a newer version of this service (schema ${version}, this one knows ${SCHEMA_VERSION}): update the service`)
  }
  for (const [index, migration] of MIGRATIONS.entries()) {
    if (index < version) continue
    await db.transaction().execute(async trx => {
      await migration(trx, types)
      await sql`insert into schema_version (version) values (${index + 1})`.execute(trx)
    })
  }
}
