import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { test } from 'tap'
import type { SwapRow } from '../../../../lib/history/rules/types.js'
import { createKeptSwaps } from '../../../../lib/history/volumes/kept-swaps.js'
import { createRandom } from '../../../../simulator/random.js'

const U64 = 2n ** 64n - 1n
const START = 1_780_000_000
/** More than there are buckets of seconds, so that some are shared. */
const SPAN = 200_000
const MOVES = 20_000
const swap = (changes: Partial<SwapRow> = {}): SwapRow => ({ dao: 'A', seq: 1n, at: START, side: 'buy', input: 3n, output: 7n, fee: 1n, maker: 'm', ...changes })

test(`${MOVES} random swaps put and taken are found as they were put, by number, by DAO and by second`, async t => {
  const random = createRandom(7)
  const kept = createKeptSwaps()
  const expected = new Map<string, SwapRow>()
  const amount = (): bigint => random.int(20) === 0 ? U64 - BigInt(random.int(3)) : BigInt(random.int(1_000_000))
  let most = 0
  for (let i = 0; i < MOVES; i++) {
    // three parts of growing, one of shrinking
    const isGrowing = Math.floor(i / 2_500) % 4 !== 3
    if (random.int(10) < (isGrowing ? 8 : 2)) {
      const row = swap({
        dao: `dao ${random.int(3_000)}`,
        seq: BigInt(random.int(30)) << BigInt(random.int(3) * 20),
        at: START + random.int(SPAN),
        side: random.int(2) === 0 ? 'buy' : 'sell',
        input: amount(),
        output: amount(),
        fee: random.int(5) === 0 ? null : amount(),
        maker: random.int(9) === 0 ? null : `maker ${random.int(500)}`
      })
      const key = `${row.dao} ${row.seq}`
      if (expected.has(key)) kept.remove(kept.find(row.dao, row.seq))
      kept.add(row)
      expected.set(key, row)
    } else {
      const [key, row] = [...expected].at(random.int(Math.max(1, expected.size))) ?? []
      if (key === undefined || row === undefined) continue
      kept.remove(kept.find(row.dao, row.seq))
      expected.delete(key)
    }
    most = Math.max(most, expected.size)
  }
  t.ok(most > 3_000, `${most} at once`)
  let wrong = 0
  for (const row of expected.values()) {
    const found = kept.find(row.dao, row.seq)
    if (found < 0 || JSON.stringify(Object.entries(kept.get(found)).map(String)) !== JSON.stringify(Object.entries(row).map(String))) wrong++
    if (![...kept.ofSecond(row.at)].includes(found) || ![...kept.ofDao(row.dao)].includes(found)) wrong++
  }
  t.equal(wrong, 0)
  t.equal([...new Set([...expected.values()].map(({ dao }) => dao))].reduce((sum, dao) => sum + [...kept.ofDao(dao)].length, 0), expected.size)
  t.equal([...new Set([...expected.values()].map(({ at }) => at))].reduce((sum, at) => sum + [...kept.ofSecond(at)].length, 0), expected.size)
  t.equal(kept.find('dao 1', 999n), -1)
  t.equal(kept.find('nobody', 1n), -1)
})

test('a swap without price has none, whoever traded is told apart, and an amount beyond 64 bits is refused', async t => {
  const kept = createKeptSwaps()
  const rows = [swap({ output: 0n }), swap({ seq: 2n, maker: null }), swap({ seq: 3n }), swap({ seq: 4n, side: 'sell', maker: 'n' })].map(kept.add)
  t.same(rows.map(kept.nearPrice), [NaN, 3 / 7, 3 / 7, 7 / 3])
  t.equal(kept.maker(rows[0]!), kept.maker(rows[2]!))
  t.not(kept.maker(rows[0]!), kept.maker(rows[3]!))
  t.ok(kept.maker(rows[1]!) < 0)
  t.throws(() => kept.add(swap({ seq: 5n, input: U64 + 1n })), { name: 'RangeError' })
})

test('a swap takes less than 150 bytes', async t => {
  setFlagsFromString('--expose-gc')
  const gc = runInNewContext('gc') as () => void
  const weight = (): number => {
    gc()
    const { heapUsed, arrayBuffers } = process.memoryUsage()
    return heapUsed + arrayBuffers
  }
  const before = weight()
  const kept = createKeptSwaps()
  // a power of two: the columns are full
  for (let i = 0; i < 65_536; i++) kept.add(swap({ dao: `dao ${i % 500}`, seq: BigInt(i), at: START + i, maker: `maker ${i % 300}` }))
  const bytes = (weight() - before) / 65_536
  t.ok(bytes < 150, `${bytes.toFixed(0)} bytes`)
  t.ok(kept.find('dao 1', 1n) >= 0)
})
