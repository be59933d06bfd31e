/** Moves a history from one engine to another, row for row. Both are held by this process alone. */
import { sql, type Kysely, type RawBuilder } from 'kysely'
import { seqText } from './store/mapping.js'
import type { Engine } from './store/create-store.js'
import { unusable } from './store/failures.js'
import { putRows } from './store/inserts.js'
import { LEADER_NOTES } from './store/state.js'
import { putMeta, readMeta } from './store/view.js'
import type { Tables } from './store/tables.js'

export interface CopyOptions {
  from: Engine
  to: Engine
  /** Told of rows copied, then of rows compared, of all. */
  onProgress?: (what: 'copied' | 'compared', rows: number, of: number) => void
  /** Ends it between two pages; the next run goes on from there. */
  signal?: AbortSignal
  pageSize?: number
}

export interface Copied {
  program: string
  /** Rows by table, equal on both sides. */
  rows: Record<string, number>
}

type Table = Exclude<keyof Tables, 'meta' | 'accounts'>
type Row = Record<string, string | null>

/** By their keys, in the order of which rows are copied and compared. */
const KEYS: Record<Table, string[]> = {
  events: ['revision'],
  minutes: ['dao', 'start'],
  hours: ['dao', 'start'],
  days: ['dao', 'start'],
  closes: ['dao', 'day'],
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
const TABLES = Object.keys(KEYS) as Table[]
const SEQS = new Set(['seq', 'first_seq', 'last_seq', 'pending_seq'])
const TEXTS = new Set(['maker', 'signature', 'bps', 'proposal', 'newest', 'what'])
const PAGE_SIZE = 2000
/** Of this copy, and of the process that leads there. */
const OWN_NOTES = new Set<string>(['copying', 'epoch', ...LEADER_NOTES])

/** In the form that every engine takes. */
const plainRow = (row: Record<string, string | number | null>): Row => Object.fromEntries(Object.entries(row).map(
  ([name, value]) => [name, value === null ? null : SEQS.has(name) ? seqText(BigInt(value)) : String(value)]))

const rowsOf = async <R = Row>({ reading }: Engine, query: RawBuilder<R>): Promise<R[]> =>
  (await reading(db => query.execute(db))).rows

/** The rows behind `after` in the order of the keys, texts by their bytes in every engine. */
async function page (engine: Engine, table: Table, after: Row | undefined, size = PAGE_SIZE): Promise<Row[]> {
  const bytes = engine.types.rows === 'records' ? sql` collate "C"` : sql``
  const keys = sql.join(KEYS[table].map(key => TEXTS.has(key) ? sql`${sql.ref(key)}${bytes}` : sql.ref(key)))
  // numbers as numbers: SQLite orders every text behind them
  const values = KEYS[table].map(key => TEXTS.has(key) || SEQS.has(key) ? after?.[key] : Number(after?.[key]))
  const behind = after === undefined ? sql`` : sql`where (${keys}) > (${sql.join(values)})`
  const query = sql<Row>`select * from ${sql.table(table)} ${behind} order by ${keys} limit ${size}`
  return (await rowsOf(engine, query)).map(plainRow)
}

const empty = (db: Kysely<Tables>, { types }: Engine, table: Table | 'accounts') =>
  sql`${sql.raw(types.empty)} ${sql.table(table)}`.execute(db)

async function numberOf (engine: Engine, table: Table): Promise<number> {
  const [found] = await rowsOf(engine, sql<{ n: number }>`select count(*) as n from ${sql.table(table)}`)
  return found!.n
}

/** Behind it nothing has been copied yet. */
async function newest (engine: Engine): Promise<Row | undefined> {
  const [found] = await rowsOf(engine, sql<Row>`select revision from events order by revision desc limit 1`)
  return found && plainRow(found)
}

/** Sees that the target is new, or the rest of an earlier copy; empties that of another state. */
async function prepareTarget ({ to }: CopyOptions, program: string, state: string): Promise<void> {
  const meta = await to.reading(readMeta)
  const kept = meta.get('program')
  if (kept !== undefined && kept !== program) {
    throw unusable(`the target belongs to another program: it was made for ${kept}, the source is of ${program}`)
  }
  const mark = meta.get('copying')
  if (mark === state) return
  if (mark === undefined && (await numberOf(to, 'events') > 0 || await numberOf(to, 'indexed_ranges') > 0)) {
    throw unusable('the target holds a history of its own: name an empty one')
  }
  await to.writing(async db => {
    for (const table of [...TABLES, 'accounts'] as const) await empty(db, to, table)
    await putMeta(db, { copying: state, program })
  })
}

/** Throws HISTORY_UNAVAILABLE where a row differs. */
async function compare ({ from, to, onProgress, signal, pageSize }: CopyOptions, total: number): Promise<void> {
  let compared = 0
  for (const table of TABLES) {
    for (let after: Row | undefined; ;) {
      signal?.throwIfAborted()
      const [left, right] = [await page(from, table, after, pageSize), await page(to, table, after, pageSize)]
      const at = left.findIndex((row, at) => JSON.stringify(row) !== JSON.stringify(right[at]))
      if (at >= 0 || left.length !== right.length) {
        const keys = KEYS[table].map(key => (left[at] ?? right[left.length])?.[key]).join(' ')
        throw unusable(`the copy differs from the source: ${table}, ${KEYS[table].join(' ')} ${keys}`)
      }
      if (left.length === 0) break
      onProgress?.('compared', compared += left.length, total)
      after = left.at(-1)
    }
  }
}

/**
 * Copies a whole history and compares both sides row by row before the target may be used; run again, it goes on.
 * Throws HISTORY_UNAVAILABLE where the source is empty, the target is not, or they differ, and what aborted the signal.
 */
export async function copyStore (options: CopyOptions): Promise<Copied> {
  const { from, to, onProgress, signal, pageSize } = options
  const meta = await from.reading(readMeta)
  const [program, revision] = [meta.get('program'), meta.get('revision')]
  if (meta.has('copying')) throw unusable('the source is itself an unfinished copy')
  if (program === undefined || revision === undefined) throw unusable('the source holds no history')
  await prepareTarget(options, program, `${program} ${revision}`)

  const rows: Record<string, number> = {}
  for (const table of TABLES) rows[table] = await numberOf(from, table)
  const total = Object.values(rows).reduce((sum, n) => sum + n)
  let copied = await numberOf(to, 'events')
  for (const table of TABLES) {
    if (table !== 'events') await to.writing(async db => { await empty(db, to, table) })
    for (let after = table === 'events' ? await newest(to) : undefined; ;) {
      signal?.throwIfAborted()
      const some = await page(from, table, after, pageSize)
      if (some.length === 0) break
      await to.writing(db => putRows({ db, types: to.types }, table, some as unknown as Array<Tables[Table]>))
      onProgress?.('copied', copied += some.length, total)
      after = some.at(-1)
    }
  }
  await compare(options, total)
  await to.writing(async db => {
    await putMeta(db, Object.fromEntries([...meta].filter(([key]) => !OWN_NOTES.has(key))))
    await db.deleteFrom('meta').where('key', '=', 'copying').execute()
  })
  return { program, rows }
}
