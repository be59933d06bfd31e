import { sql, type Kysely, type RawBuilder, type Selectable, type SelectQueryBuilder, type Selection } from 'kysely'
import { CANDLE_COLUMNS, candleOfRow } from './candle-rows.js'
import { sequenceRangeOf, indexedRangeOf, numbersOf, seqText, swapOf, unattributedOf } from './row-mapping.js'
import type { Since, SwapsSince } from './store.js'
import type { DayRow, StoreState, SwapRow, UnattributedEvent, WholeDay } from '../rules/types.js'
import type { ColumnTypes, Tables } from './table-types.js'

type Db = Kysely<Tables>
/** DAO addresses by the store's numbers, and back. */
export interface Names {
  address (id: number): string
  id (address: string): number | undefined
}

const SWAP_COLUMNS = ['change', 'dao', 'seq', 'at', 'side', 'input', 'output', 'fee', 'maker'] as const
/** From here on, reading a window afresh by its times is cheaper than reading what is new. */
const TOO_MUCH = 50_000

export async function readMeta (db: Db): Promise<Map<string, string>> {
  const rows = await db.selectFrom('meta').selectAll().execute()
  return new Map(rows.map(({ key, value }) => [key, value]))
}

export async function readState (db: Db, names: Names): Promise<StoreState> {
  const meta = await readMeta(db)
  const sequenceRanges: StoreState['sequenceRanges'] = new Map()
  for (const row of await db.selectFrom('intervals').selectAll().orderBy('dao').orderBy('low').execute()) {
    const dao = names.address(Number(row.dao))
    const list = sequenceRanges.get(dao)
    if (list === undefined) sequenceRanges.set(dao, [sequenceRangeOf(row)])
    else list.push(sequenceRangeOf(row))
  }
  const unattributed = await db.selectFrom('unplaced').select(['key_a', 'key_b']).execute()
  const proposals = await db.selectFrom('proposals').selectAll().execute()
  const missing = await db.selectFrom('missing').selectAll().orderBy('slot', 'desc').execute()
  const rates = await db.selectFrom('rates').selectAll().execute()
  const daos = await db.selectFrom('daos').selectAll().where('first_swap', 'is not', null).execute()
  const rolled = await db.selectFrom('daos').select(['address', 'rolled_from']).where('rolled_from', '>', 0).execute()
  const minutesFrom = meta.get('minutes_from')
  const odd = await db.selectFrom('events').select(['dao', 'at']).where('reason', 'is not', null).orderBy('at').execute()
  const indexedRanges = await db.selectFrom('segments').selectAll().orderBy('newest_slot', 'desc').execute()
  return {
    indexedRanges: indexedRanges.map(indexedRangeOf),
    ended: meta.get('ended') === 'true',
    sequenceRanges,
    rolledFrom: new Map(rolled.map(({ address, rolled_from: from }) => [address, Number(from)])),
    minutesFrom: minutesFrom === undefined ? null : Number(minutesFrom),
    proposals: new Map(proposals.map(({ proposal, dao }) => [proposal, names.address(Number(dao))])),
    unattributedKeys: new Set(unattributed.flatMap(row => [row.key_a, row.key_b]).filter(key => key !== null)),
    missing: missing.map(({ signature, slot, at, reason }) => ({ signature, slot: Number(slot), at: at === null ? null : Number(at), reason })),
    losses: JSON.parse(meta.get('losses') ?? '[]') as StoreState['losses'],
    numbersAhead: numbersOf(meta.get('numbers_ahead') ?? ''),
    rates: new Map(rates.map(({ bps, swaps }) => [bps, Number(swaps)])),
    firstSwaps: new Map(daos.map(({ address, first_swap: at }) => [address, Number(at)])),
    unreadable: new Map(odd.map(({ dao, at }) => [names.address(Number(dao)), Number(at)])),
    events: Number(meta.get('events') ?? 0),
    swaps: Number(meta.get('swaps') ?? 0)
  }
}

/** The revision that the last committed step took: what a reader may have seen of it is all or nothing. */
export const readRevision = async (db: Db): Promise<number> => Number((await readMeta(db)).get('change') ?? 0)

/**
 * Keys as a table that a statement can join, in a form whose text is the same for any number of them: to compile a parameter for each value would cost more
 * than the reading. `columns` names them with their types.
 */
export function keyTable (form: ColumnTypes['rows'], keys: ReadonlyArray<ReadonlyArray<string | number>>, columns: Record<string, string>): RawBuilder<unknown> {
  const names = Object.keys(columns)
  if (form === 'values') {
    return sql`(select ${sql.join(names.map((name, at) => sql`value ->> ${sql.lit(at)} as ${sql.ref(name)}`))} from json_each(${JSON.stringify(keys)}))`
  }
  const arrays = Object.values(columns).map((type, at) => sql`${keys.map(key => key[at])}::${sql.raw(type)}[]`)
  return sql`(select * from unnest(${sql.join(arrays)}) as keys (${sql.join(names.map(name => sql.ref(name)))}))`
}

/**
 * What `make` makes of the rows of a query: of these columns, and of those that the query has selected itself. It must not keep a row, which may be the same
 * object for all. The driver of an engine that takes parameters hands a row over value by value, which for a thousand of them costs more than finding them:
 * there, each comes as one text.
 */
export async function mapRows<O, C extends keyof Tables['events'] & string, T> (
  { rows: form }: ColumnTypes, query: SelectQueryBuilder<Tables, 'events', O>, columns: readonly C[], make: (row: Selection<Tables, 'events', C>, selected: O) => T
): Promise<T[]> {
  type Row = Selection<Tables, 'events', C>
  if (form === 'json') return (await query.select(columns).execute() as Array<Row & O>).map(row => make(row, row))
  const rows = await query.select(sql<string>`json_array(${sql.join(columns.map(column => sql.ref(column)))})`.as('json')).execute() as Array<O & { json: string }>
  const row = Object.fromEntries(columns.map(column => [column, null])) as Record<string, unknown>
  return rows.map(found => {
    const values = JSON.parse(found.json) as unknown[]
    for (let at = 0; at < columns.length; at++) row[columns[at]!] = values[at]
    return make(row as Row, found)
  })
}

export async function readDays (db: Db, names: Names, { rows: form }: ColumnTypes, keys: ReadonlyArray<{ dao: string, day: number }>): Promise<WholeDay[]> {
  const wanted = keys.flatMap(({ dao, day }) => {
    const id = names.id(dao)
    return id === undefined ? [] : [[id, day]]
  })
  if (wanted.length === 0) return []
  const { rows } = await sql<Selectable<Tables['days']>>`
    select days.* from ${keyTable(form, wanted, { dao: 'integer', day: 'integer' })} wanted join days on days.dao = wanted.dao and days.day = wanted.day`.execute(db)
  return rows.map(row => ({ ...dayOfRow(row, names), hours: row.hours }))
}

const dayOfRow = (row: Omit<Selectable<Tables['days']>, 'change' | 'makers' | 'hours'>, names: Names): DayRow => ({ dao: names.address(Number(row.dao)), day: Number(row.day), ...candleOfRow(row) })

export async function readDaysAfter (db: Db, names: Names, revision: number, limit?: number): Promise<Since<DayRow>> {
  const newest = await readRevision(db)
  if (newest === revision) return { revision, rows: [] }
  const last = limit === undefined
    ? undefined
    : await db.selectFrom('days').select('change').where('change', '>', revision).where('change', '<=', newest).orderBy('change').offset(limit - 1).limit(1).executeTakeFirst()
  const upTo = Number(last?.change ?? newest)
  const rows = await db.selectFrom('days').select(['dao', 'day', ...CANDLE_COLUMNS]).where('change', '>', revision).where('change', '<=', upTo).execute()
  return { revision: upTo, rows: rows.map(row => dayOfRow(row, names)) }
}

export async function readSwapsSince (db: Db, names: Names, types: ColumnTypes, at: number, limit?: number): Promise<SwapsSince> {
  const revision = await readRevision(db)
  const last = limit === undefined
    ? undefined
    : await db.selectFrom('events').select('at').where('at', '>', at).where('side', 'is not', null).orderBy('at').offset(limit - 1).limit(1).executeTakeFirst()
  const until = last === undefined ? null : Number(last.at)
  let query = db.selectFrom('events').where('at', '>', at).where('side', 'is not', null).where('change', '<=', revision)
  if (until !== null) query = query.where('at', '<=', until)
  return { revision, until, rows: await mapRows(types, query, SWAP_COLUMNS, row => swapOf(row, names.address(Number(row.dao)))) }
}

export async function readSwapsAfter (db: Db, names: Names, types: ColumnTypes, revision: number, at: number): Promise<Since<SwapRow> | null> {
  const upTo = await readRevision(db)
  if (upTo === revision) return { revision, rows: [] }
  if (upTo - revision > TOO_MUCH) return null
  const query = db.selectFrom('events').where('change', '>', revision).where('change', '<=', upTo).where('at', '>', at).where('side', 'is not', null)
  return { revision: upTo, rows: await mapRows(types, query, SWAP_COLUMNS, row => swapOf(row, names.address(Number(row.dao)))) }
}

export async function readSwapsPage (db: Db, names: Names, types: ColumnTypes, after: number, limit: number): Promise<Since<SwapRow>> {
  const query = db.selectFrom('events').where('change', '>', after).where('side', 'is not', null).orderBy('change').limit(limit)
  let revision = after
  const rows = await mapRows(types, query, SWAP_COLUMNS, row => {
    revision = Number(row.change)
    return swapOf(row, names.address(Number(row.dao)))
  })
  return { revision, rows }
}

export async function readOrigins (db: Db, names: Names, { u64Key, rows: form }: ColumnTypes, keys: ReadonlyArray<{ dao: string, seq: bigint }>) {
  const wanted = keys.flatMap(({ dao, seq }) => {
    const id = names.id(dao)
    return id === undefined ? [] : [[id, seqText(seq)]]
  })
  if (wanted.length === 0) return []
  const { rows } = await sql<Pick<Tables['events'], 'dao' | 'seq' | 'signature' | 'place'>>`
    select e.dao, e.seq, e.signature, e.place from ${keyTable(form, wanted, { dao: 'integer', seq: u64Key })} wanted
    join events e on e.dao = wanted.dao and e.seq = wanted.seq`.execute(db)
  return rows.map(row => ({ dao: names.address(Number(row.dao)), seq: BigInt(row.seq), signature: row.signature, eventIndex: Number(row.place) }))
}

export async function readUnattributed (db: Db, keys: readonly string[]): Promise<UnattributedEvent[]> {
  const rows = await db.selectFrom('unplaced').selectAll().where(eb => eb.or([eb('key_a', 'in', keys), eb('key_b', 'in', keys)])).execute()
  return rows.map(unattributedOf)
}
