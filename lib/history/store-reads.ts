import { sql, type Kysely, type RawBuilder } from 'kysely'
import { intervalOf, segmentOf, seqText, swapOf, unplacedOf } from './rows.js'
import type { DayRow, Since, StoreState, SwapRow, UnplacedEvent } from './store.js'
import type { ColumnTypes, Tables } from './tables.js'

type Db = Kysely<Tables>
/** DAO addresses by the store's numbers, and back. */
export interface Names {
  address (id: number): string
  id (address: string): number | undefined
}

const SWAP_COLUMNS = ['change', 'dao', 'seq', 'at', 'side', 'input', 'output', 'fee'] as const
/** From here on, reading a window afresh by its times is cheaper than reading what is new. */
const TOO_MUCH = 50_000
const KEYS = 200

export async function readMeta (db: Db): Promise<Map<string, string>> {
  const rows = await db.selectFrom('meta').selectAll().execute()
  return new Map(rows.map(({ key, value }) => [key, value]))
}

export async function readState (db: Db, names: Names): Promise<StoreState> {
  const meta = await readMeta(db)
  const intervals: StoreState['intervals'] = new Map()
  for (const row of await db.selectFrom('intervals').selectAll().orderBy('dao').orderBy('low').execute()) {
    const dao = names.address(Number(row.dao))
    const list = intervals.get(dao)
    if (list === undefined) intervals.set(dao, [intervalOf(row)])
    else list.push(intervalOf(row))
  }
  const unplaced = await db.selectFrom('unplaced').select(['key_a', 'key_b']).execute()
  const proposals = await db.selectFrom('proposals').selectAll().execute()
  const missing = await db.selectFrom('missing').selectAll().orderBy('slot', 'desc').execute()
  const rates = await db.selectFrom('rates').selectAll().execute()
  const daos = await db.selectFrom('daos').selectAll().where('first_swap', 'is not', null).execute()
  const odd = await db.selectFrom('events').select(['dao', 'at']).where('reason', 'is not', null).orderBy('at').execute()
  const segments = await db.selectFrom('segments').selectAll().orderBy('newest_slot', 'desc').execute()
  return {
    segments: segments.map(segmentOf),
    ended: meta.get('ended') === 'true',
    intervals,
    proposals: new Map(proposals.map(({ proposal, dao }) => [proposal, names.address(Number(dao))])),
    unplacedKeys: new Set(unplaced.flatMap(row => [row.key_a, row.key_b]).filter(key => key !== null)),
    missing: missing.map(({ signature, slot, at, reason }) => ({ signature, slot: Number(slot), at: at === null ? null : Number(at), reason })),
    rates: new Map(rates.map(({ bps, swaps }) => [bps, Number(swaps)])),
    firstSwaps: new Map(daos.map(({ address, first_swap: at }) => [address, Number(at)])),
    unreadable: new Map(odd.map(({ dao, at }) => [names.address(Number(dao)), Number(at)])),
    events: Number(meta.get('events') ?? 0),
    swaps: Number(meta.get('swaps') ?? 0)
  }
}

/** The change that the last committed step took: what a reader may have seen of it is all or nothing. */
export const readChange = async (db: Db): Promise<number> => Number((await readMeta(db)).get('change') ?? 0)

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

const wantedDays = (pairs: RawBuilder<unknown>[]) => sql<Tables['days']>`
  with wanted (dao, day) as (values ${sql.join(pairs)})
  select days.* from wanted join days on days.dao = wanted.dao and days.day = wanted.day`

const dayOfRow = (row: Tables['days'], names: Names): DayRow => ({
  dao: names.address(Number(row.dao)), day: Number(row.day), base: BigInt(row.base), quote: BigInt(row.quote), trades: Number(row.trades)
})

export async function readDaysAfter (db: Db, names: Names, change: number): Promise<Since<DayRow>> {
  const upTo = await readChange(db)
  if (upTo === change) return { change, rows: [] }
  const rows = await db.selectFrom('days').selectAll().where('change', '>', change).where('change', '<=', upTo).execute()
  return { change: upTo, rows: rows.map(row => dayOfRow(row, names)) }
}

export async function readSwapsSince (db: Db, names: Names, at: number): Promise<Since<SwapRow>> {
  const change = await readChange(db)
  const rows = await db.selectFrom('events').select(SWAP_COLUMNS)
    .where('at', '>', at).where('side', 'is not', null).where('change', '<=', change).execute()
  return { change, rows: rows.map(row => swapOf(row, names.address(Number(row.dao)))) }
}

export async function readSwapsAfter (db: Db, names: Names, change: number, at: number): Promise<Since<SwapRow> | null> {
  const upTo = await readChange(db)
  if (upTo === change) return { change, rows: [] }
  if (upTo - change > TOO_MUCH) return null
  const rows = await db.selectFrom('events').select(SWAP_COLUMNS)
    .where('change', '>', change).where('change', '<=', upTo).where('at', '>', at).where('side', 'is not', null).execute()
  return { change: upTo, rows: rows.map(row => swapOf(row, names.address(Number(row.dao)))) }
}

export async function readSwapsPage (db: Db, names: Names, after: number, limit: number): Promise<Since<SwapRow>> {
  const rows = await db.selectFrom('events').select(SWAP_COLUMNS)
    .where('change', '>', after).where('side', 'is not', null).orderBy('change').limit(limit).execute()
  return { change: Number(rows.at(-1)?.change ?? after), rows: rows.map(row => swapOf(row, names.address(Number(row.dao)))) }
}

export async function readOrigins (db: Db, names: Names, { u64Key }: ColumnTypes, keys: ReadonlyArray<{ dao: string, seq: bigint }>) {
  const found: Array<{ dao: string, seq: bigint, signature: string, place: number }> = []
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
      dao: names.address(Number(row.dao)), seq: BigInt(row.seq), signature: row.signature, place: Number(row.place)
    })))
  }
  return found
}

export async function readUnplaced (db: Db, keys: readonly string[]): Promise<UnplacedEvent[]> {
  const rows = await db.selectFrom('unplaced').selectAll().where(eb => eb.or([eb('key_a', 'in', keys), eb('key_b', 'in', keys)])).execute()
  return rows.map(unplacedOf)
}
