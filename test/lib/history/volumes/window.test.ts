import { test } from 'tap'
import { parseDecimal } from '../../../../lib/decimal.js'
import { candleOf, joinCandles, SIZES, type CandleRow, type Size } from '../../../../lib/history/rules/candles.js'
import { scaled, sumOf } from '../../../../lib/history/rules/fixed-point.js'
import type { Trade } from '../../../../lib/history/rules/rows.js'
import type { Store } from '../../../../lib/history/store/create-store.js'
import type { CandleRange, Traders } from '../../../../lib/history/store/types.js'
import { piecesOf } from '../../../../lib/history/volumes/aggregate.js'
import type { Completeness } from '../../../../lib/history/rules/completeness.js'
import { createVolumes } from '../../../../lib/history/volumes/volumes.js'
import { type SwapFacts, swapVolume } from '../../../../lib/market/volume.js'
import { DAY } from '../../../../lib/time.js'
import { createRandom } from '../../../../simulator/random.js'
import { NOTHING_MISSING } from '../../../support/history/knowledge.js'

const SCALE = 10n ** 24n
const RULE = { rate: parseDecimal('0.005')!, basis: 'input' } as const
const START = 1_780_000_000
const SWAPS = 700
const READINGS = 900
const DAOS = ['A', 'B', 'C']
const KNOWN: Completeness = { ...NOTHING_MISSING, sequenceRanges: new Map(DAOS.map(dao => [dao, []])) }

interface SwapRow extends SwapFacts, Pick<Trade, 'dao' | 'seq' | 'at' | 'maker'> {}
interface Arrived { row: SwapRow, revision: number }

/** The reads of a store that windows make, over rows in memory; `read` counts the swaps and candles given. */
function memoryStore () {
  const arrived = new Map<string, Arrived>()
  let revision = 0
  const rows = (of: (one: Arrived) => boolean): SwapRow[] => [...arrived.values()].filter(of).map(({ row }) => row)
  const between = (daos: readonly string[], from: number, to: number) => rows(
    ({ row }) => row.at >= from && row.at < to && daos.includes(row.dao)
  )
  const store = {
    read: 0,
    revision: async () => revision,
    arrive (row: SwapRow): void { arrived.set(`${row.dao} ${row.seq}`, { row, revision: ++revision }) },
    all: (): SwapRow[] => rows(() => true),
    async swapsOfAll (daos: readonly string[], from: number, to: number) {
      const found = between(daos, from, to)
      store.read += found.length
      return found.map(row => ({ ...row, swap: row }))
    },
    async candlesOfAll (daos: readonly string[], size: Size, { from, to }: CandleRange) {
      const candles = new Map<string, CandleRow>()
      for (const row of between(daos, from, to)) {
        const start = row.at - row.at % SIZES[size]
        const [known, candle] = [candles.get(`${row.dao} ${start}`), candleOf(row, row.seq, swapVolume(row, RULE))]
        candles.set(`${row.dao} ${start}`, {
          dao: row.dao,
          size,
          start,
          ...(known === undefined ? candle : joinCandles(known, candle))
        })
      }
      store.read += candles.size
      return [...candles.values()]
    },
    async traders (daos: readonly string[], from: number, to: number) {
      const found = new Map<string, Traders>()
      for (const dao of daos) {
        const inside = between([dao], from, to)
        const [buys, sells] = (['buy', 'sell'] as const).map(side => inside.filter(row => row.side === side))
        const count = (swaps = inside) =>
          inside.some(({ maker }) => maker === null) ? null : new Set(swaps.map(({ maker }) => maker)).size
        found.set(dao, {
          makers: count(),
          buyers: count(buys),
          sellers: count(sells),
          buys: buys!.length,
          sells: sells!.length,
          buyQuote: buys!.reduce((sum, { input }) => sum + input, 0n),
          sellQuote: sells!.reduce((sum, { output }) => sum + output, 0n)
        })
      }
      return found
    },
    daosTraded: async (from: number, to: number, after = -1) => [
      ...new Set(rows(({ row, revision }) => revision > after && row.at >= from && row.at < to).map(({ dao }) => dao))
    ],
    async lastTrades (at: number, daos?: readonly string[]) {
      const newest = new Map<string, SwapRow>()
      for (const row of rows(({ row }) => row.at <= at && row.output > 0n && (daos?.includes(row.dao) ?? true))) {
        if (row.seq > (newest.get(row.dao)?.seq ?? -1n)) newest.set(row.dao, row)
      }
      return [...newest.values()].map(row => ({ dao: row.dao, at: row.at, swap: row }) as unknown as Trade)
    }
  }
  return store
}

/** The same figures, each trade looked at anew. */
function counted (rows: readonly SwapRow[], dao: string, now: number) {
  const inside = rows.filter(row => row.dao === dao && row.at > now - DAY && row.at <= now)
  const volumes = inside.map(row => swapVolume(row, RULE))
  const priced = inside.filter(({ output }) => output > 0n).map(({ seq, side, input, output }) => side === 'buy'
    ? { seq, quote: input, base: output }
    : { seq, quote: output, base: input })
  const byPrice = [...priced].sort((a, b) => Number(a.quote * b.base - b.quote * a.base))
  const before = rows.filter(
    row => row.dao === dao && row.at <= now - DAY && row.output > 0n
  ).sort((a, b) => Number(a.seq - b.seq)).at(-1)
  return {
    trades: inside.length,
    base: volumes.reduce((sum, { base }) => sum + scaled(base), 0n),
    quote: volumes.reduce((sum, { quote }) => sum + scaled(quote), 0n),
    makers: new Set(inside.map(({ maker }) => maker)).size,
    high: byPrice.at(-1),
    low: byPrice[0],
    close: priced.sort((a, b) => Number(a.seq - b.seq)).at(-1),
    before,
    priced: priced.reduce(
      (sum, { quote, base }) => ({ quote: sum.quote + quote, base: sum.base + base }), { quote: 0n, base: 0n }
    ),
    week: weekOf(rows, dao, now)
  }
}

const weekOf = (rows: readonly SwapRow[], dao: string, now: number): bigint => {
  const end = now - now % 60
  return rows.filter(
    row => row.dao === dao && row.at >= end - 7 * DAY && row.at < end
  ).reduce((sum, row) => sum + scaled(swapVolume(row, RULE).quote), 0n)
}

const quotient = (
  price: { quote: bigint, base: bigint } | null | undefined
): string => price == null ? 'none' : `${price.quote * 10n ** 30n / price.base}`

test(
  `the window at ${READINGS} random seconds, with trades that come late or change, is each trade counted anew`,
  async t => {
    const random = createRandom(24)
    const store = memoryStore()
    const { windows } = createVolumes(store as unknown as Store, RULE)
    const seqs = new Map<string, bigint>()
    const made: SwapRow[] = []
    for (let i = 0, at = START; i < SWAPS; i++) {
      const dao = DAOS[random.int(DAOS.length)]!
      const seq = (seqs.get(dao) ?? 0n) + 1n
      seqs.set(dao, seq)
      at += random.int(400)
      const input = BigInt(1 + random.int(1_000_000))
      made.push({
        dao,
        seq,
        at,
        maker: `maker ${random.int(40)}`,
        side: random.int(2) === 0 ? 'buy' : 'sell',
        input,
        output: random.int(50) === 0 ? 0n : BigInt(1 + random.int(1_000_000)),
        fee: input / 200n + 1n
      } as SwapRow)
    }
    const late: SwapRow[] = []
    let now = START
    let next = 0
    let wrong = 0
    for (let reading = 0; reading < READINGS; reading++) {
    // mostly a little on, now and then back or far ahead
      now += random.int(20) === 0 ? -random.int(500) : random.int(430)
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
      const dao = DAOS[random.int(DAOS.length)]!
      const expected = counted(store.all(), dao, now)
      const found = (await windows(now, KNOWN)).get(dao)!
      const { before, trades } = expected
      const last = before === undefined
        ? null
        : before.side === 'buy'
          ? { quote: before.input, base: before.output }
          : {
              quote: before.output, base: before.input
            }
      const same = found.trades === trades && found.base.n === sumOf(expected.base, trades).n * found.base.d / SCALE &&
      found.quote.n === sumOf(expected.quote, trades).n * found.quote.d / SCALE &&
      found.makers === expected.makers && quotient(found.high) === quotient(expected.high) &&
        quotient(found.low) === quotient(expected.low) &&
      quotient(found.prices.now) === quotient(expected.close ?? last) &&
        quotient(found.prices['24h']) === quotient(last) &&
        (found.priced?.quote ?? 0n) === expected.priced.quote &&
      (found.priced?.base ?? 0n) === expected.priced.base &&
        found.quote7d!.n === expected.week * found.quote7d!.d / SCALE
      if (!same) wrong++
    }
    t.equal(next, SWAPS)
    t.equal(wrong, 0)
    t.ok(
      store.read < 200 * READINGS,
      `${Math.round(store.read / READINGS)} rows a reading: it is carried on, not read anew`
    )
  }
)

test('a stretch of time is parted into whole days, hours, minutes and what is left at its edges, without a gap', t => {
  const random = createRandom(26)
  for (let round = 0; round < 2_000; round++) {
    const from = START + random.int(3 * DAY)
    const to = from + random.int([60, 3_600, 40 * DAY][random.int(3)]!)
    const pieces = [...piecesOf(from, to)]
    const wrong = pieces.filter(
      ({ size, from, to }) => from >= to || (size !== null && (from % SIZES[size] !== 0 || to % SIZES[size] !== 0))
    )
    const ends = pieces.map(({ to }) => to)
    if (wrong.length > 0 || [from, ...ends].join() !== [
      ...pieces.map(({ from }) => from), to
    ].join()) t.fail(`${from} to ${to}`)
    if (to - from > DAY && !pieces.some(
      ({ size, from, to }) => size === 'hours' || (size === 'days' && to > from)
    )) t.fail(`no hours from ${from} to ${to}`)
  }
  t.same([...piecesOf(DAY - 3_661, 2 * DAY + 1)], [
    { size: null, from: DAY - 3_661, to: DAY - 3_660 }, { size: 'minutes', from: DAY - 3_660, to: DAY - 3_600 },
    { size: 'hours', from: DAY - 3_600, to: DAY },
    { size: 'days', from: DAY, to: 2 * DAY }, { size: null, from: 2 * DAY, to: 2 * DAY + 1 }
  ])
  t.end()
})

test('prices that no float tells apart are told apart', async t => {
  const store = memoryStore()
  const [low, middle, high] = [
    [2n ** 63n, 2n ** 63n + 1n], [2n ** 63n, 2n ** 63n], [2n ** 63n + 1n, 2n ** 63n]
  ] as const
  for (const [at, [input, output]] of [middle, high, low, middle].entries()) {
    store.arrive({ dao: 'A', seq: BigInt(at + 1), at: START, maker: null, side: 'buy', input, output, fee: null })
  }
  const found = (await createVolumes(store as unknown as Store, RULE).windows(START, KNOWN)).get('A')!
  t.match(found.high, { quote: high[0], base: high[1] })
  t.match(found.low, { quote: low[0], base: low[1] })
  t.match(found, { trades: 4, makers: null, fees: null })
})
