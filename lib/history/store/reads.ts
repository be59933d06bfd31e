import { sql, type Kysely, type SelectQueryBuilder, type Selection } from 'kysely'
import type { VolumeRule } from '../../market/volume.js'
import type { StoreState, SwapRow, UnattributedEvent } from '../rules/types.js'
import { keyTable, type Names } from './keys.js'
import { readMeta } from './meta.js'
import {
  indexedRangeOf, numbersOf, parseValuation, seqText, sequenceRangeOf, swapOf, unattributedOf
} from './row-mapping.js'
import type { RebuiltTo, Since } from './store.js'
import type { ColumnTypes, Tables } from './table-types.js'
import { readUnreadable } from './unknown-kinds.js'

type Db = Kysely<Tables>

const SWAP_COLUMNS = ['dao', 'seq', 'at', 'side', 'input', 'output', 'fee', 'maker'] as const

export async function readState (db: Db, names: Names): Promise<StoreState> {
  const meta = await readMeta(db)
  const sequenceRanges: StoreState['sequenceRanges'] = new Map()
  for (const row of await db.selectFrom('sequence_ranges').selectAll().orderBy('dao').orderBy('first_seq').execute()) {
    const dao = names.address(Number(row.dao))
    const list = sequenceRanges.get(dao)
    if (list === undefined) sequenceRanges.set(dao, [sequenceRangeOf(row)])
    else list.push(sequenceRangeOf(row))
  }
  const unattributed = await db.selectFrom('unattributed').select(['key_a', 'key_b']).execute()
  const proposals = await db.selectFrom('proposals').selectAll().execute()
  const missing = await db.selectFrom('missing').selectAll().orderBy('slot', 'desc').execute()
  const rates = await db.selectFrom('rates').selectAll().execute()
  const daos = await db.selectFrom('daos').selectAll().where('first_swap', 'is not', null).execute()
  const indexedRanges = await db.selectFrom('indexed_ranges').selectAll().orderBy('newest_slot', 'desc').execute()
  return {
    indexedRanges: indexedRanges.map(indexedRangeOf),
    ended: meta.get('ended') === 'true',
    sequenceRanges,
    proposals: new Map(proposals.map(({ proposal, dao }) => [proposal, names.address(Number(dao))])),
    unattributedKeys: new Set(unattributed.flatMap(row => [row.key_a, row.key_b]).filter(key => key !== null)),
    missing: missing.map(({ signature, slot, at, reason }) => ({
      signature,
      slot: Number(slot),
      at: at === null
        ? null
        : Number(at),
      reason
    })),
    losses: JSON.parse(meta.get('losses') ?? '[]') as StoreState['losses'],
    beginning: meta.has('beginning') ? Number(meta.get('beginning')) : null,
    numbersAhead: numbersOf(meta.get('numbers_ahead') ?? ''),
    rates: new Map(rates.map(({ bps, swaps }) => [bps, Number(swaps)])),
    firstSwaps: new Map(daos.map(({ address, first_swap: at }) => [address, Number(at)])),
    unreadable: await readUnreadable(db, names),
    events: Number(meta.get('events') ?? 0),
    swaps: Number(meta.get('swaps') ?? 0)
  }
}

export async function readValuation (db: Db): Promise<VolumeRule | null> {
  const noted = (await readMeta(db)).get('valuation')
  return noted === undefined ? null : parseValuation(noted)
}

export async function readRebuilding (db: Db): Promise<RebuiltTo & { valuation: VolumeRule } | null> {
  const meta = await readMeta(db)
  const noted = meta.get('rebuilding')
  if (noted === undefined) return null
  const [revision, swaps] = meta.get('rebuilt_to')!.split(' ').map(Number)
  return { valuation: parseValuation(noted), revision: revision!, swaps: swaps! }
}

/**
 * What `make` makes of the rows of a query: of these columns, and of those that the query has selected itself. It must
 * not keep a row, which may be the same object for all. SQLite's driver hands a row over value by value, which for a
 * thousand of them costs more than finding them: there, each comes as one text.
 */
export async function mapRows<O, C extends keyof Tables['events'] & string, T> (
  { rows: form }: ColumnTypes,
  query: SelectQueryBuilder<Tables, 'events', O>,
  columns: readonly C[],
  make: (row: Selection<Tables, 'events', C>, selected: O) => T
): Promise<T[]> {
  type Row = Selection<Tables, 'events', C>
  if (form === 'records') return (await query.select(columns).execute() as Array<Row & O>).map(row => make(row, row))
  const list = sql.join(columns.map(column => sql.ref(`events.${column}`)))
  const rows = await query.select(sql<string>`json_array(${list})`.as('json')).execute() as Array<O & { json: string }>
  const row = Object.fromEntries(columns.map(column => [column, null])) as Record<string, unknown>
  return rows.map(found => {
    const values = JSON.parse(found.json) as unknown[]
    for (let at = 0; at < columns.length; at++) row[columns[at]!] = values[at]
    return make(row as Row, found)
  })
}

/** Swaps in order of their revisions. */
export async function readSwapsPage (
  db: Db, names: Names, types: ColumnTypes, after: number, limit: number
): Promise<Since<SwapRow & { slot: number }>> {
  const query = db.selectFrom('events').where('revision', '>', after).where('side', 'is not', null).orderBy(
    'revision'
  ).limit(limit)
  let revision = after
  const rows = await mapRows(types, query, [...SWAP_COLUMNS, 'revision', 'slot'], row => {
    revision = Number(row.revision)
    return { ...swapOf(row, names.address(Number(row.dao))), slot: Number(row.slot) }
  })
  return { revision, rows }
}

/** Swaps of some DAOs from the Unix second `from` to before `to`, in no order. */
export async function readSwapsOfAll (
  db: Db, names: Names, types: ColumnTypes, daos: readonly string[], from: number, to: number
): Promise<SwapRow[]> {
  const ids = names.ids(daos)
  if (ids.length === 0) return []
  const query = db.selectFrom('events').where('side', 'is not', null).where('at', '>=', from).where('at', '<', to)
    .where(
      sql<boolean>`events.dao in (select dao from ${keyTable(types, ids.map(id => [id]), { dao: 'integer' })} wanted)`
    )
  return await mapRows(types, query, SWAP_COLUMNS, row => swapOf(row, names.address(Number(row.dao))))
}

/** How many traded from the Unix second `from` to before `to`, by DAO, and how many trades have no known maker. */
export async function readTraders (
  db: Db, names: Names, types: ColumnTypes, daos: readonly string[], from: number, to: number
) {
  const ids = names.ids(daos)
  const found = new Map<string, { makers: number, unnamed: number }>()
  if (ids.length === 0) return found
  const { rows } = await sql<Record<'dao' | 'makers' | 'unnamed', number | string>>`
    select e.dao, count(distinct e.maker) as makers, count(*) - count(e.maker) as unnamed
    from ${keyTable(types, ids.map(id => [id]), { dao: 'integer' })} wanted
    join events e on e.dao = wanted.dao and e.side is not null and e.at >= ${from} and e.at < ${to} group by e.dao`.execute(
    db
  )
  for (const { dao, makers, unnamed } of rows) {
    found.set(
      names.address(Number(dao)),
      { makers: Number(makers), unnamed: Number(unnamed) }
    )
  }
  return found
}

export async function readOrigins (
  db: Db, names: Names, types: ColumnTypes, keys: ReadonlyArray<{ dao: string, seq: bigint }>
) {
  const wanted = keys.flatMap(({ dao, seq }) => names.id(dao) === undefined ? [] : [[names.id(dao)!, seqText(seq)]])
  if (wanted.length === 0) return []
  const { rows } = await sql<Pick<Tables['events'], 'dao' | 'seq' | 'signature' | 'event_index'>>`
    select e.dao, e.seq, e.signature, e.event_index from ${keyTable(types, wanted, { dao: 'integer', seq: types.u64Key })} wanted
    join events e on e.dao = wanted.dao and e.seq = wanted.seq`.execute(db)
  return rows.map(row => ({
    dao: names.address(Number(row.dao)),
    seq: BigInt(
      row.seq
    ),
    signature: row.signature,
    eventIndex: Number(row.event_index)
  }))
}

export async function readUnattributed (db: Db, keys: readonly string[]): Promise<UnattributedEvent[]> {
  const rows = await db.selectFrom('unattributed').selectAll()
    .where(eb => eb.or([eb('key_a', 'in', keys), eb('key_b', 'in', keys)])).execute()
  return rows.map(unattributedOf)
}
