import { sql, type Kysely, type RawBuilder, type Selectable } from 'kysely'
import { candleOfRow } from './candle-rows.js'
import { sequenceRangeOf, indexedRangeOf, seqText, swapOf, unattributedOf } from './row-mapping.js'
import type { Since } from './store.js'
import type { DayRow, StoreState, SwapRow, UnattributedEvent } from '../rules/types.js'
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
const KEYS = 200

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
    rates: new Map(rates.map(({ bps, swaps }) => [bps, Number(swaps)])),
    firstSwaps: new Map(daos.map(({ address, first_swap: at }) => [address, Number(at)])),
    unreadable: new Map(odd.map(({ dao, at }) => [names.address(Number(dao)), Number(at)])),
    events: Number(meta.get('events') ?? 0),
    swaps: Number(meta.get('swaps') ?? 0)
  }
}

/** The revision that the last committed step took: what a reader may have seen of it is all or nothing. */
export const readRevision = async (db: Db): Promise<number> => Number((await readMeta(db)).get('change') ?? 0)

export async function readDays (db: Db, names: Names, keys: ReadonlyArray<{ dao: string, day: number }>): Promise<DayRow[]> {
  const found: DayRow[] = []
  for (let at = 0; at < keys.length; at += KEYS) {
    const pairs = keys.slice(at, at + KEYS).flatMap(({ dao, day }) => {
      const id = names.id(dao)
      return id === undefined ? [] : [sql`(cast(${id} as integer), cast(${day} as integer))`]
    })
    if (pairs.length === 0) continue
    const { rows } = await wantedDays(pairs).execute(db)
    found.push(...rows.map(row => dayOfRow(row, names)))
  }
  return found
}

const wantedDays = (pairs: RawBuilder<unknown>[]) => sql<Selectable<Tables['days']>>`
  with wanted (dao, day) as (values ${sql.join(pairs)})
  select days.* from wanted join days on days.dao = wanted.dao and days.day = wanted.day`

const dayOfRow = (row: Selectable<Tables['days']>, names: Names): DayRow => ({ dao: names.address(Number(row.dao)), day: Number(row.day), ...candleOfRow(row) })

export async function readDaysAfter (db: Db, names: Names, revision: number): Promise<Since<DayRow>> {
  const upTo = await readRevision(db)
  if (upTo === revision) return { revision, rows: [] }
  const rows = await db.selectFrom('days').selectAll().where('change', '>', revision).where('change', '<=', upTo).execute()
  return { revision: upTo, rows: rows.map(row => dayOfRow(row, names)) }
}

export async function readSwapsSince (db: Db, names: Names, at: number): Promise<Since<SwapRow>> {
  const revision = await readRevision(db)
  const rows = await db.selectFrom('events').select(SWAP_COLUMNS)
    .where('at', '>', at).where('side', 'is not', null).where('change', '<=', revision).execute()
  return { revision, rows: rows.map(row => swapOf(row, names.address(Number(row.dao)))) }
}

export async function readSwapsAfter (db: Db, names: Names, revision: number, at: number): Promise<Since<SwapRow> | null> {
  const upTo = await readRevision(db)
  if (upTo === revision) return { revision, rows: [] }
  if (upTo - revision > TOO_MUCH) return null
  const rows = await db.selectFrom('events').select(SWAP_COLUMNS)
    .where('change', '>', revision).where('change', '<=', upTo).where('at', '>', at).where('side', 'is not', null).execute()
  return { revision: upTo, rows: rows.map(row => swapOf(row, names.address(Number(row.dao)))) }
}

export async function readSwapsPage (db: Db, names: Names, after: number, limit: number): Promise<Since<SwapRow>> {
  const rows = await db.selectFrom('events').select(SWAP_COLUMNS)
    .where('change', '>', after).where('side', 'is not', null).orderBy('change').limit(limit).execute()
  return { revision: Number(rows.at(-1)?.change ?? after), rows: rows.map(row => swapOf(row, names.address(Number(row.dao)))) }
}

export async function readOrigins (db: Db, names: Names, { u64Key }: ColumnTypes, keys: ReadonlyArray<{ dao: string, seq: bigint }>) {
  const found: Array<{ dao: string, seq: bigint, signature: string, eventIndex: number }> = []
  for (let at = 0; at < keys.length; at += KEYS) {
    const pairs = keys.slice(at, at + KEYS).flatMap(({ dao, seq }) => {
      const id = names.id(dao)
      return id === undefined ? [] : [sql`(cast(${id} as integer), cast(${seqText(seq)} as ${sql.raw(u64Key)}))`]
    })
    if (pairs.length === 0) continue
    const { rows } = await sql<Pick<Tables['events'], 'dao' | 'seq' | 'signature' | 'place'>>`
      with wanted (dao, seq) as (values ${sql.join(pairs)})
      select e.dao, e.seq, e.signature, e.place from wanted join events e on e.dao = wanted.dao and e.seq = wanted.seq`.execute(db)
    found.push(...rows.map(row => ({
      dao: names.address(Number(row.dao)), seq: BigInt(row.seq), signature: row.signature, eventIndex: Number(row.place)
    })))
  }
  return found
}

export async function readUnattributed (db: Db, keys: readonly string[]): Promise<UnattributedEvent[]> {
  const rows = await db.selectFrom('unplaced').selectAll().where(eb => eb.or([eb('key_a', 'in', keys), eb('key_b', 'in', keys)])).execute()
  return rows.map(unattributedOf)
}
