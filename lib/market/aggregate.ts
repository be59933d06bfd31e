import { createPauses, createTurns, eachInSlices, inSlices, letGo } from '../async.js'
import type { Rational } from '../decimal.js'
import type { AggregateVolume } from '../../schemas/aggregate.js'
import { createKeptSums, dayOf, type Days, scalePrice, scaleUnits, SECONDS_PER_DAY, USD_SCALE } from './kept-sums.js'

/** Volume since launch, by day and by token: the rows of the record, made of sums that are kept. */

/** What one DAO traded. */
export interface TradedDao {
  address: string
  baseMint: string
  quoteMint: string
  /** Unix seconds of the launch. */
  launchedAt: number
  /** By UTC day (`YYYY-MM-DD`): raw quote units and swaps. The settled ones are compared by identity: another object where one has changed. */
  days: { settled: Days, recent: Days }
}

/** What the sums are worth and called now. */
export interface Pricing {
  /** USD per raw unit of a quote token; undefined where nothing prices it: its DAOs then add nothing to USD sums. */
  usdPerUnit (quoteMint: string): Rational | undefined
  symbolOf (baseMint: string): string
}

const CENTS = 100n
const HALF = USD_SCALE / 2n

function centsText (cents: bigint): string {
  const text = cents.toString().padStart(3, '0')
  return `${text.slice(0, -2)}.${text.slice(-2)}`
}

/** A running sum, and what each amount adds to it once it is rounded to cents. */
function createRunningCents (sum = 0n, shown = 0n) {
  return {
    copy: () => createRunningCents(sum, shown),
    get total () { return centsText(shown) },
    add (usd: bigint): string {
      sum += usd
      const upTo = (sum * CENTS + HALF) / USD_SCALE
      const cents = upTo - shown
      shown = upTo
      return centsText(cents)
    }
  }
}

/** Texts of days since 1970-01-01, made once. */
const dates = new Map<number, string>()
function dateOf (day: number): string {
  let text = dates.get(day)
  if (text === undefined) dates.set(day, text = new Date(day * SECONDS_PER_DAY * 1000).toISOString().slice(0, 10))
  return text
}

/** Days that are not settled yet, summed up anew each time. */
async function recentOf (daos: readonly TradedDao[], prices: ReadonlyMap<string, bigint>) {
  const byDay = new Map<number, { usd: bigint, trades: number }>()
  const byToken = new Map<string, bigint>()
  await eachInSlices(daos, ({ baseMint, quoteMint, days: { recent } }) => {
    const price = prices.get(quoteMint)
    if (price !== undefined) byToken.set(baseMint, byToken.get(baseMint) ?? 0n)
    for (const [date, { quote, trades }] of recent) {
      const usd = price === undefined ? 0n : scaleUnits(quote) * price
      const day = dayOf(date)
      const known = byDay.get(day) ?? { usd: 0n, trades: 0 }
      byDay.set(day, { usd: known.usd + usd, trades: known.trades + trades })
      if (price !== undefined) byToken.set(baseMint, byToken.get(baseMint)! + usd)
    }
  })
  return { byDay, byToken }
}

type Row = AggregateVolume['dailyBreakdown'][number]
/** The days before the recent ones, written down, and where their running sum stands. */
interface Written { settled: readonly bigint[], version: number, first: number, end: number, rows: Row[], running: ReturnType<typeof createRunningCents> }

/** Largest volume first, then by mint. */
async function tokenRows (byToken: ReadonlyMap<string, bigint>, symbolOf: Pricing['symbolOf']): Promise<AggregateVolume['tokens']> {
  const running = createRunningCents()
  const sorted = [...byToken].sort(([mintA, a], [mintB, b]) => a === b ? (mintA < mintB ? -1 : 1) : a > b ? -1 : 1)
  await letGo()
  return await inSlices(sorted, ([mint, usd]) => ({ mint, symbol: symbolOf(mint), totalVolume: running.add(usd) }))
}

/**
 * A function that makes the record as served, in pieces that leave the event loop free. Sums are integers on a scale far below a cent; each
 * list is rounded along its running sum, so that every figure is within a cent of the exact one, and the days, and the tokens, add up to the
 * total to the cent.
 */
export function createAggregate (): (daos: readonly TradedDao[], pricing: Pricing, nowSeconds: number) => Promise<AggregateVolume> {
  const sums = createKeptSums()
  const inTurn = createTurns()
  let written: Written | undefined

  /** Rows of the days from `first` to before `end`, or those of the last time where nothing in them has changed. */
  function write (settled: readonly bigint[], first: number, end: number): Written {
    if (written?.settled === settled && written.version === sums.version && written.first === first && written.end === end) return written
    const [offset, running] = [sums.range()?.first ?? 0, createRunningCents()]
    const rows: Row[] = []
    for (let day = first; day < end; day++) rows.push({ date: dateOf(day), volume: running.add(settled[day - offset] ?? 0n), trades: sums.tradesOn(day) })
    written = { settled, version: sums.version, first, end, rows, running }
    return written
  }

  return (daos, { usdPerUnit, symbolOf }, nowSeconds) => inTurn(async () => {
    const pause = createPauses()
    await sums.update(daos.map(({ address, baseMint, quoteMint, days: { settled } }) => ({ address, baseMint, quoteMint, settled })), pause)
    const prices = new Map<string, bigint>()
    for (const mint of new Set(daos.map(({ quoteMint }) => quoteMint))) {
      const price = usdPerUnit(mint)
      if (price !== undefined) prices.set(mint, scalePrice(price))
    }
    const settled = await sums.usdByDay(prices, pause)
    const { byDay, byToken } = await recentOf(daos, prices)
    await letGo()
    for (const [token, usd] of sums.usdByToken(prices)) byToken.set(token, (byToken.get(token) ?? 0n) + usd)

    // a day that has swaps is listed even where our clock, or a launch date, would leave it out
    const range = sums.range()
    const today = Math.floor(nowSeconds / SECONDS_PER_DAY)
    let [first, last] = [range?.first ?? Infinity, Math.max(today, range?.last ?? -Infinity)]
    for (const { launchedAt } of daos) first = Math.min(first, Math.floor(launchedAt / SECONDS_PER_DAY))
    for (const day of byDay.keys()) [first, last] = [Math.min(first, day), Math.max(last, day)]

    await letGo()
    if (daos.length === 0) return { totalVolume: '0.00', dailyBreakdown: [], tokens: [] }
    const end = Math.max(first, Math.min(last, ...byDay.keys()))
    const past = write(settled, first, end)
    const [rows, running] = [[...past.rows], past.running.copy()]
    for (let day = end; day <= last; day++) {
      const recent = byDay.get(day)
      const usd = (range === undefined ? 0n : settled[day - range.first] ?? 0n) + (recent?.usd ?? 0n)
      rows.push({ date: dateOf(day), volume: running.add(usd), trades: sums.tradesOn(day) + (recent?.trades ?? 0) })
    }
    return { totalVolume: running.total, dailyBreakdown: rows.reverse(), tokens: await tokenRows(byToken, symbolOf) }
  })
}
