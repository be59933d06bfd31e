import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'tap'
import { DEFECTS, piecesOf } from './defects/defects.js'
import { KEPT } from './kept.js'

test('every defect that can be put back still fits the source', t => {
  for (const defect of DEFECTS) {
    const { name, by } = defect
    for (const { file, find, put } of piecesOf(defect)) {
      const text = readFileSync(join(import.meta.dirname, '../../..', file), 'utf8')
      t.equal(text.split(find).length, 2, `${name}: what it replaces stands once in ${file}`)
      t.not(find, put)
    }
    t.ok(KEPT.some(({ plan }) => plan.seed === by), `${name}: the world of seed ${by} is kept`)
  }
  t.end()
})
