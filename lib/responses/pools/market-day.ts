import { compare, multiply, type Rational, wholeTokens, ZERO } from '../../decimal.js'
import { ServiceError } from '../../errors.js'
import { invalidParameter } from '../../query.js'
import { createFreshCache, type Aged } from '../../live/fresh.js'
import type { CachedResponse } from '../../http/cached-response.js'
import { amountText, exactUnits } from '../../market/pool-figures.js'
import { usdText } from '../../market/ticker.js'
import { DAY, dateOf } from '../../time.js'
import { type MarketDay, MarketDaySchema } from '../../../schemas/pools.js'
import { completenessHeaders } from '../aggregate.js'
import { jsonResponse } from '../json-response.js'
import type { Market } from '../market.js'
import { type Sources, TICKER_TTL, unixSeconds } from '../sources.js'

export const invalidDate = () => invalidParameter('date', 'a UTC day, YYYY-MM-DD, not after today')

const toResponse = jsonResponse(MarketDaySchema)
const MAX_KEPT = 128

/** One UTC day of all pools, by days since 1970-01-01, its sums as the aggregates break them down. Throws INVALID_PARAMETER for one that has not begun, and what those throw. */
export function createMarketDay (sources: Sources, totals: Market['totals']): (day: number) => Promise<Aged<CachedResponse<MarketDay>>> {
  const { settings, now } = sources

  async function load (day: number): Promise<{ readAt: number, response: CachedResponse<MarketDay> }> {
    const date = dateOf(day)
    const { value: { readAt, snapshot, usd, daily, walkedTo, ...sums } } = await totals()
    const [volume, fees] = [await sums.volume(), await sums.fees()]
    const daos = new Map(snapshot.discovered.map(({ address, dao }) => [address, dao]))
    const rows: Array<{ row: MarketDay['pools'][number], worth: Rational | undefined }> = []
    for (const [address, { days: { settled, recent } }] of daily) {
      const [dao, traded] = [daos.get(address), settled.get(date) ?? recent.get(date)]
      const decimals = dao && snapshot.tokens.get(dao.quoteMint)?.decimals
      if (settings.excluded.has(address) || dao === undefined || traded === undefined) continue
      if (decimals === undefined) throw new ServiceError('HISTORY_UNAVAILABLE', `the decimals of ${dao.quoteMint} are not known`)
      const price = usd(dao.quoteMint)
      const worth = (units: Rational) => price === undefined ? '0.00' : usdText(multiply(price, wholeTokens(units, decimals)))
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
    rows.sort((a, b) => Number(b.worth !== undefined) - Number(a.worth !== undefined) || compare(b.worth ?? ZERO, a.worth ?? ZERO) || (a.row.pool_id < b.row.pool_id ? -1 : 1))
    const inVolume = volume.record.dailyBreakdown.find(row => row.date === date)
    return {
      readAt,
      response: await toResponse({
        date,
        complete: (day + 1) * DAY <= walkedTo && volume.complete,
        volume_usd: inVolume?.volume ?? '0.00',
        fees_usd: fees.record.dailyBreakdown.find(row => row.date === date)?.volume ?? '0.00',
        trades: inVolume?.trades ?? 0,
        pools: rows.map(({ row }) => row)
      }, { ...completenessHeaders(volume), 'x-fees-unknown': String(fees.unknownFees) })
    }
  }

  const cache = createFreshCache<number, Awaited<ReturnType<typeof load>>>({ load, ttl: TICKER_TTL, staleIfError: settings.staleIfError, max: MAX_KEPT, now, readAt: ({ readAt }) => readAt })
  return async day => {
    if (day * DAY > unixSeconds(sources)) throw invalidDate()
    const { value: { response }, ...age } = await cache.get(day)
    return { value: response, ...age }
  }
}
