import { test } from 'tap'
import { createDaily } from '../../../../lib/history/volumes/daily.js'
import { sumOf } from '../../../../lib/history/rules/fixed-point.js'
import type { CandleRow } from '../../../../lib/history/rules/candles.js'
import type { Store } from '../../../../lib/history/store/create-store.js'
import { createRandom } from '../../../../simulator/random.js'
import { DAY } from '../../../../lib/time.js'

/** Day sums as a store keeps them: each by the change that wrote it last. */
function memoryStore () {
  const rows = new Map<string, CandleRow & { change: number }>()
  let revision = 0
  let pages = 0
  return {
    rows,
    get pages () { return pages },
    put (row: CandleRow): void { rows.set(`${row.start} ${row.dao}`, { ...row, change: ++revision }) },
    async daysAfter (after: number, limit = Infinity) {
      pages++
      const found = [...rows.values()].filter(({ change }) => change > after).sort((a, b) =>
        a.change - b.change).slice(0, limit)
      return { revision: found.length === limit ? found.at(-1)!.change : revision, rows: found }
    }
  }
}

const DAYS = 60
const DAOS = Array.from({ length: 50 }, (_, at) => `DAO ${at}`)

test('day sums read page by page, whatever the order they came in, are those that are stored', async t => {
  const random = createRandom(8)
  const store = memoryStore()
  const daily = createDaily(store as unknown as Store)
  const put = (dao: string, day: number): void => {
    const trades = 1 + random.int(9)
    store.put({
      dao,
      start: day * DAY,
      base: BigInt(random.int(1e9)),
      quote: BigInt(random.int(1e9)),
      trades,
      fees: BigInt(random.int(1e6)),
      unknownFees: random.int(2),
      prices: null
    } as CandleRow)
  }
  const check = async (what: string): Promise<void> => {
    const read = await daily()
    const expected = new Map<string, Record<string, unknown>>()
    for (const { dao, start, base, quote, trades, fees, unknownFees } of store.rows.values()) {
      expected.set(dao, {
        ...expected.get(dao),
        [start / DAY]: {
          base: sumOf(base, trades), quote: sumOf(quote, trades), trades, fees: sumOf(fees, trades), unknownFees
        }
      })
    }
    const found = new Map([...read].map(([dao, days]) => [dao, Object.fromEntries(days)]))
    for (const dao of DAOS) t.same(found.get(dao) ?? {}, expected.get(dao) ?? {}, `${what}: ${dao}`)
  }

  for (let day = 0; day < DAYS; day++) for (const dao of DAOS) put(dao, day)
  await check('from the beginning')
  t.ok(store.pages > 2, `${store.pages} pages`)
  for (let day = DAYS + 20; day > DAYS; day--) for (const dao of DAOS) put(dao, day)
  await check('the newest first')
  for (let i = 0; i < 3000; i++) put(DAOS[random.int(DAOS.length)]!, random.int(DAYS + 25))
  await check('changed')
})

test('what has been read stays as it was', async t => {
  const store = memoryStore()
  const daily = createDaily(store as unknown as Store)
  const row = (day: number, trades: number) => ({
    dao: 'A', start: day * DAY, base: 1n, quote: 2n, trades, fees: 3n, unknownFees: 0
  }) as unknown as CandleRow
  for (let day = 0; day < 5; day++) store.put(row(day, 1))
  const before = (await daily()).get('A')!
  const copy = JSON.stringify([...before], (_key, value: unknown) => typeof value === 'bigint' ? String(value) : value)
  for (let day = 0; day < 9; day++) store.put(row(day, 7))
  await daily()
  t.equal(
    JSON.stringify([...before], (_key, value: unknown) => typeof value === 'bigint' ? String(value) : value), copy
  )
})
