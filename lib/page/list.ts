import { fix, parseDecimal, powerOfTen, shortText } from '../decimal.js'
import { type CachedResponse, jsonResponse } from '../http/cached-response.js'
import type { Kept } from '../live/fresh.js'
import type { MarketTotals } from '../responses/aggregate.js'
import type { ValuedPools } from '../responses/pools.js'
import { formOf } from '../responses/sources.js'
import type { Pool } from '../../schemas/pools.js'
import type { TreasuryRow } from '../../schemas/treasury.js'
import { type Named, pretences } from './pretences.js'

/** Only what the list of pools draws: of 500 DAOs the API's answers would be three times a page's weight. */

/** Rows, and drawings beside them, that a visit begins with: the rest comes when a reader wants it. */
export const AT_FIRST = 100
/** More digits after the point than a volume has. */
const PLACES = 60

/** Fields that a row has as the API tells them. */
const SHOWN = [
  'pool_id', 'state', 'last_price', 'price_change_24h', 'target_volume_24h', 'trades_24h', 'liquidity_in_usd',
  'priced_in_usd', 'market_cap_usd', 'fdv_usd'
] as const

export type PageList = ReturnType<typeof pageList>
export type Row = PageList['rows'][number]

/** The exact sum of decimal texts; null where one is not known. */
function sumOf (texts: ReadonlyArray<string | null>): string | null {
  let digits = 0n
  for (const text of texts) {
    if (text === null) return null
    digits += fix(parseDecimal(text)!, PLACES).digits
  }
  return shortText({ n: digits, d: powerOfTen(PLACES).n }, PLACES)
}

function totalsOf (pools: readonly Pool[]) {
  const alike = pools.filter(({ quote }) => quote.mint === pools[0]!.quote.mint)
  return {
    count: pools.length,
    /** Sum in the deepest pool's quote token, to which no others can be added; null: a part is not known. */
    volume: sumOf(alike.map(pool => pool.target_volume_24h)),
    /** Pools that have that quote token. */
    alike: alike.length,
    /** Null likewise. */
    trades: pools.reduce<number | null>((sum, { trades_24h: trades }) =>
      sum === null || trades === null ? null : sum + trades, 0),
    liquidity: sumOf(pools.map(pool => pool.liquidity_in_usd))!
  }
}

/** Deepest first; `ownedBy`: what is known of a DAO's treasury. */
export function pageList (
  list: Named, ownedBy: (dao: string) => Pick<TreasuryRow, 'nav_per_token' | 'premium'> | undefined
) {
  const marksOf = pretences(list)
  const rows = list.pools.map(pool => {
    const own = ownedBy(pool.pool_id)
    return {
      ...Object.fromEntries(SHOWN.map(field => [field, pool[field]])) as Pick<Pool, typeof SHOWN[number]>,
      base: { mint: pool.base.mint, symbol: pool.base.symbol, name: pool.base.name },
      quote: { mint: pool.quote.mint, symbol: pool.quote.symbol },
      /** When its first event was, or else the day of its account; null: neither is known. */
      since: pool.created_at ?? pool.startDate,
      nav_per_token: own?.nav_per_token ?? null,
      premium: own?.premium ?? null,
      marks: marksOf(pool)
    }
  })
  return { totals: totalsOf(list.pools), rows, byId: new Map(rows.map(row => [row.pool_id, row])) }
}

/** Bytes for the page; `all`: with every row. */
export const listResponse = ({ totals, rows }: PageList, all: boolean): CachedResponse =>
  jsonResponse({ totals, pools: all ? rows : rows.slice(0, AT_FIRST) })

/** The list as the page has it, made once per refresh; each throws what the list of pools throws. */
export function createPageList (pools: Kept<ValuedPools>) {
  const known = formOf(pools, ({ byId, state: { tokens, priceUsd }, figures }) =>
    pageList({ pools: [...byId.values()], tokens }, dao => figures?.get(dao)?.perToken(priceUsd(dao))))
  return {
    known,
    first: formOf(known, list => listResponse(list, false)),
    all: formOf(known, list => listResponse(list, true))
  }
}

/** The days of the market's volume, without the tokens that their answer has beside them. */
export const createPageVolume = (totals: Kept<MarketTotals>) =>
  formOf(totals, async ({ volume, headers }) => {
    const { totalVolume, dailyBreakdown } = await volume()
    return jsonResponse({ totalVolume, dailyBreakdown }, headers.volume)
  })
