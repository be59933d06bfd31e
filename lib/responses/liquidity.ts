import type { Kept, Part } from '../live/fresh.js'
import { closingDays } from '../market/liquidity.js'
import { largestFirst, usdText } from '../market/ticker.js'
import { DAY, dateOf, dayOf } from '../time.js'
import type { AggregateLiquidity } from '../../schemas/aggregate.js'
import type { MarketTotals } from './aggregate.js'
import { jsonResponse } from './json-response.js'
import { historyHeaders } from './known.js'
import { byDao, keep, type Sources } from './sources.js'

const text = (row: ReturnType<typeof closingDays>[number] | undefined): string | null =>
  row === undefined || (row.known === 0 && row.unknown > 0) ? null : usdText(row.usd)

/** Liquidity at the end of each past UTC day, of all DAOs or one. Throws as `daoOf` and the sums since launch. */
export function createLiquidity (sources: Sources, totals: Kept<MarketTotals>) {
  const get = keep(sources, async (parts, asked: string) => {
    const { state: { daos: known, usdPerUnit, symbolOf }, walkedTo, firstDay } = await totals(parts)
    const wanted = [...known.values()].filter(({ address }) => [address, ''].includes(asked))
    const pools = await sources.history.read(async reading => {
      const all = await reading.closes()
      return wanted.map(({ address, baseMint, quoteMint, createdAt }) => {
        const [closes, wholeAfter] = [all.get(address) ?? new Map(), reading.wholeAfter(address)]
        return { address, baseMint, quoteMint, createdAt, closes, wholeAfter }
      })
    })
    const days = { first: firstDay, last: dayOf(walkedTo) - 1 }
    const rows = closingDays(pools, usdPerUnit, days).reverse()
    const newest = pools.flatMap(pool => {
      const [row] = closingDays([pool], usdPerUnit, { ...days, first: days.last })
      return row === undefined ? [] : [{ pool, usd: row.usd, liquidity: text(row) }]
    })
    const daos =
      largestFirst(newest, ({ usd, liquidity }) => liquidity === null ? null : usd, ({ pool }) => pool.address)
    const isWhole = rows.every(({ unknown }) => unknown === 0) && firstDay === -Infinity
    const dailyBreakdown = rows.map(row =>
      ({ date: dateOf(row.day), liquidity: text(row), daos: row.known, unknown: row.unknown }))
    return jsonResponse<AggregateLiquidity>({
      totalLiquidity: text(rows[0]),
      dailyBreakdown,
      daos: daos.map(({ pool: { address, baseMint }, liquidity }) =>
        ({ dao: address, mint: baseMint, symbol: symbolOf(baseMint), liquidity }))
    }, historyHeaders(isWhole, firstDay * DAY - 1))
  })
  const ofOne = byDao(sources, get)
  return (parts: Part[], dao: string | undefined) => dao === undefined ? get(parts, '') : ofOne(parts, dao)
}
