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
async function second (db: Kysely<Tables>, types: ColumnTypes, from: number): Promise<void> {
  // words in capitals: as the engine has them
  const worded = (text: string) =>
    text.replace(/[A-Z][A-Z0-9]+/g, word => types[word.toLowerCase() as keyof ColumnTypes])
  const run = async (...statements: Array<string | RawBuilder<unknown>>) => {
    for (const one of statements) await (typeof one === 'string' ? sql.raw(worded(one)) : one).execute(db)
  }
  if (from === FIRST) {
    await run(
      'alter table events rename to old_events',
      'drop index events_at',
      'drop index events_odd',
      'alter table daos drop column first_swap',
      'update meta set key = \'revision\' where key = \'change\'',
      'delete from meta where key = \'valuation\''
    )
  }
  await run(
    'create table if not exists meta (key text primary key, value text not null)',
    'create table if not exists daos (id integer primary key, address text not null unique)',
    'create table if not exists proposals (proposal text primary key, dao integer not null)',
    `create table if not exists missing (
      signature text primary key, slot bigint not null, at bigint, reason text not null)`,
    `create table events (
      revision REVISION primary key, dao integer not null, seq U64 not null, kind text not null,
      slot bigint not null, at bigint not null, signature text not null, event_index integer not null, side text,
      input U64, output U64, fee U64, quote_fees U64, base_fees U64, quote_reserves U64, base_reserves U64,
      reason text, raw text, maker text, block_index integer, quote_change U64, base_change U64, proposal text,
      market text, facts text, late text, unique (dao, seq))`,
    `create table unattributed (
      signature text not null, event_index integer not null, kind text not null, seq U64, slot bigint not null,
      at bigint, keeps_fees integer not null, key_a text, key_b text, reason text, raw text,
      primary key (signature, event_index))`,
    `create table sequence_ranges (
      dao integer not null, first_seq U64 not null, last_seq U64 not null, first_slot bigint not null,
      last_slot bigint not null, first_at bigint not null, last_at bigint not null, keeps_fees integer not null,
      quote_fees_after U64, base_fees_after U64, pending_seq U64, pending_at bigint, pending_side text,
      pending_input U64, pending_output U64, pending_fees_after U64, primary key (dao, first_seq))`,
    `create table candles (
      dao integer not null, width integer not null, start bigint not null, base SUM not null,
      quote SUM not null, trades bigint not null, fees SUM not null, unknown_fees bigint not null,
      open_seq U64, open_quote U64, open_base U64, close_seq U64, close_quote U64, close_base U64,
      high_quote U64, high_base U64, low_quote U64, low_base U64, average_quote SUM, average_base SUM,
      revision bigint, primary key (dao, width, start)) CLUSTERED`,
    `create table closes (
      dao integer not null, day integer not null, seq U64 not null, at bigint not null,
      quote_reserves U64 not null, base_reserves U64 not null, revision bigint not null,
      primary key (dao, day))`,
    `create table makers (
      day integer not null, dao integer not null, maker ADDRESS not null, primary key (day, dao, maker)) CLUSTERED`,
    `create table fee_rates (
      dao integer not null, bps text not null, from_slot bigint not null, to_slot bigint not null,
      primary key (dao, bps))`
  )
  if (from === FIRST) {
    const { rows: indexedRanges } = await sql<IndexedRange>`
      select newest, newest_slot as "newestSlot", oldest, oldest_slot as "oldestSlot", oldest_time as "oldestTime",
        anchor from segments order by newest_slot desc`.execute(db)
    if (indexedRanges.length > 0) await putMeta(db, notesOf({ indexedRanges }))
    await run(
      'insert into events select old_events.*, null, null, null, null, null, null, null, null from old_events',
      'insert into unattributed select * from unplaced',
      'insert into sequence_ranges select * from intervals',
      `insert into closes
        select last.dao, last.day, last.seq, e.at, e.quote_reserves, e.base_reserves, e.revision from (
          select dao, at / 86400 as day, max(seq) as seq from events where quote_reserves is not null
          group by dao, at / 86400) last
        join events e on e.dao = last.dao and e.seq = last.seq`,
      ...['old_events', 'unplaced', 'intervals', 'segments', 'rates', 'days', 'accounts'].map(table =>
        sql`drop table if exists ${sql.table(table)}`)
    )
  }
  await run(
    'create index events_at on events (at)',
    'create index events_odd on events (dao) where reason is not null',
    'create index events_trades on events (dao, at, seq) where side is not null',
    'create index events_slot on events (slot, block_index, event_index)',
    sql`create index events_incomplete on events (slot) where ${INCOMPLETE}`,
    sql`create index events_unnamed on events (dao, at) where ${UNNAMED}`,
    sql`create index events_untold on events (dao) where ${UNTOLD}`,
    sql`create index events_proposals on events (proposal) where ${IS_PROPOSAL_EVENT}`,
    'create index events_markets on events (proposal, market, at, seq) where market is not null',
    sql`create index events_other_fees on events (dao, seq) where ${BRINGS_FEES}`,
    'create index unplaced_a on unattributed (key_a)',
    'create index unplaced_b on unattributed (key_b)',
    'create index candles_revision on candles (revision) where revision is not null',
    'create index closes_revision on closes (revision)'
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
