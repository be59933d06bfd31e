/** Reads of single events, each by an index. */
import { sql, type Kysely, type RawBuilder, type Selectable, type SqlBool } from 'kysely'
import { createPauses } from '../../async.js'
import { chunks } from '../../chunks.js'
import type { PoolEvent, Trade } from '../rules/types.js'
import { INCOMPLETE, IS_POOL_EVENT, UNNAMED } from './conditions.js'
import { readRevision, daoTable, keyTable, mapRows, type Read, type View } from './view.js'
import { EVENT_IS_LATE, FEE_IS_LATE, IS_ON_TIME } from './published.js'
import {
  type EventColumns, type MarketEventRow, marketTradeOf, POOL_EVENT_COLUMNS, poolEventOf, type PoolEventRow, seqText,
  SWAP_COLUMNS, type SwapEventRow, swapOf, TRADE_COLUMNS, tradeOf
} from './row-mapping.js'
import type { Traders } from './store.js'
import type { Tables } from './table-types.js'

const KEYS = 200

const eventOf = (row: PoolEventRow, { names }: View): PoolEvent => poolEventOf(row, names.address(row.dao))

export const readTrades: Read<'trades'> = async (view, { dao, market, before, since, until, side, limit }) => {
  const { db, names } = view
  const id = names.id(dao)
  if (id === undefined) return []
  const events = db.selectFrom('events')
  let query = market === undefined
    ? events.where('dao', '=', id).where('side', 'is not', null)
    : events.where('proposal', '=', market.proposal).where('market', '=', market.market)
  if (side !== undefined) query = query.where('side', '=', side).where('input', '<>', '0').where('output', '<>', '0')
  if (since !== undefined) query = query.where('at', '>=', since)
  if (until !== undefined) query = query.where('at', '<=', until)
  if (before !== undefined) {
    // where in time the number is: at the event that has it, or else the last one below
    const anchor = await db.selectFrom('events').select('at')
      .where('dao', '=', id).where('seq', '<=', seqText(before)).orderBy('seq', 'desc').limit(1).executeTakeFirst()
    if (anchor === undefined) return []
    const at = Number(anchor.at)
    query = query.where('at', '<=', at).where(eb => eb.or([eb('at', '<', at), eb('seq', '<', seqText(before))]))
  }
  const newest = query.orderBy('at', 'desc').orderBy('seq', 'desc').limit(limit)
  return market === undefined
    ? await mapRows(view, newest, 'events', TRADE_COLUMNS, (row: EventColumns) => tradeOf(row, dao))
    : await mapRows(view, newest, 'events', [...TRADE_COLUMNS, 'facts'],
      (row: MarketEventRow) => marketTradeOf(row, dao))
}

export const readSwapsPage: Read<'swapsPage'> = async (view, after, limit) => {
  const query = view.db.selectFrom('events').where('revision', '>', after).where('side', 'is not', null)
    .orderBy('revision').limit(limit)
  let revision = after
  type Row = SwapEventRow & { revision: number, slot: number }
  const rows = await mapRows(view, query, 'events', [...SWAP_COLUMNS, 'revision', 'slot'], (row: Row) => {
    revision = Number(row.revision)
    return { ...swapOf(row, view.names), slot: Number(row.slot) }
  })
  return { revision, rows }
}

export const readSwapsOfAll: Read<'swapsOfAll'> = async (view, daos, from, to) => {
  const wanted = daoTable(view, daos)
  if (wanted === undefined) return []
  const query = view.db.selectFrom('events').where('side', 'is not', null).where('at', '>=', from).where('at', '<', to)
    .where(sql<boolean>`events.dao in (select dao from ${wanted} wanted)`)
  return await mapRows(view, query, 'events', SWAP_COLUMNS, (row: SwapEventRow) => swapOf(row, view.names))
}

const HALF = 10n ** 10n
/** The leg's upper and lower digits summed apart, as text "upper,lower": SQLite's integers end at 2^63. */
function legSum (side: 'buy' | 'sell', leg: 'input' | 'output'): RawBuilder<string> {
  const digits = sql`('0000000000' || cast(${sql.ref(`e.${leg}`)} as text))`
  const sum = (part: RawBuilder<unknown>) =>
    sql`cast(coalesce(sum(cast(${part} as bigint)) filter (where e.side = ${sql.lit(side)}), 0) as text)`
  return sql`${sum(sql`substr(${digits}, 1, length(${digits}) - 10)`)} || ',' ||
    ${sum(sql`substr(${digits}, length(${digits}) - 9)`)}`
}
function parseLegSum (text: string): bigint {
  const [upper = '', lower = ''] = text.split(',')
  return BigInt(upper) * HALF + BigInt(lower)
}

export const readTraders: Read<'traders'> = async (view, daos, from, to) => {
  const wanted = daoTable(view, daos)
  if (wanted === undefined) return new Map()
  const { rows } = await sql<
    Record<'dao' | Exclude<keyof Traders, 'buyQuote' | 'sellQuote'>, number | string> &
    { buy_quote: string, sell_quote: string }
  >`
    select e.dao, count(distinct e.maker) as makers, count(*) - count(e.maker) as unnamed,
      count(distinct e.maker) filter (where e.side = 'buy') as buyers,
      count(distinct e.maker) filter (where e.side = 'sell') as sellers,
      count(*) filter (where e.side = 'buy') as buys, count(*) filter (where e.side = 'sell') as sells,
      ${legSum('buy', 'input')} as buy_quote, ${legSum('sell', 'output')} as sell_quote
    from ${wanted} wanted
    join events e on e.dao = wanted.dao and e.side is not null and e.at >= ${from} and e.at < ${to}
    group by e.dao`.execute(view.db)
  return new Map(rows.map(row => [view.names.address(row.dao), {
    makers: Number(row.makers),
    buyers: Number(row.buyers),
    sellers: Number(row.sellers),
    buys: Number(row.buys),
    sells: Number(row.sells),
    buyQuote: parseLegSum(row.buy_quote),
    sellQuote: parseLegSum(row.sell_quote),
    unnamed: Number(row.unnamed)
  }]))
}

export const readOrigins: Read<'origins'> = async (view, keys) => {
  const { db, types, names } = view
  const wanted = keys.flatMap(({ dao, seq }) => names.id(dao) === undefined ? [] : [[names.id(dao)!, seqText(seq)]])
  if (wanted.length === 0) return []
  const { rows } = await sql<Pick<Tables['events'], 'dao' | 'seq' | 'signature' | 'event_index'>>`
    select e.dao, e.seq, e.signature, e.event_index
    from ${keyTable(view, wanted, { dao: 'integer', seq: types.u64Key })} wanted
    join events e on e.dao = wanted.dao and e.seq = wanted.seq`.execute(db)
  return rows.map(({ dao, seq, signature, event_index: eventIndex }) =>
    ({ dao: names.address(dao), seq: BigInt(seq), signature, eventIndex: Number(eventIndex) }))
}

/** What an event brought back: the difference of the reserves, where all between is understood. */
async function broughtBack ({ db, names }: View, { dao, seq, reserves }: PoolEvent): Promise<PoolEvent['liquidity']> {
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

export const readPoolEvents: Read<'poolEvents'> = async (view, { from, to, after, limit }) => {
  let query = view.db.selectFrom('events').select(FEE_IS_LATE.as('fee_is_late'))
    .where('slot', '>=', after?.slot ?? from).where('slot', '<=', to).where(IS_POOL_EVENT).where(IS_ON_TIME)
  if (after !== undefined) {
    const { slot, blockIndex, eventIndex } = after
    query = query.where(eb => eb.or([
      eb('slot', '>', slot),
      eb.and([eb('slot', '=', slot), eb('block_index', '>', blockIndex)]),
      eb.and([eb('slot', '=', slot), eb('block_index', '=', blockIndex), eb('event_index', '>', eventIndex)])
    ]))
  }
  const inOrder = query.orderBy('slot').orderBy('block_index', order => order.asc().nullsFirst()).orderBy('event_index')
  const events = await mapRows(view, inOrder.limit(limit), 'events', POOL_EVENT_COLUMNS, (row: PoolEventRow, late) =>
    eventOf(late.fee_is_late ? { ...row, fee: null } : row, view))
  for (const event of events) {
    if (event.swap === null && event.liquidity === null) event.liquidity = await broughtBack(view, event)
  }
  return events
}

export const readFirstEvent: Read<'firstEvent'> = async ({ db, names }, dao) => {
  const row = await db.selectFrom('events')
    .select(['kind', 'slot', 'at', 'signature', 'maker', EVENT_IS_LATE.as('late')])
    .where('dao', '=', names.id(dao) ?? 0).where('seq', '=', seqText(1n)).executeTakeFirst()
  if (row === undefined) return null
  const { slot, at, late, ...rest } = row
  return { ...rest, slot: Number(slot), at: Number(at), isLate: Boolean(late) }
}

export const readFeeRates: Read<'feeRates'> = async ({ db, names }, dao) => {
  const all = db.selectFrom('fee_rates').selectAll()
  const rows = await (dao === undefined
    ? all.orderBy('to_slot', 'desc').limit(1)
    : all.where('dao', '=', names.id(dao) ?? 0).orderBy('from_slot')).execute()
  return rows.map(({ dao, bps, from_slot: from, to_slot: to }) =>
    ({ dao: names.address(dao), bps, fromSlot: Number(from), toSlot: Number(to) }))
}

export const readLastTrades: Read<'lastTrades'> = async (view, at, daos) => {
  const { db, names } = view
  // first where, then what: joined in one statement, PostgreSQL may look through all events
  const newest = sql<number | null>`(
    select x.revision from events x
    where x.dao = daos.id and x.side is not null and x.at <= ${at} and x.input <> '0' and x.output <> '0'
    order by x.at desc, x.seq desc limit 1)`
  const trades: Trade[] = []
  // the embedded store answers at once: those of 1,000 DAOs in some 70 ms
  const pause = createPauses()
  const learn = async (part: RawBuilder<SqlBool>): Promise<void> => {
    const found = await db.selectFrom('daos').select(newest.as('revision')).where(part).execute()
    const revisions = found.flatMap(({ revision }) => revision === null ? [] : [Number(revision)])
    if (revisions.length === 0) return
    const rows = await db.selectFrom('events').select(POOL_EVENT_COLUMNS).where('revision', 'in', revisions).execute()
    for (const row of rows) trades.push(eventOf(row, view) as Trade)
    await pause()
  }
  if (daos !== undefined) {
    const ids = daos.map(names.id).filter(id => id !== undefined)
    for (const some of chunks(ids, KEYS)) await learn(sql`id in (${sql.join(some)})`)
    return trades
  }
  const { last } = await db.selectFrom('daos').select(sql<number | string | null>`max(id)`.as('last'))
    .executeTakeFirstOrThrow()
  for (let at = 0; at < Number(last); at += KEYS) await learn(sql`id > ${at} and id <= ${at + KEYS}`)
  return trades
}

export const readDaosTraded: Read<'daosTraded'> = async ({ db, names }, from, to) => {
  const rows = await db.selectFrom('events').select('dao').distinct()
    .where('side', 'is not', null).where('at', '>=', from).where('at', '<', to).execute()
  return rows.map(({ dao }) => names.address(dao))
}

export const readDaosChanged: Read<'daosChanged'> = async ({ db, names }, after, from, to) => {
  const revision = await readRevision(db)
  if (revision === after) return { revision, rows: [] }
  const rows = await db.selectFrom('events').select('dao').distinct()
    .where('revision', '>', after).where('revision', '<=', revision).where('side', 'is not', null)
    // By the revisions: the index on the times would be that of all there is
    .where(sql<boolean>`+at >= ${from} and +at < ${to}`).execute()
  return { revision, rows: rows.map(({ dao }) => names.address(dao)) }
}

export const readIncomplete: Read<'incomplete'> = async ({ db, names }, { above, below, limit }) => {
  const rows = await db.selectFrom('events')
    .select(['dao', 'seq', 'slot', 'at', 'signature', 'event_index', 'maker', 'side'])
    .where(INCOMPLETE).where('slot', '>', above).where('slot', '<', below)
    .orderBy('slot', 'desc').limit(limit).execute()
  return rows.map(({ dao, seq, slot, at, signature, event_index: eventIndex, maker, side }) => ({
    dao: names.address(dao),
    seq: BigInt(seq),
    slot: Number(slot),
    at: Number(at),
    signature,
    eventIndex: Number(eventIndex),
    maker,
    isTrade: side !== null
  }))
}

/** Each end by the index: both in one statement would look at all events. */
async function bounds (
  db: Kysely<Tables>, column: 'slot' | 'at', where: RawBuilder<SqlBool>
): Promise<{ oldest: number, newest: number } | null> {
  const end = async (order: 'asc' | 'desc'): Promise<Pick<Selectable<Tables['events']>, 'slot' | 'at'> | undefined> =>
    await db.selectFrom('events').select(['slot', 'at']).where(where).orderBy(column, order).limit(1).executeTakeFirst()
  const [oldest, newest] = [await end('asc'), await end('desc')]
  if (oldest === undefined || newest === undefined) return null
  return { oldest: Number(oldest[column]), newest: Number(newest[column]) }
}

export const readIncompleteSlots: Read<'incompleteSlots'> = ({ db }) => bounds(db, 'slot', INCOMPLETE)

export const readUnnamedTrades: Read<'unnamedTrades'> = ({ db, names }, dao) =>
  bounds(db, 'at', sql`dao = ${names.id(dao) ?? 0} and ${UNNAMED}`)
