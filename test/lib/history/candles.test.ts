import { test, type Test } from 'tap'
import { toFixed, wholeTokens, type Rational } from '../../../lib/decimal.js'
import { INTERVALS, type History, type Interval, type TimedCandle } from '../../../lib/history/history.js'
import type { PoolWindow } from '../../../lib/history/volumes/volumes.js'
import type { Ledger, SpotSwap } from '../../../simulator/index.js'
import { countOf, groupBy, type Rule } from '../../support/history/count.js'
import { settled, watch } from '../../support/history/history.js'
import { makeYear } from '../../support/history/year.js'

/** TRADES=100000 makes as many trades as one wishes to wait for; see docs/reliability.md. */
const TRADES = Number(process.env.TRADES ?? 5000)
const DAY = 86_400
const RULE: Rule = { bps: 50n, basis: 'input' }
const SCALE = 10n ** 24n

/** Prices as fractions, compared by cross-multiplication; nothing of the code under test. */
type Price = readonly [quote: bigint, base: bigint]
const priceOf = ({ side, input, output }: SpotSwap): Price | undefined =>
  input === 0n || output === 0n ? undefined : side === 'buy' ? [input, output] : [output, input]
const isAbove = (a: Price, b: Price) => a[0] * b[1] > b[0] * a[1]
const same = (a: Price | undefined, b: { quote: bigint, base: bigint } | null | undefined) =>
  a === undefined || b == null ? a === undefined && b == null : a[0] * b.base === b.quote * a[1]

/** What a stretch of time holds, counted swap by swap. */
function expected (swaps: readonly SpotSwap[]) {
  let [open, high, low, close]: Array<Price | undefined> = []
  let [base, quote] = [0n, 0n]
  for (const swap of swaps) {
    base += swap.side === 'buy' ? swap.output : swap.input
    quote += swap.side === 'buy' ? swap.input : swap.output
    const price = priceOf(swap)
    if (price === undefined) continue
    open ??= price
    close = price
    if (high === undefined || isAbove(price, high)) high = price
    if (low === undefined || isAbove(low, price)) low = price
  }
  return { open, high, low, close, base, quote, trades: swaps.length }
}

function agrees (candle: TimedCandle, swaps: readonly SpotSwap[]): boolean {
  const want = expected(swaps)
  const { prices } = candle
  return candle.trades === want.trades && candle.base === want.base * SCALE && candle.quote === want.quote * SCALE &&
    same(want.open, prices?.open) && same(want.high, prices?.high) && same(want.low, prices?.low) &&
      same(want.close, prices?.close)
}

const swapsOf = (ledger: Ledger) => groupBy(ledger.swaps, ({ dao }) => dao)

async function checkCandles (t: Test, ledger: Ledger, history: History, ranges: number): Promise<void> {
  const wrong: string[] = []
  for (const [dao, swaps] of swapsOf(ledger)) {
    for (const [interval, width] of Object.entries(INTERVALS) as Array<[Interval, number]>) {
      const groups = new Map(
        Array.from(groupBy(swaps, ({ time }) => String(time - time % width)), ([start, list]) => [Number(start), list])
      )
      const starts = [...groups.keys()].sort((a, b) => a - b)
      const whole = { from: 0, to: starts.at(-1)! + width, limit: starts.length + 1 }
      const picked = () => starts[Math.floor(ledger.random.next() * starts.length)]!
      const some = Array.from({ length: ranges }, () => {
        const [a, b] = [picked(), picked()]
        return { from: Math.min(a, b), to: Math.max(a, b) + width, limit: 1 + Math.floor(ledger.random.next() * 50) }
      })
      for (const range of [whole, ...some]) {
        const candles = await history.read(reading => reading.candles(dao, interval, range))
        const want = starts.filter(start => start >= range.from && start < range.to).slice(-range.limit)
        if (candles.map(({ start }) => start).join() !== want.join()) {
          wrong.push(`${interval} ${JSON.stringify(range)}: times`)
        }
        for (const candle of candles) {
          if (!agrees(candle, groups.get(candle.start) ?? [])) wrong.push(`${interval} ${candle.start} of ${dao}`)
        }
      }
    }
  }
  t.same(wrong.slice(0, 5), [])
}

const shown = (value: Rational) => toFixed(wholeTokens(value, 6), 8)

/** The windows of a DAO at `now` by a look at each of its swaps. */
function windowOf (swaps: readonly SpotSwap[], now: number) {
  const inside = swaps.filter(({ time }) => time > now - DAY && time <= now)
  const { high, low, close } = expected(inside)
  const minute = now - now % 60
  const sum = (days: number) => swaps.filter(({ time }) => time >= minute - days * DAY && time < minute)
    .reduce((sum, { side, input, output }) => sum + (side === 'buy' ? input : output), 0n)
  const before = swaps.findLast(swap => swap.time <= now - DAY && priceOf(swap) !== undefined)
  const { base, quote } = countOf(inside, RULE)
  const fees = inside.reduce((sum, { side, fee, input, output }) => sum + Number(
    side === 'buy' ? fee : fee * output * 1_000_000n / input
  ) / (side === 'buy' ? 1 : 1e6), 0)
  return {
    high,
    low,
    close,
    before: before && priceOf(before),
    base: shown(base),
    quote: shown(quote),
    trades: inside.length,
    makers: new Set(inside.map(({ trader }) => trader)).size,
    week: shown({ n: sum(7), d: 1n }),
    month: shown({ n: sum(30), d: 1n }),
    fees
  }
}

function sameWindow (found: PoolWindow, swaps: readonly SpotSwap[], now: number): boolean {
  const want = windowOf(swaps, now)
  const fees = found.fees === null ? NaN : Number(found.fees.n * 1000n / found.fees.d) / 1000
  return same(want.high, found.high) && same(want.low, found.low) && same(
    want.close ?? want.before, found.prices.now
  ) && same(want.before, found.prices['24h']) &&
    want.base === shown(found.base) && want.quote === shown(found.quote) && want.trades === found.trades &&
      want.makers === found.makers &&
    want.week === shown(found.quote7d!) && want.month === shown(found.quote30d!) &&
      Math.abs(fees - want.fees) < 0.01 + want.fees / 1e6
}

async function checkWindows (t: Test, ledger: Ledger, history: History, times: readonly number[]): Promise<void> {
  const daos = swapsOf(ledger)
  const wrong: string[] = []
  for (const now of times) {
    const windows = await history.read(reading => reading.windows(now))
    for (const dao of ledger.daos) {
      if (!sameWindow(
        windows.get(dao.address)!, daos.get(dao.address) ?? [], now
      )) wrong.push(`${dao.address} at ${now}`)
    }
  }
  t.same(wrong.slice(0, 5), [])
}

test(
  'a year of trading: every candle, window, day and trade against a count of its own',
  { timeout: 3_600_000 },
  async t => {
    const days = TRADES <= 5000 ? 60 : 365
    const ledger = makeYear(12, days, Math.max(2, Math.round(TRADES / days / 2.7)))
    const watched = await watch(t, ledger, { rate: { n: 1n, d: 200n } })
    await settled(watched, ledger)
    const { history } = watched
    t.comment(`${ledger.swaps.length} swaps`)

    await t.test(
      'candles of all intervals, over everything and over random ranges',
      async t => { await checkCandles(t, ledger, history, 8) }
    )

    await t.test('windows at random seconds, in the order of time and across it', async t => {
      const last = ledger.swaps.at(-1)!.time
      const random = (from: number, length: number) => Array.from(
        { length }, () => from + Math.floor(ledger.random.next() * (last - from))
      )
      const edges = ledger.swaps.slice(-4).flatMap(
        ({ time }) => [time - 1, time, time + DAY - 1, time + DAY, time + 7 * DAY]
      )
      await checkWindows(t, ledger, history, [
        ...random(last - 20 * DAY, TRADES / 100).sort((a, b) => a - b), ...random(last - 40 * DAY, 10),
        ...edges.sort((a, b) => a - b)
      ])
    })

    await t.test('every trade, in pages, and every day', async t => {
      for (const [dao, swaps] of swapsOf(ledger)) {
        const found = []
        for (let before: bigint | undefined; ;) {
          const page = await history.read(
            reading => reading.trades({ dao, limit: 97, ...(before !== undefined && { before }) })
          )
          if (page.length === 0) break
          found.push(...page)
          before = page.at(-1)!.seq
        }
        const plain = found.reverse().map(({ seq, at, slot, signature, maker, swap, reserves }) => [
          Number(seq), at, slot, signature, maker, swap.side, swap.input, swap.output, reserves?.quote, reserves?.base
        ])
        t.same(plain, swaps.map(swap => [
          swap.seq, swap.time, swap.slot, swap.signature, swap.trader, swap.side, swap.input, swap.output,
          swap.quoteReserves, swap.baseReserves
        ]))
        t.ok(
          found.every(({ swap: { fee } }, at) => fee === null || fee === swaps[at]!.fee), 'fees as they were charged'
        )
        const byDay = groupBy(swaps, ({ time }) => String(Math.floor(time / DAY)))
        const rows = await history.read(reading => reading.daysOf(dao, { from: 0, to: 40_000 * DAY, limit: 10_000 }))
        t.same(
          rows.map(({ start, trades, makers }) => [start / DAY, trades, makers]),
          Array.from(byDay, ([day, list]) => [Number(day), list.length, new Set(list.map(({ trader }) => trader)).size])
        )
      }
    })
  }
)
