/** Moves a history from one engine to another, row for row. Both are held by this process alone. */
import { sql, type Kysely } from 'kysely'
import { unusable } from '../../lib/errors.js'
import { seqText } from '../../lib/history/rules/mapping.js'
import type { Engine } from '../../lib/history/store/create-store.js'
import { putMeta, putRows, readMeta } from '../../lib/history/store/view.js'
import type { Tables } from '../../lib/history/store/tables.js'

export interface CopyOptions {
  from: Engine
  to: Engine
  /** Told how many rows of all have been copied and compared. */
  onProgress?: (rows: number, of: number) => void
  /** Ends it between two pages; the next run goes on from there. */
  signal?: AbortSignal
  pageSize?: number
}

export interface Copied {
  program: string
  /** Rows by table, equal on both sides. */
  rows: Record<string, number>
}

type Table = Exclude<keyof Tables, 'meta'>
type Row = Record<string, string | null>

/** By their keys, in the order of which rows are copied and compared. */
const KEYS: Record<Table, string[]> = {
  events: ['revision'],
  candles: ['dao', 'width', 'start'],
  closes: ['dao', 'day'],
  makers: ['day', 'dao', 'maker'],
  daos: ['id'],
  sequence_ranges: ['dao', 'first_seq'],
  missing: ['signature'],
  fee_rates: ['dao', 'bps']
}
const TABLES = Object.keys(KEYS) as Table[]
const SEQS = new Set(['seq', 'first_seq', 'last_seq', 'pending_seq'])
const TEXTS = new Set(['maker', 'signature', 'bps', 'proposal'])
const PAGE_SIZE = 2000
/** What only a leader tells, of itself (`lib/history/replicas/leader-progress.ts`). */
export const LEADER_NOTES = ['progress'] as const
/** Of this copy, and of the process that leads there. */
const OWN_NOTES = new Set<string>(['copying', 'epoch', ...LEADER_NOTES])

/** In the form that every engine takes. */
const plainRow = (row: Record<string, string | number | null>): Row => Object.fromEntries(Object.entries(row).map(
  ([name, value]) => [name, value === null ? null : SEQS.has(name) ? seqText(BigInt(value)) : String(value)]))

/** The columns of the key, texts by their bytes in every engine. */
const keysOf = ({ types }: Engine, table: Table) => KEYS[table].map(key =>
  TEXTS.has(key) && types.rows === 'records' ? sql`${sql.ref(key)} collate "C"` : sql.ref(key))

/** The rows behind `after` in the order of the keys. */
async function rowsBehind (
  db: Kysely<Tables>, engine: Engine, table: Table, after: Row | undefined, limit: number
): Promise<Row[]> {
  const keys = sql.join(keysOf(engine, table))
  // numbers as numbers: SQLite orders every text behind them
  const values = KEYS[table].map(key => TEXTS.has(key) || SEQS.has(key) ? after?.[key] : Number(after?.[key]))
  const behind = after === undefined ? sql`` : sql`where (${keys}) > (${sql.join(values)})`
  const { rows } = await sql<Row>`
    select * from ${sql.table(table)} ${behind} order by ${keys} limit ${limit}`.execute(db)
  return rows.map(plainRow)
}

/** Up to it a table has been copied. */
async function lastRow (engine: Engine, table: Table): Promise<Row | undefined> {
  const keys = sql.join(keysOf(engine, table).map(key => sql`${key} desc`))
  const { rows: [last] } = await engine.reading(db =>
    sql<Row>`select * from ${sql.table(table)} order by ${keys} limit 1`.execute(db))
  return last && plainRow(last)
}

async function numberOf ({ reading }: Engine, table: Table): Promise<number> {
  const { rows: [found] } = await reading(db =>
    sql<{ n: number }>`select count(*) as n from ${sql.table(table)}`.execute(db))
  return found!.n
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
  if (mark === undefined && (await numberOf(to, 'events') > 0 || meta.has('indexedRanges'))) {
    throw unusable('the target holds a history of its own: name an empty one')
  }
  await to.writing(async db => {
    for (const table of TABLES) await sql`${sql.raw(to.types.empty)} ${sql.table(table)}`.execute(db)
    await putMeta(db, { copying: state, program })
  })
}

/** Throws HISTORY_UNAVAILABLE where a row differs. */
function checkSame (table: Table, rows: readonly Row[], copied: readonly Row[]): void {
  const odd = rows.find((row, at) => JSON.stringify(row) !== JSON.stringify(copied[at]))
  if (odd === undefined) return
  const keys = KEYS[table]
  throw unusable(`the copy differs from the source: ${table}, ${keys.join(' ')} ${keys.map(key => odd[key]).join(' ')}`)
}

/**
 * Copies a whole history, each page compared row by row before it counts; run again, it goes on. The target may be used
 * once all is copied. Throws HISTORY_UNAVAILABLE where the source is empty, the target is not, or they differ, and what
 * aborted the signal.
 */
export async function copyStore (options: CopyOptions): Promise<Copied> {
  const { from, to, onProgress, signal, pageSize = PAGE_SIZE } = options
  const meta = await from.reading(readMeta)
  const [program, revision] = [meta.get('program'), meta.get('revision')]
  if (meta.has('copying')) throw unusable('the source is itself an unfinished copy')
  if (program === undefined || revision === undefined) throw unusable('the source holds no history')
  await prepareTarget(options, program, `${program} ${revision}`)

  const rows: Record<string, number> = {}
  let [total, copied] = [0, 0]
  for (const table of TABLES) {
    total += rows[table] = await numberOf(from, table)
    copied += await numberOf(to, table)
  }
  for (const table of TABLES) {
    for (let after = await lastRow(to, table); ;) {
      signal?.throwIfAborted()
      const some = await from.reading(db => rowsBehind(db, from, table, after, pageSize))
      if (some.length === 0) break
      await to.writing(async db => {
        await putRows({ db, types: to.types }, table, some as unknown as Array<Tables[Table]>)
        checkSame(table, some, await rowsBehind(db, to, table, after, pageSize))
      })
      onProgress?.(copied += some.length, total)
      after = some.at(-1)
    }
  }
  await to.writing(async db => {
    await putMeta(db, Object.fromEntries([...meta].filter(([key]) => !OWN_NOTES.has(key))))
    await db.deleteFrom('meta').where('key', '=', 'copying').execute()
  })
  return { program, rows }
}
