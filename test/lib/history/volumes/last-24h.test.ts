import { test } from 'tap'
import { parseDecimal } from '../../../../lib/decimal.js'
import { scaled } from '../../../../lib/history/rules/fixed-point.js'
import type { SwapRow, Trade } from '../../../../lib/history/rules/types.js'
import type { Store } from '../../../../lib/history/store/store.js'
import { createWindow, type WindowDetail, type WindowSum } from '../../../../lib/history/volumes/last-24h.js'
import { swapVolume } from '../../../../lib/market/volume.js'
import { DAY } from '../../../../lib/time.js'
import { createRandom } from '../../../../simulator/random.js'

const RULE = { rate: parseDecimal('0.005')!, basis: 'input' } as const
const START = 1_780_000_000
const SWAPS = 2_000
const READINGS = 10_000
/** Newly arrived rows beyond this are read anew from the store. */
const MAX_NEW = 200

interface Arrived { row: SwapRow, revision: number }

/** The reads of a store that the window makes, over rows in memory; `reads` counts the whole ones. */
function memoryStore () {
  const arrived = new Map<string, Arrived>()
  let revision = 0
  const rows = (of: (one: Arrived) => boolean): SwapRow[] => [...arrived.values()].filter(of).map(({ row }) => row)
  const store = {
    reads: 0,
    arrive (row: SwapRow): void { arrived.set(`${row.dao} ${row.seq}`, { row, revision: ++revision }) },
    all: (): SwapRow[] => rows(() => true),
    async swapsSince (at: number, limit: number) {
      if (limit !== undefined) store.reads++
      const found = rows(({ row }) => row.at > at).sort((a, b) => a.at - b.at)
      const until = found[limit - 1]?.at ?? null
      return { rows: found.filter(row => until === null || row.at <= until), until, revision }
    },
    async swapsPage (change: number, limit: number) {
      const found = [...arrived.values()].filter(one => one.revision > change).sort((a, b) => a.revision - b.revision).slice(0, limit)
      return { rows: found.map(({ row }) => row), revision: found.at(-1)?.revision ?? change }
    },
    async swapsAfter (change: number, at: number) {
      const found = rows(one => one.revision > change && one.row.at > at)
      return found.length > MAX_NEW ? null : { rows: found, revision }
    },
    async daosChanged (change: number, from: number, to: number) {
      return { rows: [...new Set(rows(({ row, revision }) => revision > change && row.at >= from && row.at < to).map(({ dao }) => dao))], revision }
    },
    daosTraded: async (from: number, to: number) => [...new Set(rows(({ row }) => row.at >= from && row.at < to).map(({ dao }) => dao))],
    async lastTrades (at: number, daos?: readonly string[]) {
      const newest = new Map<string, SwapRow>()
      for (const row of rows(({ row }) => row.at <= at && row.output > 0n && (daos?.includes(row.dao) ?? true))) {
        if (row.seq > (newest.get(row.dao)?.seq ?? -1n)) newest.set(row.dao, row)
      }
      return [...newest.values()].map(row => ({ dao: row.dao, swap: row }) as unknown as Trade)
    }
  }
  return store
}

/** The same figures, each trade looked at anew. */
function counted (rows: readonly SwapRow[], dao: string, now: number) {
  const inside = rows.filter(row => row.dao === dao && row.at > now - DAY && row.at <= now)
  const volumes = inside.map(row => swapVolume(row, RULE))
  const priced = inside.filter(({ output }) => output > 0n).map(({ seq, side, input, output }) => side === 'buy' ? { seq, quote: input, base: output } : { seq, quote: output, base: input })
  const byPrice = [...priced].sort((a, b) => Number(a.quote * b.base - b.quote * a.base))
  const before = rows.filter(row => row.dao === dao && row.at <= now - DAY && row.output > 0n).sort((a, b) => Number(a.seq - b.seq)).at(-1)
  return {
    trades: inside.length,
    base: volumes.reduce((sum, { base }) => sum + scaled(base), 0n),
    quote: volumes.reduce((sum, { quote }) => sum + scaled(quote), 0n),
    makers: new Set(inside.map(({ maker }) => maker)).size,
    high: byPrice.at(-1),
    low: byPrice[0],
    close: priced.sort((a, b) => Number(a.seq - b.seq)).at(-1),
    before
  }
}

const quotient = (price: { quote: bigint, base: bigint } | null | undefined): string => price == null ? 'none' : `${price.quote * 10n ** 30n / price.base}`

test(`the window at ${READINGS} random seconds, with trades that come late or change, is each trade counted anew`, async t => {
  const random = createRandom(24)
  const store = memoryStore()
  const window = createWindow(store as unknown as Store, RULE)
  const seqs = new Map<string, bigint>()
  const made: SwapRow[] = []
  const daos = ['A', 'B', 'C']
  for (let i = 0, at = START; i < SWAPS; i++) {
    const dao = daos[random.int(daos.length)]!
    const seq = (seqs.get(dao) ?? 0n) + 1n
    seqs.set(dao, seq)
    at += random.int(400)
    const input = BigInt(1 + random.int(1_000_000))
    made.push({ dao, seq, at, maker: `maker ${random.int(40)}`, side: random.int(2) === 0 ? 'buy' : 'sell', input, output: random.int(50) === 0 ? 0n : BigInt(1 + random.int(1_000_000)), fee: input / 200n + 1n } as SwapRow)
  }
  const late: SwapRow[] = []
  let now = START
  let next = 0
  let wrong = 0
  for (let reading = 0; reading < READINGS; reading++) {
    // mostly a little on, now and then back or far ahead
    now += random.int(20) === 0 ? -random.int(500) : random.int(130)
    while (next < made.length && made[next]!.at <= now) {
      const row = made[next++]!
      if (random.int(10) === 0) late.push(row)
      else store.arrive(row)
    }
    if (late.length > 0 && random.int(4) === 0) store.arrive(late.splice(random.int(late.length), 1)[0]!)
    if (random.int(30) === 0) {
      const known = store.all()
      const row = known[random.int(Math.max(1, known.length))]
      if (row !== undefined) store.arrive({ ...row, fee: row.fee! + 1n, maker: `maker ${random.int(40)}` })
    }
    const dao = daos[random.int(daos.length)]!
    const expected = counted(store.all(), dao, now)
    await window.readDetails(now, (sums: ReadonlyMap<string, WindowSum>, detail: (dao: string) => WindowDetail, before) => {
      const [sum, one] = [sums.get(dao) ?? { base: 0n, quote: 0n, trades: 0 }, detail(dao)]
      const same = sum.trades === expected.trades && sum.base === expected.base && sum.quote === expected.quote && one.makers === expected.makers &&
        quotient(one.high) === quotient(expected.high) && quotient(one.low) === quotient(expected.low) && quotient(one.close) === quotient(expected.close)
      const { before: last } = expected
      const sameBefore = quotient(before.get(dao)) === quotient(last === undefined ? null : last.side === 'buy' ? { quote: last.input, base: last.output } : { quote: last.output, base: last.input })
      if (!same || !sameBefore) wrong++
    })
  }
  t.equal(next, SWAPS)
  t.equal(wrong, 0)
  t.ok(store.reads < 100, `${store.reads} whole readings: it is carried on, not read anew`)
})

test('read from the store page by page, while trades come and change and once more arrive than are read at once, it is the state read last', async t => {
  const random = createRandom(25)
  const store = memoryStore()
  const row = (seq: number, changes: Partial<SwapRow> = {}): SwapRow =>
    ({ dao: 'ABC'[seq % 3]!, seq: BigInt(seq), at: START + random.int(DAY / 20), maker: `maker ${random.int(40)}`, side: 'buy', input: BigInt(1 + random.int(1_000_000)), output: BigInt(1 + random.int(1_000_000)), fee: 1n, ...changes })
  for (let seq = 1; seq <= 9_000; seq++) store.arrive(row(seq))
  const read = store.swapsSince
  let pages = 0
  store.swapsSince = async (at, limit) => {
    const page = await read(at, limit)
    t.ok(limit !== undefined && page.rows.length < limit + 100)
    pages++
    for (let i = 0; i < 2; i++) {
      const [known] = [store.all()[random.int(9_000)]!]
      store.arrive({ ...known, fee: 2n, input: known.input + 1n })
    }
    // more than MAX_NEW
    if (pages === 2) for (let seq = 10_001; seq <= 10_400; seq++) store.arrive(row(seq))
    return page
  }
  const now = START + DAY / 20
  await createWindow(store as unknown as Store, RULE).readDetails(now, (sums, detail) => {
    for (const dao of 'ABC') {
      const expected = counted(store.all(), dao, now)
      t.match(sums.get(dao), { trades: expected.trades, base: expected.base, quote: expected.quote })
      t.equal(detail(dao).makers, expected.makers)
      t.equal(quotient(detail(dao).high), quotient(expected.high))
    }
  })
  t.ok(pages > 3, `${pages} pages`)
})

test('prices that no float tells apart are told apart', async t => {
  const store = memoryStore()
  const [low, middle, high] = [[2n ** 63n, 2n ** 63n + 1n], [2n ** 63n, 2n ** 63n], [2n ** 63n + 1n, 2n ** 63n]] as const
  for (const [at, [input, output]] of [middle, high, low, middle].entries()) {
    store.arrive({ dao: 'A', seq: BigInt(at + 1), at: START, maker: null, side: 'buy', input, output, fee: null })
  }
  await createWindow(store as unknown as Store, RULE).readDetails(START, (_sums, detail) => {
    t.same(detail('A').high, { quote: high[0], base: high[1] })
    t.same(detail('A').low, { quote: low[0], base: low[1] })
    t.match(detail('A'), { unnamed: 4, unknownFees: 4, makers: 0 })
  })
})
