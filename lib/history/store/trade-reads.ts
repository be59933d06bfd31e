/** Reads of single events, each by an index: none looks at more rows than it gives. */
import { sql, type Kysely, type RawBuilder, type Selectable, type SqlBool } from 'kysely'
import { createPauses } from '../../async.js'
import { chunks } from '../../chunks.js'
import type { FeeRate, PoolEvent, Trade } from '../rules/types.js'
import { INCOMPLETE, IS_POOL_EVENT, UNNAMED } from './conditions.js'
import type { Names } from './keys.js'
import { readRevision } from './meta.js'
import { EVENT_IS_LATE, FEE_IS_LATE, IS_ON_TIME } from './published.js'
import { mapRows } from './reads.js'
import { POOL_EVENT_COLUMNS, poolEventOf, seqText, TRADE_COLUMNS, tradeOf } from './row-mapping.js'
import type { FirstEvent, IncompleteEvent, PoolEventsQuery, Since, TradesQuery } from './store.js'
import type { ColumnTypes, Tables } from './table-types.js'

type Db = Kysely<Tables>
type EventRow = Pick<Selectable<Tables['events']>, typeof POOL_EVENT_COLUMNS[number]>

/** Keys asked for in one statement. */
const KEYS = 200

const named = (row: EventRow, names: Names): PoolEvent => poolEventOf(row, names.address(Number(row.dao)))

export async function readTrades (
  db: Db, names: Names, types: ColumnTypes, { dao, before, since, until, side, limit }: TradesQuery
): Promise<Trade[]> {
  const id = names.id(dao)
  if (id === undefined) return []
  let query = db.selectFrom('events').where('dao', '=', id).where('side', 'is not', null)
  if (side !== undefined) query = query.where('side', '=', side).where('input', '<>', '0').where('output', '<>', '0')
  if (since !== undefined) query = query.where('at', '>=', since)
  if (until !== undefined) query = query.where('at', '<=', until)
  if (before !== undefined) {
    // Where in time the number is: at the event that has it, or else the last one below
    const anchor = await db.selectFrom('events').select('at')
      .where('dao', '=', id).where('seq', '<=', seqText(before)).orderBy('seq', 'desc').limit(1).executeTakeFirst()
    if (anchor === undefined) return []
    const at = Number(anchor.at)
    query = query.where('at', '<=', at).where(eb => eb.or([eb('at', '<', at), eb('seq', '<', seqText(before))]))
  }
  return await mapRows(types, query.orderBy('at', 'desc').orderBy('seq', 'desc').limit(
    limit
  ), TRADE_COLUMNS, row => tradeOf(row, dao))
}

/**
 * What an event brought back into the pool: the difference of the reserves, where all between is known and none of it
 * is a riddle.
 */
async function broughtBack (db: Db, names: Names, { dao, seq, reserves }: PoolEvent): Promise<PoolEvent['liquidity']> {
  const id = names.id(dao)
  if (id === undefined || reserves === null) return null
  const before = await db.selectFrom('events').select(['seq', 'quote_reserves', 'base_reserves'])
    .where('dao', '=', id).where('seq', '<', seqText(seq)).where('quote_reserves', 'is not', null).where(IS_ON_TIME)
    .orderBy('seq', 'desc').limit(1).executeTakeFirst()
  if (before === undefined) return null
  const between = await db.selectFrom('events').select(['kind', 'seq'])
    .where('dao', '=', id).where('seq', '>', before.seq).where('seq', '<', seqText(seq)).where(IS_ON_TIME).execute()
  const isWhole = BigInt(between.length) === seq - BigInt(before.seq) - 1n &&
    between.every(({ kind }) => kind !== 'Unknown' && kind !== 'Unreadable')
  if (!isWhole) return null
  return { quote: reserves.quote - BigInt(before.quote_reserves!), base: reserves.base - BigInt(before.base_reserves!) }
}

export async function readPoolEvents (
  db: Db, names: Names, types: ColumnTypes, { from, to, after, limit }: PoolEventsQuery
): Promise<PoolEvent[]> {
  let query = db.selectFrom('events').select(FEE_IS_LATE.as('fee_is_late'))
    .where('slot', '>=', after?.slot ?? from).where('slot', '<=', to).where(IS_POOL_EVENT).where(IS_ON_TIME)
  if (after !== undefined) {
    const { slot, blockIndex, eventIndex } = after
    query = query.where(eb => eb.or([
      eb('slot', '>', slot),
      eb.and([eb('slot', '=', slot), eb('block_index', '>', blockIndex)]),
      eb.and([eb('slot', '=', slot), eb('block_index', '=', blockIndex), eb('event_index', '>', eventIndex)])
    ]))
  }
  const inOrder = query.orderBy('slot').orderBy('block_index', order => order.asc().nullsFirst()).orderBy(
    'event_index'
  ).limit(limit)
  const events = await mapRows(types, inOrder, POOL_EVENT_COLUMNS, (row, late) =>
    named(late.fee_is_late ? { ...row, fee: null } : row, names))
  for (const event of events) {
    if (event.swap === null && event.liquidity === null) {
      event.liquidity = await broughtBack(db, names, event)
    }
  }
  return events
}

export async function readFirstEvent (db: Db, names: Names, dao: string): Promise<FirstEvent | null> {
  const id = names.id(dao)
  if (id === undefined) return null
  const row = await db.selectFrom('events')
    .select(['kind', 'slot', 'at', 'signature', 'maker', EVENT_IS_LATE.as('late')])

    .where('dao', '=', id).where('seq', '=', seqText(1n)).executeTakeFirst()
  if (row === undefined) return null
  const { kind, slot, at, signature, maker, late } = row
  return { kind, slot: Number(slot), at: Number(at), signature, maker, isLate: Boolean(late) }
}

export async function readFeeRates (db: Db, names: Names, dao: string): Promise<FeeRate[]> {
  const id = names.id(dao)
  if (id === undefined) return []
  const rows = await db.selectFrom('fee_rates').selectAll().where('dao', '=', id).orderBy('from_slot').execute()
  return rows.map(({ bps, from_slot: from, to_slot: to }) => ({ dao, bps, fromSlot: Number(from), toSlot: Number(to) }))
}

export async function readLastTrades (db: Db, names: Names, at: number, daos?: readonly string[]): Promise<Trade[]> {
  const ids = daos?.map(names.id).filter(id => id !== undefined)
  // First where they are, then what they are: joined in one statement, PostgreSQL may look through all events for them
  const newest = sql<number | null>`(
    select x.revision from events x where x.dao = daos.id and x.side is not null and x.at <= ${at} and x.input <> '0' and x.output <> '0'
    order by x.at desc, x.seq desc limit 1)`
  const trades: Trade[] = []
  const learn = async (part: RawBuilder<SqlBool>): Promise<void> => {
    const found = await db.selectFrom('daos').select(newest.as('revision')).where(part).execute()
    const revisions = found.flatMap(({ revision }) => revision === null ? [] : [Number(revision)])
    await pause()
    if (revisions.length === 0) return
    const rows = await db.selectFrom('events').select(POOL_EVENT_COLUMNS).where('revision', 'in', revisions).execute()
    for (const row of rows) trades.push(named(row, names) as Trade)
    await pause()
  }
  // part by part: the embedded store answers at once, and others have their turn in between
  const pause = createPauses()
  if (ids !== undefined) {
    for (const some of chunks(ids, KEYS)) await learn(sql`id in (${sql.join(some)})`)
    return trades
  }
  const { last } = await db.selectFrom('daos').select(sql<number | string | null>`max(id)`.as(
    'last'
  )).executeTakeFirstOrThrow()
  for (let at = 0; at < Number(last); at += KEYS) await learn(sql`id > ${at} and id <= ${at + KEYS}`)
  return trades
}

export async function readDaosTraded (db: Db, names: Names, from: number, to: number): Promise<string[]> {
  const rows = await db.selectFrom('events').select('dao').distinct()
    .where('side', 'is not', null).where('at', '>=', from).where('at', '<', to).execute()
  return rows.map(({ dao }) => names.address(Number(dao)))
}

export async function readDaosChanged (
  db: Db, names: Names, after: number, from: number, to: number
): Promise<Since<string>> {
  const revision = await readRevision(db)
  if (revision === after) return { revision, rows: [] }
  const rows = await db.selectFrom('events').select('dao').distinct()
    .where('revision', '>', after).where('revision', '<=', revision).where('side', 'is not', null)
    // By the revisions: the index on the times would be that of all there is
    .where(sql<boolean>`+at >= ${from} and +at < ${to}`).execute()
  return { revision, rows: rows.map(({ dao }) => names.address(Number(dao))) }
}

async function bounds (
  db: Db, select: ReturnType<typeof sql<{ value: number | string | null }>>[]
): Promise<{ oldest: number, newest: number } | null> {
  const [oldest, newest] = [(await select[0]!.execute(db)).rows[0], (await select[1]!.execute(db)).rows[0]]
  return oldest === undefined || newest === undefined
    ? null
    : { oldest: Number(oldest.value), newest: Number(newest.value) }
}

export async function readIncomplete (
  db: Db, names: Names, { above, below, limit }: { above: number, below: number, limit: number }
): Promise<IncompleteEvent[]> {
  const rows = await db.selectFrom('events')
    .select(['dao', 'seq', 'slot', 'at', 'signature', 'event_index', 'maker', 'side'])

    .where(INCOMPLETE).where('slot', '>', above).where('slot', '<', below).orderBy('slot', 'desc').limit(
      limit
    ).execute()
  return rows.map(({ dao, seq, slot, at, signature, event_index: eventIndex, maker, side }) => ({
    dao: names.address(Number(dao)),
    seq: BigInt(seq),
    slot: Number(slot),
    at: Number(at),
    signature,
    eventIndex: Number(eventIndex),
    maker,
    isTrade: side !== null
  }))
}

export const readIncompleteSlots = (db: Db) => bounds(db, [
  sql`select slot as value from events where ${INCOMPLETE} order by slot limit 1`,
  sql`select slot as value from events where ${INCOMPLETE} order by slot desc limit 1`
])

export async function readUnnamedTrades (db: Db, names: Names, dao: string) {
  const id = names.id(dao)
  return id === undefined
    ? null
    : await bounds(db, [
      sql`select at as value from events where dao = ${id} and ${UNNAMED} order by at limit 1`,
      sql`select at as value from events where dao = ${id} and ${UNNAMED} order by at desc limit 1`
    ])
}
