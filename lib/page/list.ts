import { sum } from '../../public/market/decimal.js'
import { type CachedResponse, jsonResponse } from '../http/cached-response.js'
import type { Kept } from '../live/fresh.js'
import type { Snapshot } from '../live/snapshot.js'
import type { MarketTotals } from '../responses/aggregate.js'
import type { ValuedPools } from '../responses/pools.js'
import { formOf } from '../responses/sources.js'
import type { Pool } from '../../schemas/pools.js'
import type { TreasuryRow } from '../../schemas/treasury.js'

/** Only what the list of pools draws: of 500 DAOs the API's answers would be three times a page's weight. */

/** Rows, and drawings beside them, that a visit begins with: the rest comes when a reader wants it. */
export const AT_FIRST = 100

/** Fields that a row has as the API tells them. */
const SHOWN = [
  'pool_id', 'state', 'last_price', 'price_change_24h', 'target_volume_24h', 'trades_24h', 'liquidity_in_usd',
  'priced_in_usd', 'market_cap_usd', 'fdv_usd'
] as const

export type PageList = ReturnType<typeof pageList>
export type Row = PageList['rows'][number]

function totalsOf (pools: readonly Pool[]) {
  const alike = pools.filter(({ quote }) => quote.mint === pools[0]!.quote.mint)
  return {
    count: pools.length,
    /** Sum in the deepest pool's quote token, to which no others can be added; null: a part is not known. */
    volume: sum(alike.map(pool => pool.target_volume_24h)),
    /** Pools that have that quote token. */
    alike: alike.length,
    /** Null likewise. */
    trades: pools.reduce<number | null>((sum, { trades_24h: trades }) =>
      sum === null || trades === null ? null : sum + trades, 0),
    liquidity: sum(pools.map(pool => pool.liquidity_in_usd))!
  }
}

/** What a pool's names may pretend: to be another token here, or a dollar. */
type Mark = 'symbol' | 'name' | 'dollar'

/** Pools, and what is known of their tokens: a list has texts only where they are short. */
interface Named { pools: readonly Pool[], tokens: Snapshot['tokens'] }

/** Of tokens that people take for a dollar. */
const DOLLAR = /usd|^dai$/
/** Cyrillic and Greek letters, each with the Latin one that it is taken for. */
const ALIKE = new Map(
  'аa вb сc еe нh іi јj кk мm оo рp ѕs тt уy хx αa βb εe ηh ιi κk μm νn οo ρp τt υy χx ζz'.split(' ')
    .map(([seen, taken]) => [seen!, taken!])
)
/** A text as people tell it from others: letters that look alike are the same, and nothing is unseen. */
const plain = (text: string) => text.normalize('NFKC').replace(/[\p{C}\p{Z}]/gu, '').toLowerCase()
  .replace(/./gu, letter => ALIKE.get(letter) ?? letter)

/** A function that gives the marks of one of the pools, by what the names of all of them may be taken for. */
function pretences ({ pools, tokens }: Named): (pool: Pool) => Mark[] {
  const [names, mints] = [new Map<string, Record<'symbol' | 'name', string>>(), new Map<string, number>()]
  for (const token of pools.flatMap(({ base, quote }) => [base, quote])) {
    if (names.has(token.mint)) continue
    const { symbol, name } = tokens.get(token.mint)?.whole ?? token
    const plainly = { symbol: plain(symbol), name: plain(name) }
    names.set(token.mint, plainly)
    for (const key of [`symbol ${plainly.symbol}`, `name ${plainly.name}`]) mints.set(key, (mints.get(key) ?? 0) + 1)
  }
  return ({ base, quote, priced_in_usd: isPriced }) => {
    const own = names.get(base.mint)!
    const shared = (['symbol', 'name'] as const)
      .filter(kind => own[kind] !== '' && mints.get(`${kind} ${own[kind]}`)! > 1)
    return [...shared, ...!isPriced && DOLLAR.test(names.get(quote.mint)!.symbol) ? ['dollar' as const] : []]
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

/** The list as the page has it, made once per refresh. */
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
