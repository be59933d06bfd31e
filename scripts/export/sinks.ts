import { closeSync, existsSync, openSync, realpathSync, renameSync, rmSync, statSync, writeSync } from 'node:fs'
import { fileWriter, ParquetWriter } from 'hyparquet-writer'
import { csvCell } from '../../public/market/csv.js'

export type Cell = string | number | boolean | null
export type Cells = Cell[]
/** A name, and of what its values are unless they are texts. */
export interface Column { name: string, type?: 'INT64' | 'BOOLEAN' }

/** A file that rows are written to, page by page. */
interface Sink {
  write (rows: Cells[]): Promise<void>
  end (): Promise<void>
}

function textSink (path: string, columns: readonly Column[], format: string): Sink {
  const file = openSync(path, 'w')
  const put = (text: string): void => {
    for (let rest = Buffer.from(text); rest.length > 0;) rest = rest.subarray(writeSync(file, rest))
  }
  const line = (cells: Cells): string => format === 'csv'
    ? cells.map(csvCell).join(',')
    : JSON.stringify(Object.fromEntries(columns.map(({ name }, at) => [name, cells[at]])))
  if (format === 'csv') put(`${columns.map(({ name }) => name).join(',')}\n`)
  return {
    write: async rows => put(rows.map(row => `${line(row)}\n`).join('')),
    end: async () => closeSync(file)
  }
}

/** A row group for each page, so that memory does not grow with the file. */
function parquetSink (path: string, columns: readonly Column[]): Sink {
  const kinds = columns.map(({ name, type }) => ({
    name,
    repetition_type: 'OPTIONAL' as const,
    ...type === undefined ? { type: 'BYTE_ARRAY' as const, converted_type: 'UTF8' as const } : { type }
  }))
  const schema = [{ name: 'root', num_children: columns.length }, ...kinds]
  const writer = new ParquetWriter({ writer: fileWriter(path), schema })
  return {
    async write (rows) {
      if (rows.length === 0) return
      const columnData = columns.map(({ name, type }, at) =>
        ({ name, data: rows.map(({ [at]: cell = null }) => type === 'INT64' && cell !== null ? BigInt(cell) : cell) }))
      await writer.write({ columnData, rowGroupSize: rows.length })
    },
    async end () { await writer.finish() }
  }
}

/**
 * Has `fill` write a file, which is there under its name once it is whole; until then an older one is. What is no file,
 * such as /dev/stdout, is written to as it is. `format`: csv, ndjson or parquet.
 */
export async function writeFile (
  path: string, format: string, columns: readonly Column[], fill: (write: Sink['write']) => Promise<void>
): Promise<void> {
  const isThere = existsSync(path)
  const isFile = !isThere || statSync(path).isFile()
  const target = isThere && isFile ? realpathSync(path) : path
  const part = isFile ? `${target}.${process.pid}.part` : path
  try {
    const sink = format === 'parquet' ? parquetSink(part, columns) : textSink(part, columns, format)
    await fill(sink.write)
    await sink.end()
    if (isFile) renameSync(part, target)
  } finally {
    if (isFile) rmSync(part, { force: true })
  }
}
