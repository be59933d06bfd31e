import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { fileWriter, ParquetWriter } from 'hyparquet-writer'

export type Cell = string | number | null
export type Cells = Cell[]
/** A name and whether its values are whole numbers. */
export interface Column { name: string, isInteger?: boolean }

/** A file that rows are written to, page by page. */
export interface Sink {
  write (rows: Cells[]): Promise<void>
  end (): Promise<void>
}

/** A text that a spreadsheet would run as a formula is kept from it; what is made of digits stays as it is. */
const harmless = (text: string): string => /^[=+@\t\r＝＋＠－]|^-(?!\d+(\.\d+)?$)/.test(text) ? `'${text}` : text

/** A cell of a CSV file; spreadsheets of many countries take a semicolon for the comma. */
export function csvCell (cell: Cell): string {
  const text = harmless(cell === null ? '' : String(cell))
  return /[",;\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

function textSink (path: string, columns: readonly Column[], format: string): Sink {
  const file = createWriteStream(path)
  const line = (cells: Cells): string => format === 'csv'
    ? cells.map(csvCell).join(',')
    : JSON.stringify(Object.fromEntries(columns.map(({ name }, at) => [name, cells[at]])))
  if (format === 'csv') file.write(`${columns.map(({ name }) => name).join(',')}\n`)
  return {
    async write (rows) {
      if (!file.write(rows.map(row => `${line(row)}\n`).join(''))) await once(file, 'drain')
    },
    async end () {
      file.end()
      await once(file, 'close')
    }
  }
}

/** A row group for each page, so that memory does not grow with the file. */
function parquetSink (path: string, columns: readonly Column[]): Sink {
  const kinds = columns.map(({ name, isInteger }) => ({
    name,
    repetition_type: 'OPTIONAL' as const,
    ...isInteger === true
      ? { type: 'INT64' as const }
      : { type: 'BYTE_ARRAY' as const, converted_type: 'UTF8' as const }
  }))
  const schema = [{ name: 'root', num_children: columns.length }, ...kinds]
  const writer = new ParquetWriter({ writer: fileWriter(path), schema })
  return {
    async write (rows) {
      if (rows.length === 0) return
      const valueOf = (cell: Cell | undefined, isInteger = false) =>
        isInteger && cell != null ? BigInt(cell) : cell ?? null
      const columnData = columns.map(({ name, isInteger }, at) =>
        ({ name, data: rows.map(row => valueOf(row[at], isInteger)) }))
      await writer.write({ columnData, rowGroupSize: rows.length })
    },
    async end () { await writer.finish() }
  }
}

/** `format`: csv, ndjson or parquet. */
export const openSink = (path: string, format: string, columns: readonly Column[]): Sink =>
  format === 'parquet' ? parquetSink(path, columns) : textSink(path, columns, format)
