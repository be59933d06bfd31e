/** Each by an index. */
import { sql, type RawBuilder } from 'kysely'
import { UNKNOWN_KIND } from '../../protocol/events.js'
import {
  EVENT, FACTS, FEE_RATE, POOL_EVENT, STORED_EVENT, type FeeRate, type PoolEvent, type Trade
} from '../rules/rows.js'
import type { ToldEvent } from '../rules/unknown-kinds.js'
import { INCOMPLETE, IS_ON_TIME, IS_POOL_EVENT } from './conditions.js'
import { type RowOf, seqText } from '../rules/mapping.js'
import type { IncompleteEvent, PoolEventsQuery, PublishedSlot, Since, Traders, TradesQuery } from './types.js'
import { grouped, isOfDaos, isOneOf, type View, withDao } from './view.js'

const COLUMNS = ['dao', ...POOL_EVENT.columns] as const
const tradesOf = (view: View, rows: ReadonlyArray<RowOf<typeof POOL_EVENT> & { dao: number }>): Trade[] =>
  rows.map(withDao(view, POOL_EVENT)) as Trade[]

/** The difference of the reserves, where all events between are understood. */
async function broughtBack ({ db, idOf }: View, { dao, seq, reserves }: PoolEvent): Promise<PoolEvent['liquidity']> {
  if (reserves === null) return null
  const events = db.selectFrom('events').where('dao', '=', idOf(dao)).where('seq', '<', seqText(seq)).where(IS_ON_TIME)
  const before = await events.select(['seq', ...EVENT.reserves.columns]).where('quote_reserves', 'is not', null)
    .orderBy('seq', 'desc').limit(1).executeTakeFirst()
  if (before === undefined) return null
  const between = await events.select('kind').where('seq', '>', before.seq).execute()
  const isWhole = BigInt(between.length) === seq - BigInt(before.seq) - 1n &&
    between.every(({ kind }) => kind !== 'Unknown' && kind !== 'Unreadable')
  const were = EVENT.reserves.read(before)!
  return isWhole ? { quote: reserves.quote - were.quote, base: reserves.base - were.base } : null
}

const HALF = 10n ** 10n
/** Sums of the leg's upper and lower digits as "upper,lower": SQLite's integers end at 2^63. */
function legSum (side: 'buy' | 'sell', leg: 'input' | 'output'): RawBuilder<string> {
  const digits = sql`('0000000000' || cast(${sql.ref(leg)} as text))`
  const sum = (part: RawBuilder<unknown>) =>
    sql`cast(coalesce(sum(cast(${part} as bigint)) filter (where side = ${sql.lit(side)}), 0) as text)`
  return sql`${sum(sql`substr(${digits}, 1, length(${digits}) - 10)`)} || ',' ||
    ${sum(sql`substr(${digits}, length(${digits}) - 9)`)}`
}
function parseLegSum (text: string): bigint {
  const [upper = '', lower = ''] = text.split(',')
  return BigInt(upper) * HALF + BigInt(lower)
}

export const eventReads = {
  async trades (view: View, { dao, market, before, since, until, side, limit }: TradesQuery): Promise<Trade[]> {
    const { db, idOf } = view
    const events = db.selectFrom('events')
    let query = market === undefined
      ? events.where('dao', '=', idOf(dao)).where('side', 'is not', null)
      : events.where('proposal', '=', market.proposal).where('market', '=', market.market)
    if (side !== undefined) query = query.where('side', '=', side).where('input', '<>', '0').where('output', '<>', '0')
    if (since !== undefined) query = query.where('at', '>=', since)
    if (until !== undefined) query = query.where('at', '<=', until)
    if (before !== undefined) {
      // its time: of the event that has the number, or else the last one below
      const anchor = await events.select('at').where('dao', '=', idOf(dao)).where('seq', '<=', seqText(before))
        .orderBy('seq', 'desc').limit(1).executeTakeFirst()
      if (anchor === undefined) return []
      // a tuple takes a quarter longer in SQLite
      query = query.where('at', '<=', anchor.at)
        .where(eb => eb.or([eb('at', '<', anchor.at), eb('seq', '<', seqText(before))]))
    }
    const newest = query.orderBy('at', 'desc').orderBy('seq', 'desc').limit(limit).select(COLUMNS)
    if (market === undefined) return tradesOf(view, await newest.execute())
    return (await newest.select(FACTS.columns).execute()).map(row => {
      const { side, input, output, reserves } = FACTS.read(row)!.swap!
      // its fee can't be told: a spot swap between two may change the balance
      return { ...withDao(view, POOL_EVENT)(row), swap: { side, input, output, fee: null }, reserves }
    })
  },

  /** All swaps by revision; `rows` is empty at the end. */
  async swapsPage (view: View, after: number, limit: number): Promise<Since<Trade>> {
    const rows = await view.db.selectFrom('events').select([...COLUMNS, 'revision'])
      .where('revision', '>', after).where('side', 'is not', null).orderBy('revision').limit(limit).execute()
    return { revision: rows.at(-1)?.revision ?? after, rows: tradesOf(view, rows) }
  },

  /** From the Unix second `from` to before `to`. */
  async swapsOfAll (view: View, daos: readonly string[], from: number, to: number) {
    return tradesOf(view, await view.db.selectFrom('events').select(COLUMNS).where(isOfDaos(view, 'events', daos))
      .where('side', 'is not', null).where('at', '>=', from).where('at', '<', to).execute())
  },

  /** By DAO, from the Unix second `from` to before `to`. */
  async traders (view: View, daos: readonly string[], from: number, to: number): Promise<Map<string, Traders>> {
    const { rows } = await sql<Traders & { dao: number, unnamed: number, buy_quote: string, sell_quote: string }>`
      select dao, count(distinct maker) as makers, count(*) - count(maker) as unnamed,
        count(distinct maker) filter (where side = 'buy') as buyers,
        count(distinct maker) filter (where side = 'sell') as sellers,
        count(*) filter (where side = 'buy') as buys, count(*) filter (where side = 'sell') as sells,
        ${legSum('buy', 'input')} as buy_quote, ${legSum('sell', 'output')} as sell_quote
      from events where ${isOfDaos(view, 'events', daos)} and side is not null and at >= ${from} and at < ${to}
      group by dao`.execute(view.db)
    return new Map(rows.map(({ dao, unnamed, buy_quote: buyQuote, sell_quote: sellQuote, ...counts }) => [
      view.addressOf(dao), {
        ...counts,
        ...unnamed > 0 && { makers: null, buyers: null, sellers: null },
        buyQuote: parseLegSum(buyQuote),
        sellQuote: parseLegSum(sellQuote)
      }
    ]))
  },

  /** One that is not stored is left out; `isLate`: it came after its slot had been published. */
  async origins (view: View, keys: ReadonlyArray<Pick<PoolEvent, 'dao' | 'seq'>>) {
    const wanted = keys.map(({ dao, seq }) => ({ dao: view.idOf(dao), seq: seqText(seq) }))
    const rows = await view.db.selectFrom('events').select([...COLUMNS, 'late'])
      .where(isOneOf(view, 'events', ['dao', 'seq'], wanted)).execute()
    return rows.map(row => ({ ...withDao(view, POOL_EVENT)(row), isLate: row.late === 'event' }))
  },

  /** In the order of the chain, without what came after its slot was published. */
  async poolEvents (view: View, { from, to, after, limit }: PoolEventsQuery): Promise<PoolEvent[]> {
    let query = view.db.selectFrom('events').select([...COLUMNS, 'late'])
      .where('slot', '>=', after?.slot ?? from).where('slot', '<=', to).where(IS_POOL_EVENT).where(IS_ON_TIME)
    if (after !== undefined) {
      const { slot, blockIndex, eventIndex } = after
      query = query.where(({ eb, refTuple, tuple }) =>
        eb(refTuple('slot', 'block_index', 'event_index'), '>', tuple(slot, blockIndex, eventIndex)))
    }
    const rows = await query.orderBy('slot').orderBy('block_index', order => order.asc().nullsFirst())
      .orderBy('event_index').limit(limit).execute()
    return await Promise.all(rows.map(async row => {
      const event = withDao(view, POOL_EVENT)(row.late === null ? row : { ...row, fee: null })
      const isTold = event.swap !== null || event.liquidity !== null
      return isTold ? event : { ...event, liquidity: await broughtBack(view, event) }
    }))
  },

  /** The newest block up to a slot that has a stored event. */
  async newestBlock ({ db }: View, upTo: number): Promise<PublishedSlot | null> {
    const row = await db.selectFrom('events').select(['slot', 'at']).where('slot', '<=', upTo)
      .orderBy('slot', 'desc').limit(1).executeTakeFirst()
    return row ?? null
  },

  /** Of a DAO, oldest first; without one, that of the newest swap of all. */
  async feeRates (view: View, dao?: string): Promise<FeeRate[]> {
    const all = view.db.selectFrom('fee_rates').selectAll()
    // in the slot in which a rate changes both are the last, or the first
    const rows = await (dao === undefined
      ? all.orderBy('to_slot', 'desc').orderBy('from_slot', 'desc').limit(1)
      : all.where('dao', '=', view.idOf(dao)).orderBy('from_slot').orderBy('to_slot')).execute()
    return rows.map(withDao(view, FEE_RATE))
  },

  /** By DAO the newest trade with a price up to the Unix second `at`. */
  async lastTrades (view: View, at: number, daos: readonly string[]): Promise<Trade[]> {
    const { db, idOf } = view
    if (daos.length === 0) return []
    // in two statements: joined, PostgreSQL may scan all events
    const newest = sql<number | null>`(
      select x.revision from events x
      where x.dao = daos.id and x.side is not null and x.at <= ${at} and x.input <> '0' and x.output <> '0'
      order by x.at desc, x.seq desc limit 1)`
    const found = await db.selectFrom('daos').select(newest.as('revision')).where('id', 'in', daos.map(idOf)).execute()
    const revisions = found.flatMap(({ revision }) => revision ?? [])
    if (revisions.length === 0) return []
    return tradesOf(
      view, await db.selectFrom('events').select(COLUMNS).where('revision', 'in', revisions).execute()
    )
  },

  /** DAOs with trades from the Unix second `from` to before `to`; `after`: that changed after a revision. */
  async daosTraded ({ db, addressOf }: View, from: number, to: number, after?: number): Promise<string[]> {
    const trades = db.selectFrom('events').select('dao').distinct().where('side', 'is not', null)
    const rows = await (after === undefined
      ? trades.where('at', '>=', from).where('at', '<', to)
      // both bounds, and `+at`, have the planner use the index of revisions, not those of times and trades
      : trades.where('revision', '>', after).where('revision', '<=', Number.MAX_SAFE_INTEGER)
        .where(sql<boolean>`+at >= ${from} and +at < ${to}`)).execute()
    return rows.map(({ dao }) => addressOf(dao))
  },

  /** Events of slots after `above` whose index in the block is unknown, behind one of them, newest slot first. */
  async incomplete (
    view: View, above: number, limit: number, behind?: Pick<IncompleteEvent, 'slot' | 'revision'>
  ): Promise<IncompleteEvent[]> {
    const { slot = Number.MAX_SAFE_INTEGER, revision = 0 } = behind ?? {}
    const rows = await view.db.selectFrom('events').select([...COLUMNS, 'revision'])
      .where(INCOMPLETE).where('slot', '>', above)
      .where(({ eb, refTuple, tuple }) => eb(refTuple('slot', 'revision'), '<', tuple(slot, revision)))
      .orderBy('slot', 'desc').orderBy('revision', 'desc').limit(limit).execute()
    return rows.map(row => ({ ...withDao(view, POOL_EVENT)(row), revision: row.revision }))
  },

  /** The oldest slot of those. */
  async incompleteSlot ({ db }: View): Promise<number | null> {
    const row = await db.selectFrom('events').select('slot').where(INCOMPLETE)
      .orderBy('slot').limit(1).executeTakeFirst()
    return row?.slot ?? null
  },

  /** Events of a DAO from the number `from` on, in their order. */
  async eventsOf ({ db, idOf }: View, dao: string, from: bigint, limit: number): Promise<ToldEvent[]> {
    const rows = await db.selectFrom('events').select(STORED_EVENT.columns)
      .where('dao', '=', idOf(dao)).where('seq', '>=', seqText(from)).orderBy('seq').limit(limit).execute()
    return rows.map(row => STORED_EVENT.read(row))
  },

  /** By DAO the numbers of events of unknown kinds that are not judged yet, ascending. */
  async unjudged ({ db, addressOf }: View) {
    const rows = await db.selectFrom('events').select(['dao', 'seq']).where('reason', '=', UNKNOWN_KIND)
      .orderBy('dao').orderBy('seq').execute()
    return grouped(rows, ({ dao }) => addressOf(dao), ({ seq }) => BigInt(seq))
  }
}
