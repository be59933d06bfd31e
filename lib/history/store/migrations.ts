import { sql, type Kysely, type RawBuilder } from 'kysely'
import { unusable } from '../../errors.js'
import type { IndexedRange } from '../rules/types.js'
import { BRINGS_FEES, INCOMPLETE, IS_PROPOSAL_EVENT, UNNAMED, UNTOLD } from './conditions.js'
import { notesOf } from './state.js'
import type { ColumnTypes, Tables } from './tables.js'
import { putMeta } from './view.js'

/** The schema of version 1.0.0. */
const FIRST = 2

/**
 * Version 2.0.0. What 1.0.0 has stored is kept, in tables that had other names, and no maker nor what follows it.
 * Candles are made at the first start (`rebuild.ts`), makers read from the chain (`complete.ts`).
 */
async function second (
  db: Kysely<Tables>, { revision, u64, sum, clustered, address }: ColumnTypes, from: number
): Promise<void> {
  const [arrival, amount, total, clause, maker] =
    [revision, u64, sum, clustered, address].map(type => sql.raw(type))
  const run = async (...statements: Array<RawBuilder<unknown>>) => {
    for (const statement of statements) await statement.execute(db)
  }
  if (from === FIRST) {
    await run(
      sql`alter table events rename to old_events`,
      sql`drop index events_at`,
      sql`drop index events_odd`,
      sql`alter table daos drop column first_swap`,
      sql`update meta set key = 'revision' where key = 'change'`,
      sql`delete from meta where key = 'valuation'`
    )
  }
  await run(
    sql`create table if not exists meta (key text primary key, value text not null)`,
    sql`create table if not exists daos (id integer primary key, address text not null unique)`,
    sql`create table if not exists proposals (proposal text primary key, dao integer not null)`,
    sql`create table if not exists missing (
      signature text primary key, slot bigint not null, at bigint, reason text not null)`,
    sql`create table events (
      revision ${arrival} primary key, dao integer not null, seq ${amount} not null, kind text not null,
      slot bigint not null, at bigint not null, signature text not null, event_index integer not null, side text,
      input ${amount}, output ${amount}, fee ${amount},
      quote_fees ${amount}, base_fees ${amount}, quote_reserves ${amount}, base_reserves ${amount}, reason text,
      raw text, maker text, block_index integer, quote_change ${amount}, base_change ${amount}, proposal text,
      market text, facts text, late text, unique (dao, seq))`,
    sql`create table unattributed (
      signature text not null, event_index integer not null, kind text not null, seq ${amount}, slot bigint not null,
      at bigint, keeps_fees integer not null, key_a text, key_b text, reason text, raw text,
      primary key (signature, event_index))`,
    sql`create table sequence_ranges (
      dao integer not null, first_seq ${amount} not null, last_seq ${amount} not null, first_slot bigint not null,
      last_slot bigint not null, first_at bigint not null, last_at bigint not null, keeps_fees integer not null,
      quote_fees_after ${amount}, base_fees_after ${amount},
      pending_seq ${amount}, pending_at bigint, pending_side text, pending_input ${amount}, pending_output ${amount},
      pending_fees_after ${amount}, primary key (dao, first_seq))`,
    sql`create table candles (
      dao integer not null, width integer not null, start bigint not null, base ${total} not null,
      quote ${total} not null, trades bigint not null, fees ${total} not null, unknown_fees bigint not null,
      open_seq ${amount}, open_quote ${amount}, open_base ${amount},
      close_seq ${amount}, close_quote ${amount}, close_base ${amount}, high_quote ${amount}, high_base ${amount},
      low_quote ${amount}, low_base ${amount}, average_quote ${total}, average_base ${total},
      revision bigint, primary key (dao, width, start)) ${clause}`,
    sql`create table closes (
      dao integer not null, day integer not null, seq ${amount} not null, at bigint not null,
      quote_reserves ${amount} not null, base_reserves ${amount} not null, revision bigint not null,
      primary key (dao, day))`,
    sql`create table makers (
      day integer not null, dao integer not null, maker ${maker} not null, primary key (day, dao, maker)) ${clause}`,
    sql`create table fee_rates (
      dao integer not null, bps text not null, from_slot bigint not null, to_slot bigint not null,
      primary key (dao, bps))`
  )
  if (from === FIRST) {
    const { rows: indexedRanges } = await sql<IndexedRange>`
      select newest, newest_slot as "newestSlot", oldest, oldest_slot as "oldestSlot", oldest_time as "oldestTime",
        anchor from segments order by newest_slot desc`.execute(db)
    if (indexedRanges.length > 0) await putMeta(db, notesOf({ indexedRanges }))
    await run(
      sql`insert into events select old_events.*, null, null, null, null, null, null, null, null from old_events`,
      sql`insert into unattributed select * from unplaced`,
      sql`insert into sequence_ranges select * from intervals`,
      sql`insert into closes
        select last.dao, last.day, last.seq, e.at, e.quote_reserves, e.base_reserves, e.revision from (
          select dao, at / 86400 as day, max(seq) as seq from events where quote_reserves is not null
          group by dao, at / 86400) last
        join events e on e.dao = last.dao and e.seq = last.seq`,
      ...['old_events', 'unplaced', 'intervals', 'segments', 'rates', 'days', 'accounts'].map(table =>
        sql`drop table if exists ${sql.table(table)}`)
    )
  }
  await run(
    sql`create index events_at on events (at)`,
    sql`create index events_odd on events (dao) where reason is not null`,
    sql`create index events_trades on events (dao, at, seq) where side is not null`,
    sql`create index events_slot on events (slot, block_index, event_index)`,
    sql`create index events_incomplete on events (slot) where ${INCOMPLETE}`,
    sql`create index events_unnamed on events (dao, at) where ${UNNAMED}`,
    sql`create index events_untold on events (dao) where ${UNTOLD}`,
    sql`create index events_proposals on events (proposal) where ${IS_PROPOSAL_EVENT}`,
    sql`create index events_markets on events (proposal, market, at, seq) where market is not null`,
    sql`create index events_other_fees on events (dao, seq) where ${BRINGS_FEES}`,
    sql`create index unplaced_a on unattributed (key_a)`,
    sql`create index unplaced_b on unattributed (key_b)`,
    sql`create index candles_revision on candles (revision) where revision is not null`,
    sql`create index closes_revision on closes (revision)`
  )
}

/** A released one is never changed, a new one is added at the end. */
const MIGRATIONS = [{ to: 14, run: second }]

export const SCHEMA_VERSION = MIGRATIONS.at(-1)!.to

/** Throws HISTORY_UNAVAILABLE for a newer version, or one that no release had. */
export async function migrate (db: Kysely<Tables>, types: ColumnTypes): Promise<void> {
  await sql`create table if not exists schema_version (version integer not null)`.execute(db)
  const {
    rows: [found]
  } = await sql<{ version: number | null }>`select max(version) as version from schema_version`.execute(db)
  const version = Number(found?.version ?? 0)
  if (version > SCHEMA_VERSION) {
    const known = `schema ${version}, this one knows ${SCHEMA_VERSION}`
    throw unusable(`the history was written by a newer version of this service (${known}): update the service`)
  }
  if (![0, FIRST, ...MIGRATIONS.map(({ to }) => to)].includes(version)) {
    const message = `the history was written by a version of this service that was never released (schema ${version})`
    throw unusable(`${message}: delete it, it is read from the chain again`)
  }
  for (const { to, run } of MIGRATIONS) {
    if (to <= version) continue
    await db.transaction().execute(async trx => {
      await run(trx, types, version)
      await sql`insert into schema_version (version) values (${to})`.execute(trx)
    })
  }
}
