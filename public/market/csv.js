/* global document, Blob, URL */

/** Tables as files: every digit as the service gave it. */

/**
 * What a cell of a formula begins with, in narrow and in full-width letters; of a minus sign only where no plain number
 * follows.
 */
const FORMULA = /^[=+@\t\r\n＝＋＠]|^[-－](?!\d*\.?\d+$)/
/** A text that a spreadsheet would run as a formula is kept from it; numbers stay numbers. */
const harmless = text => FORMULA.test(text) ? `'${text}` : text
/**
 * Spreadsheets of many countries take a semicolon for the comma.
 * @type {(value: unknown) => string}
 */
export function csvCell (value) {
  const text = harmless(value === null || value === undefined ? '' : String(value))
  return /[",;\t\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** The text of a table: `columns` gives a name and a value for each row. */
export const csvOf = (columns, rows) => [
  Object.keys(columns), ...rows.map(row => Object.values(columns).map(value => value(row)))
]
  .map(line => line.map(csvCell).join(',')).join('\r\n') + '\r\n'

/** Hands a table to the reader as a file. */
export function downloadCsv (name, columns, rows) {
  const url = URL.createObjectURL(new Blob(['\ufeff', csvOf(columns, rows)], { type: 'text/csv;charset=utf-8' }))
  const link = document.createElement('a')
  link.href = url
  link.download = `${name.replace(/[^\w-]+/g, '-')}.csv`
  link.click()
  setTimeout(() => URL.revokeObjectURL(url), 10_000)
}

/** Columns that are fields of the records. */
export const asTheyAre = (...fields) => Object.fromEntries(fields.map(field => [field, record => record[field]]))
