import { test } from 'tap'
import { csvCell } from '../../public/market/csv.js'

test('a cell of a stranger\'s text runs nothing, in a file of the page and in an export', t => {
  for (const text of ['=1+1', '+1', '@SUM(A1)', '-2+3', '-2+3*cmd', '＝1+1', '＋1', '＠a', '\t=1', '\n=1', '－1+1']) {
    t.equal(csvCell(text).replaceAll('"', ''), `'${text}`)
  }
  t.equal(csvCell('a;=1+1'), '"a;=1+1"', 'nor where a semicolon parts cells')
  t.equal(csvCell('a"b,c'), '"a""b,c"')
  for (const number of ['-2', '-0.5', '12', '0.000001']) t.equal(csvCell(number), number)
  t.end()
})
