import { multiply, type Rational, ZERO } from '../../decimal.js'
import { ServiceError, unusable, warmingUp } from '../../errors.js'
import type { Kept, Part } from '../../live/fresh.js'
import { type Bounds, invalidParameter, rangeOf, readDay } from '../../query.js'
import { amountText, exactUnits, ifKnown } from '../../market/pool-figures.js'
import { largestFirst, tickerIdOf, usdText } from '../../market/ticker.js'
import { DAY, dateOf, dayOf, dayOfDate } from '../../time.js'
import { INVALID_DATE } from '../../../schemas/errors.js'
import type { MarketDay, MarketDays } from '../../../schemas/traded.js'
import type { MarketTotals } from '../aggregate.js'
import { jsonResponse } from '../json-response.js'
import { checkFinal } from '../known.js'
import { keep, type Sources } from '../sources.js'

const notRead = (firstDay: number) => warmingUp(`the days before ${dateOf(firstDay)} are still being read`)

type Row = MarketDays[number]

/** The days as in the aggregates, newest first. */
async function daysOf ({ walkedTo, complete, volume, fees }: MarketTotals): Promise<Row[]> {
  const { dailyBreakdown: ofFees } = await fees()
  return (await volume()).dailyBreakdown.map(({ date, volume: usd, trades }, at) => ({
    date,
    complete: complete && (dayOfDate(date) + 1) * DAY <= walkedTo,
    volume_usd: usd,
    fees_usd: ofFees[at]!.volume,
    trades
  }))
}

/**
 * One UTC day of all pools, YYYY-MM-DD. Throws INVALID_PARAMETER for what is none, or has not begun, and what the
 * aggregates throw.
 */
export function createMarketDay (sources: Sources, totals: Kept<MarketTotals>) {
  const get = keep(sources, async (parts, day: number) => {
    const date = dateOf(day)
    const sums = await totals(parts)
    const { state, daily, walkedTo, firstDay, complete, headers } = sums
    if (day < firstDay) throw notRead(firstDay)
    const none: Row = {
      date, complete: (day + 1) * DAY <= walkedTo && complete, volume_usd: '0.00', fees_usd: '0.00', trades: 0
    }
    const all = (await daysOf(sums)).find(row => row.date === date) ?? none
    const rows = Array.from(daily).flatMap(([address, { days }]) => {
      const [dao, traded] = [state.daos.get(address), days.get(day)]
      if (dao === undefined || traded === undefined) return []
      const decimals = state.tokens.get(dao.quoteMint)?.decimals
      if (decimals === undefined) throw unusable(`the decimals of ${dao.quoteMint} are not known`)
      const price = state.usdPerUnit(dao.quoteMint)
      const text = (units: Rational) => usdText(price === undefined ? ZERO : multiply(price, units))
      const fees = traded.unknownFees > 0 ? null : traded.fees
      const row = {
        pool_id: address,
        ticker_id: tickerIdOf(dao),
        target_volume: exactUnits(traded.quote, decimals),
        volume_usd: text(traded.quote),
        fees: ifKnown(fees, raw => amountText(raw, decimals)),
        fees_usd: ifKnown(fees, text),
        trades: traded.trades
      }
      return [{ row, worth: price && multiply(price, traded.quote) }]
    })
    const sorted = largestFirst(rows, ({ worth }) => worth, ({ row }) => row.pool_id)
    return jsonResponse<MarketDay>({ ...all, pools: sorted.map(({ row }) => row) }, headers.fees)
  })
  return async (parts: Part[], date: string) => {
    const day = readDay(date)
    const invalid = new ServiceError('INVALID_PARAMETER', INVALID_DATE)
    if (day === undefined) throw invalid
    checkFinal(sources, day * DAY, invalid)
    return await get(parts, day)
  }
}

/** Days of one answer, at most and by default. */
const [MAX_DAYS, USUAL_DAYS] = [366, 30]

/**
 * UTC days of all pools from that of a Unix second to that of another, oldest first, up to today. Throws
 * INVALID_PARAMETER for more than a year and for days to come, and what the aggregates throw.
 */
export function createMarketDays (sources: Sources, totals: Kept<MarketTotals>) {
  const get = keep(sources, async (parts, first: string, last: string) => {
    const sums = await totals(parts)
    if (last < dateOf(Math.max(sums.firstDay, 0))) throw notRead(sums.firstDay)
    const rows = (await daysOf(sums)).filter(({ date }) => date >= first && date <= last).reverse()
    return jsonResponse(rows, sums.headers.fees)
  })
  return async (parts: Part[], asked: Bounds) => {
    const { from, to } = rangeOf<Pick<Bounds, 'from' | 'to'>>(asked)
    const name = asked.since === undefined ? 'from' : 'since'
    const today = dayOf(sources.history.head().time)
    const last = to === undefined ? today : Math.min(dayOf(to), today)
    const first = from === undefined ? last - USUAL_DAYS + 1 : dayOf(from)
    if (from !== undefined) checkFinal(sources, first * DAY, invalidParameter(name, 'a day that has begun'))
    if (last - first >= MAX_DAYS) throw invalidParameter(name, `at most ${MAX_DAYS} days in all`)
    return await get(parts, dateOf(Math.max(first, 0)), dateOf(last))
  }
}
