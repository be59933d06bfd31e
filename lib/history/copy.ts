/** Moves a history from one engine to another, row for row. Both must be held by this process alone. */
import { sql, type Insertable, type Kysely, type RawBuilder } from 'kysely'
import { ServiceError } from '../errors.js'
import { seqText } from './store/row-mapping.js'
import type { Engine } from './store/create-store.js'
import { putRows } from './store/inserts.js'
import { putMeta, readMeta } from './store/meta.js'
import type { Tables } from './store/table-types.js'

export interface CopyOptions {
  from: Engine
  to: Engine
  /** Told of rows copied, then of rows compared, of all. */
  onProgress?: (what: 'copied' | 'compared', rows: number, of: number) => void
  /** Ends it between two pages; the next run goes on from there. */
  signal?: AbortSignal
  /** Rows read and written at a time. */
  pageSize?: number
}

export interface Copied {
  program: string
  /** Rows by table, equal on both sides. */
  rows: Record<string, number>
  /** Sums of columns, equal on both sides. */
  sums: Record<string, bigint>
}

type Table = Exclude<keyof Tables, 'meta' | 'accounts'>
type Row = Record<string, string | null>

/** Tables copied by pages in the order of their keys, from the beginning when a copy goes on. */
const BY_KEY = ['minutes', 'hours', 'days', 'makers'] as const
const PAGED = ['events', ...BY_KEY] as const
const SMALL = [
  'daos', 'fee_rates', 'unattributed', 'sequence_ranges', 'rates', 'proposals', 'indexed_ranges', 'missing', 'late'
] as const
const TABLES = [...PAGED, ...SMALL] as const
/** Sequence numbers are text of 20 digits or numerics, integers of 64 bits numbers or text. */
const SEQS = new Set(['seq', 'first_seq', 'last_seq', 'pending_seq'])
/** Sums have decimals, so they are compared with their rows alone. */
const SUMMED: Partial<Record<Table, string[]>> = {
  events: ['input', 'output', 'fee', 'quote_fees', 'base_fees'],
  days: ['trades']
}
const KEYS: Record<Table, string[]> = {
  events: ['revision'],
  minutes: ['dao', 'start'],
  hours: ['dao', 'start'],
  days: ['dao', 'start'],
  makers: ['day', 'dao', 'maker'],
  daos: ['id'],
  unattributed: ['signature', 'event_index'],
  sequence_ranges: ['dao', 'first_seq'],
  rates: ['bps'],
  proposals: ['proposal'],
  indexed_ranges: ['newest'],
  missing: ['signature'],
  late: ['dao', 'seq', 'what'],
  fee_rates: ['dao', 'bps']
}
const PAGE_SIZE = 2000
/** Notes of the process that leads there and of this copy: they are not the history's. */
const OWN_NOTES = ['copying', 'epoch', 'reached_at', 'head_slot', 'last_day', 'proven_slot', 'lost']

const refusal = (message: string) => new ServiceError('HISTORY_UNAVAILABLE', message)

/** In the form that every engine takes. */
const plainRow = (row: Record<string, string | number | null>): Row => Object.fromEntries(Object.entries(row).map(
  ([name, value]) => [name, value === null ? null : SEQS.has(name) ? seqText(BigInt(value)) : String(value)]))

type Work = Parameters<NonNullable<Engine['writing']>>[0]
const reading = <T>({ db, reading = work => work(db) }: Engine, work: (db: Kysely<Tables>) => Promise<T>) =>
  reading(work)
const writing = ({ db, writing = work => db.transaction().execute(work) }: Engine, work: Work) => writing(work)
const rowsOf = async <R = Row>(engine: Engine, query: RawBuilder<R>): Promise<R[]> =>
  (await reading(engine, db => query.execute(db))).rows

/** The rows behind `after` in the order of the keys. */
async function page (engine: Engine, table: Table, after: Row | undefined, size = PAGE_SIZE): Promise<Row[]> {
  const keys = sql.join(KEYS[table].map(key => sql.ref(key)))
  // numbers as numbers: SQLite orders every text behind them
  const values = KEYS[table].map(key => key === 'maker' ? after?.[key] : Number(after?.[key]))
  const behind = after === undefined ? sql`` : sql`where (${keys}) > (${sql.join(values)})`
  const query = sql<Row>`select * from ${sql.table(table)} ${behind} order by ${keys} limit ${size}`
  return (await rowsOf(engine, query)).map(plainRow)
}

/** A small table as lines of text in an order that is the same in every engine. */
async function whole (engine: Engine, table: Table): Promise<Row[]> {
  const rows = await rowsOf(engine, sql<Row>`select * from ${sql.table(table)}`)
  const keyOf = (row: Row) => KEYS[table].map(key => row[key]).join(' ')
  return rows.map(plainRow).sort((a, b) => keyOf(a) < keyOf(b) ? -1 : 1)
}

async function numberOf (engine: Engine, table: Table): Promise<number> {
  const [found] = await rowsOf(engine, sql<{ n: number | string }>`select count(*) as n from ${sql.table(table)}`)
  return Number(found!.n)
}

/** The revision of the newest event. */
async function newest (engine: Engine): Promise<Row | undefined> {
  const [found] = await rowsOf(engine, sql<Row>`select max(revision) as revision from events`)
  return found?.revision == null ? undefined : plainRow(found)
}

const insert = (trx: Parameters<Work>[0], { types }: Engine, table: Table, rows: Row[]): Promise<void> =>
  putRows({ trx, types }, table, rows as unknown as Array<Insertable<Tables[Table]>>)

/** Sees that the target is new, or the rest of an earlier copy; empties what one of another state has left. */
async function prepareTarget ({ to }: CopyOptions, program: string, state: string): Promise<void> {
  const meta = await reading(to, readMeta)
  const kept = meta.get('program')
  if (kept !== undefined && kept !== program) {
    throw refusal(`the target belongs to another program: it was made for ${kept}, the source is of ${program}`)
  }
  const mark = meta.get('copying')
  if (mark === state) return
  if (mark === undefined && (await numberOf(to, 'events') > 0 || await numberOf(to, 'indexed_ranges') > 0)) {
    throw refusal('the target holds a history of its own: name an empty one')
  }
  await writing(to, async trx => {
    for (const table of [...TABLES, 'accounts']) await sql`${sql.raw(to.types.empty)} ${sql.table(table)}`.execute(trx)
    await putMeta(trx, { copying: state, program })
  })
}

/** The sums of both sides, compared row by row on the way. */
async function compare (
  { from, to, onProgress, signal, pageSize }: CopyOptions, total: number
): Promise<Copied['sums']> {
  const sums: Record<string, bigint> = {}
  let compared = 0
  for (const table of PAGED) {
    for (let after: Row | undefined; ;) {
      signal?.throwIfAborted()
      const [left, right] = [await page(from, table, after, pageSize), await page(to, table, after, pageSize)]
      const at = left.findIndex((row, at) => JSON.stringify(row) !== JSON.stringify(right[at]))
      if (at >= 0 || left.length !== right.length) {
        const keys = KEYS[table].map(key => (left[at] ?? right[left.length])?.[key]).join(' ')
        throw refusal(`the copy differs from the source: ${table}, ${KEYS[table].join(' ')} ${keys}`)
      }
      if (left.length === 0) break
      for (const row of left) {
        for (const column of SUMMED[table] ?? []) {
          sums[`${table}.${column}`] = (sums[`${table}.${column}`] ?? 0n) + BigInt(row[column] ?? 0)
        }
      }
      onProgress?.('compared', compared += left.length, total)
      after = left.at(-1)
    }
  }
  for (const table of SMALL) {
    const [left, right] = [await whole(from, table), await whole(to, table)]
    if (JSON.stringify(left) !== JSON.stringify(right)) throw refusal(`the copy differs from the source: ${table}`)
  }
  return sums
}

/**
 * Copies a whole history, compares both sides row by row, and only then lets the target be used. Run again, it goes on
 * where it was, or begins anew where the source has changed. Throws HISTORY_UNAVAILABLE when the source holds nothing,
 * the target something else, or they differ in the end; and what the signal was aborted with.
 */
export async function copyStore (options: CopyOptions): Promise<Copied> {
  const { from, to, onProgress, signal, pageSize } = options
  const meta = await reading(from, readMeta)
  const [program, revision] = [meta.get('program'), meta.get('revision')]
  if (meta.has('copying')) throw refusal('the source is itself an unfinished copy')
  if (program === undefined || revision === undefined) throw refusal('the source holds no history')
  await prepareTarget(options, program, `${program} ${revision}`)

  let total = 0
  for (const table of PAGED) total += await numberOf(from, table)
  let copied = await numberOf(to, 'events')
  for (const table of PAGED) {
    if (table !== 'events') {
      await writing(to, async trx => { await sql`${sql.raw(to.types.empty)} ${sql.table(table)}`.execute(trx) })
    }
    for (let after = table === 'events' ? await newest(to) : undefined; ;) {
      signal?.throwIfAborted()
      const rows = await page(from, table, after, pageSize)
      if (rows.length === 0) break
      await writing(to, trx => insert(trx, to, table, rows))
      onProgress?.('copied', copied += rows.length, total)
      after = rows.at(-1)
    }
  }
  const small = await Promise.all(SMALL.map(async table => [table, await whole(from, table)] as const))
  await writing(to, async trx => {
    for (const [table, rows] of small) {
      await sql`delete from ${sql.table(table)}`.execute(trx)
      await insert(trx, to, table, rows)
    }
  })
  const sums = await compare(options, total)
  const rows: Record<string, number> = {}
  for (const table of TABLES) rows[table] = await numberOf(to, table)
  await writing(to, async trx => {
    await putMeta(trx, Object.fromEntries([...meta].filter(([key]) => !OWN_NOTES.includes(key))))
    await trx.deleteFrom('meta').where('key', '=', 'copying').execute()
  })
  return { program, rows, sums }
}
