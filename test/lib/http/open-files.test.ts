import { test } from 'tap'
import { connectionsWithin, mostOpenFiles, openFilesIn } from '../../../lib/http/connections.js'

const TEXT = `Limit                     Soft Limit           Hard Limit           Units
Max resident set          unlimited            unlimited            bytes
Max open files            1024                 524288               files
`

test('a process may have as many files open as its limit says', t => {
  t.equal(openFilesIn(TEXT), 1024)
  t.equal(openFilesIn(TEXT.replace('1024', 'unlimited')), Infinity)
  t.equal(openFilesIn(''), Infinity)
  t.ok(mostOpenFiles() > 0)
  t.end()
})

test('connections leave files for what the process itself opens', t => {
  t.same([Infinity, 20_000, 1024, 64, 16].map(files => connectionsWithin(files, 5_000)), [5_000, 5_000, 736, 16, 1])
  t.end()
})
