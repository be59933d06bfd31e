import { compare, multiply, type Rational, wholeTokens, ZERO } from '../../decimal.js'
import { ServiceError } from '../../errors.js'
import { invalidParameter, readDay } from '../../query.js'
import { amountText, exactUnits } from '../../market/pool-figures.js'
import { usdText } from '../../market/ticker.js'
import { DAY, dateOf, dayOf, MINUTE } from '../../time.js'
import { INVALID_DATE } from '../../../schemas/errors.js'
import { type MarketDay, MarketDaySchema, MarketDaysSchema } from '../../../schemas/pools.js'
import { completenessHeaders } from '../aggregate.js'
import { jsonResponse } from '../json-response.js'
import type { Market } from '../market.js'
import { keepEach, type Sources } from '../sources.js'

const notRead = (firstDay: number) =>
  new ServiceError('WARMING_UP', `the days before ${dateOf(firstDay)} are still being read`)

/** Throws `invalid` for a day to come, WARMING_UP while nothing of one is final. */
function checkBegun ({ history, time }: Sources, day: number, invalid: ServiceError): void {
  const wait = day * DAY - history.head().time
  if (wait <= 0) return
  throw day * DAY > time.utc() / 1000
    ? invalid
    : new ServiceError('WARMING_UP', `nothing of ${dateOf(day)} is final yet`, { retryAfter: Math.min(wait, MINUTE) })
}

const toResponse = jsonResponse(MarketDaySchema)
const MAX_KEPT = 128

/**
 * One UTC day of all pools, YYYY-MM-DD, its sums as the aggregates have them. Throws INVALID_PARAMETER
 * for what is none, or has not begun, and what those throw.
 */
export function createMarketDay (sources: Sources, totals: Market['totals']) {
  const get = keepEach(sources, MAX_KEPT, async (day: number) => {
    const date = dateOf(day)
    const { value: { snapshot, usd, daily, walkedTo, firstDay, ...sums }, parts } = await totals()
    if (day < firstDay) throw notRead(firstDay)
    const [volume, fees] = [await sums.volume(), await sums.fees()]
    const rows: Array<{ row: MarketDay['pools'][number], worth: Rational | undefined }> = []
    for (const [address, { days }] of daily) {
      const [dao, traded] = [snapshot.daos.get(address), days.get(date)]
      const decimals = dao && snapshot.tokens.get(dao.quoteMint)?.decimals
      if (dao === undefined || traded === undefined) continue
      if (decimals === undefined) {
        throw new ServiceError('HISTORY_UNAVAILABLE', `the decimals of ${dao.quoteMint} are not known`)
      }
      const price = usd(dao.quoteMint)
      const worth = (units: Rational) =>
        price === undefined ? '0.00' : usdText(multiply(price, wholeTokens(units, decimals)))
      rows.push({
        worth: price && multiply(price, wholeTokens(traded.quote, decimals)),
        row: {
          pool_id: address,
          ticker_id: `${dao.baseMint}_${dao.quoteMint}`,
          target_volume: exactUnits(traded.quote, decimals),
          volume_usd: worth(traded.quote),
          fees: traded.unknownFees > 0 ? null : amountText(traded.fees, decimals),
          fees_usd: traded.unknownFees > 0 ? null : worth(traded.fees),
          trades: traded.trades
        }
      })
    }
    rows.sort((a, b) => Number(b.worth !== undefined) - Number(a.worth !== undefined) ||
      compare(b.worth ?? ZERO, a.worth ?? ZERO) || (a.row.pool_id < b.row.pool_id ? -1 : 1))
    const inVolume = volume.record.dailyBreakdown.find(row => row.date === date)
    return {
      parts,
      value: toResponse({
        date,
        complete: (day + 1) * DAY <= walkedTo && volume.complete,
        volume_usd: inVolume?.volume ?? '0.00',
        fees_usd: fees.record.dailyBreakdown.find(row => row.date === date)?.volume ?? '0.00',
        trades: inVolume?.trades ?? 0,
        pools: rows.map(({ row }) => row)
      }, { ...completenessHeaders(volume), 'x-fees-unknown': String(fees.unknownFees) })
    }
  })
  return async (date: string) => {
    const day = readDay(date)
    const invalid = new ServiceError('INVALID_PARAMETER', INVALID_DATE)
    if (day === undefined) throw invalid
    checkBegun(sources, day, invalid)
    return await get(day)
  }
}

const toDays = jsonResponse(MarketDaysSchema)
/** Days of one answer at most, and where no first one is asked for. */
const [MAX_DAYS, USUAL_DAYS] = [366, 30]

/**
 * UTC days of all pools from the one that holds a Unix second to the one that holds another, oldest first, up to today.
 * Throws INVALID_PARAMETER for more than a year of them and for days to come, and what the aggregates throw.
 */
export function createMarketDays (sources: Sources, totals: Market['totals']) {
  const get = keepEach(sources, MAX_KEPT, async ({ first, last }: Record<'first' | 'last', string>) => {
    const { value: { walkedTo, firstDay, ...sums }, parts } = await totals()
    if (last < dateOf(Math.max(firstDay, 0))) throw notRead(firstDay)
    const [volume, fees] = [await sums.volume(), await sums.fees()]
    const feesOf = new Map(fees.record.dailyBreakdown.map(row => [row.date, row.volume]))
    const isOver = (date: string): boolean => Date.parse(date) / 1000 + DAY <= walkedTo && volume.complete
    const rows = volume.record.dailyBreakdown.filter(({ date }) => date >= first && date <= last).reverse()
      .map(({ date, volume: usd, trades }) =>
        ({ date, complete: isOver(date), volume_usd: usd, fees_usd: feesOf.get(date) ?? '0.00', trades }))
    return {
      value: toDays(rows, { ...completenessHeaders(volume), 'x-fees-unknown': String(fees.unknownFees) }), parts
    }
  }, ({ first, last }) => `${first} ${last}`)
  return async ({ from, to }: { from: number | undefined, to: number | undefined }) => {
    const today = dayOf(sources.history.head().time)
    const last = to === undefined ? today : Math.min(dayOf(to), today)
    const first = from === undefined ? last - USUAL_DAYS + 1 : dayOf(from)
    if (from !== undefined) checkBegun(sources, first, invalidParameter('from', 'a day that has begun'))
    if (last - first >= MAX_DAYS) throw invalidParameter('from', `at most ${MAX_DAYS} days in all`)
    return await get({ first: dateOf(Math.max(first, 0)), last: dateOf(last) })
  }
}
