import { test } from 'tap'
import { csvCell } from '../../scripts/export/sinks.js'

/** The page's own, by which a browser makes its files. */
const { csvOf } = await import(new URL('../../public/market/csv.js', import.meta.url).href) as {
  csvOf (columns: Record<string, (row: string) => string>, rows: string[]): string
}

for (const [name, cell] of [
  ['export', csvCell],
  ['page', (text: string) => csvOf({ text: row => row }, [text]).slice('text\r\n'.length, -'\r\n'.length)]
] as const) {
  test(`a cell of a stranger's text runs nothing: ${name}`, t => {
    for (const text of ['=1+1', '+1', '@SUM(A1)', '-2+3', '-2+3*cmd', '＝1+1', '＋1', '＠a', '\t=1']) {
      t.equal(cell(text).replaceAll('"', ''), `'${text}`)
    }
    t.equal(cell('a;=1+1'), '"a;=1+1"', 'nor where a semicolon parts cells')
    t.equal(cell('a"b,c'), '"a""b,c"')
    for (const number of ['-2', '-0.5', '12', '0.000001']) t.equal(cell(number), number)
    t.end()
  })
}
