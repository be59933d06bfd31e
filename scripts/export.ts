/**
 * Writes stored trades to a file: `npm run export -- --what trades --format csv --from 2026-01-01 --to 2026-01-31 --out trades.csv`. It only reads, and may
 * run beside the service. Amounts are raw units; `--store` is sqlite:FOLDER (sqlite:./data) or a postgres URL. Days are UTC, both included.
 */
import { createWriteStream, existsSync } from 'node:fs'
import { join } from 'node:path'
import { once } from 'node:events'
import { fileWriter, ParquetWriter } from 'hyparquet-writer'
import type { Trade } from '../lib/history/rules/types.js'
import { openPostgresReader } from '../lib/history/replicas/reader.js'
import { parseDatabaseUrl } from '../lib/history/store/postgres-connection.js'
import { openSqliteReader } from '../lib/history/store/sqlite.js'
import type { Store } from '../lib/history/store/store.js'
import { utcDay } from '../lib/query.js'
import { DAY } from '../lib/time.js'
import { readCommandLine, runScript, UsageError } from './command-line.js'

const PAGE = 2000
const USAGE = 'export --what trades --format csv|ndjson|parquet --out FILE [--from YYYY-MM-DD] [--to YYYY-MM-DD] [--store sqlite:FOLDER|postgres://…]'

const COLUMNS = ['pool_id', 'trade_id', 'signature', 'slot', 'block_index', 'event_index', 'time', 'side', 'input', 'output', 'fee', 'maker', 'base_reserve', 'quote_reserve'] as const
type Cell = string | number | null
const cellsOf = ({ dao, seq, signature, slot, blockIndex, eventIndex, at, swap, maker, reserves }: Trade): Cell[] => [
  dao, String(seq), signature, slot, blockIndex, eventIndex, at, swap.side, String(swap.input), String(swap.output), swap.fee === null ? null : String(swap.fee),
  maker, reserves === null ? null : String(reserves.base), reserves === null ? null : String(reserves.quote)
]
const INTEGERS = new Set<string>(['slot', 'block_index', 'event_index', 'time'])

interface Sink { write (rows: Cell[][]): Promise<void>, end (): Promise<void> }

function textSink (path: string, format: 'csv' | 'ndjson'): Sink {
  const file = createWriteStream(path)
  const line = (cells: Cell[]) => format === 'csv'
    ? cells.map(cell => cell ?? '').join(',')
    : JSON.stringify(Object.fromEntries(COLUMNS.map((name, at) => [name, cells[at]])))
  if (format === 'csv') file.write(`${COLUMNS.join(',')}\n`)
  return {
    async write (rows) { if (!file.write(rows.map(row => `${line(row)}\n`).join(''))) await once(file, 'drain') },
    async end () {
      file.end()
      await once(file, 'close')
    }
  }
}

/** A row group for each page, so that memory does not grow with the file. */
function parquetSink (path: string): Sink {
  const schema = [{ name: 'root', num_children: COLUMNS.length }, ...COLUMNS.map(name => INTEGERS.has(name)
    ? { name, type: 'INT64' as const, repetition_type: 'OPTIONAL' as const }
    : { name, type: 'BYTE_ARRAY' as const, converted_type: 'UTF8' as const, repetition_type: 'OPTIONAL' as const })]
  const writer = new ParquetWriter({ writer: fileWriter(path), schema })
  return {
    async write (rows) {
      if (rows.length === 0) return
      await writer.write({ columnData: COLUMNS.map((name, at) => ({ name, data: rows.map(row => INTEGERS.has(name) && row[at] !== null ? BigInt(row[at]!) : row[at]!) })), rowGroupSize: rows.length })
    },
    async end () { await writer.finish() }
  }
}

async function open (place: string): Promise<Store> {
  if (/^postgres(ql)?:/.test(place) && URL.canParse(place)) return (await openPostgresReader(parseDatabaseUrl(place))).store
  const folder = place.replace(/^sqlite:/, '')
  if (folder === place || !existsSync(join(folder, 'history.db'))) throw new UsageError(`there is no history at ${place}`)
  return await openSqliteReader(folder)
}

function day (text: string | undefined, name: string): number | undefined {
  const found = text === undefined ? undefined : utcDay.read(text)
  if (text !== undefined && found === undefined) throw new UsageError(`--${name}: ${utcDay.expects}`)
  return found
}

const option = { type: 'string' } as const
const { values } = readCommandLine(USAGE, { what: option, format: option, from: option, to: option, out: option, store: option })

async function run (): Promise<void> {
  const { what, format, out, store: place = 'sqlite:./data' } = values
  if (what !== 'trades' || out === undefined || (format !== 'csv' && format !== 'ndjson' && format !== 'parquet')) throw new UsageError(USAGE)
  const [from, to] = [day(values.from, 'from') ?? 0, day(values.to, 'to') ?? 100_000]
  const store = await open(place)
  try {
    const daos = [...(await store.load()).sequenceRanges.keys()].sort()
    let [total, done] = [0, 0]
    for (const dao of daos) for (const { trades } of await store.daysOf(dao, { from, to, limit: 100_000 })) total += trades
    const sink = format === 'parquet' ? parquetSink(out) : textSink(out, format)
    for (const dao of daos) {
      for (let before: bigint | undefined; ;) {
        const trades = await store.trades({ dao, since: from * DAY, until: (to + 1) * DAY - 1, limit: PAGE, ...(before !== undefined && { before }) })
        await sink.write(trades.map(cellsOf))
        done += trades.length
        if (process.stderr.isTTY) process.stderr.write(`\r\x1b[2K${'█'.repeat(Math.min(30, Math.round(done / Math.max(total, 1) * 30))).padEnd(30, '░')} ${done} of ${total} trades`)
        if (trades.length < PAGE) break
        before = trades.at(-1)!.seq
      }
    }
    await sink.end()
    process.stderr.write(`${process.stderr.isTTY ? '\n' : ''}${done} trades written to ${out}\n`)
  } finally {
    await store.close()
  }
}

await runScript(run)
