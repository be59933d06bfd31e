import { add, divide, multiply, powerOfTen, type Rational, ratio, ZERO } from '../../lib/decimal.js'
import { DAY } from '../../lib/time.js'
import type { Reader } from './reader.js'
import { decimal, isRow, type Json, listOf, type Row, rowOf } from './rules.js'

/** Pages of a thousand trades that are read of one pool; a pool with more is not summed up. */
const MAX_PAGES = 30
const PAGE = 1_000
/** How far apart the moments of two answers may lie, s: one may be stale, and trades are final some seconds later. */
export const APART = 150

export const DAY_MS = DAY * 1000
/** After its end a day waits for its last trades to be final, ms. */
export const LATE = 900_000

/** What a fee in base tokens is cut off at, so that many are added up in one denominator. */
const FINE = 10n ** 24n

/** A trade as `/api/pools/{pool_id}/trades` has it, amounts in raw units. */
export interface OwnTrade {
  row: Row
  id: bigint
  /** Unix s. */
  at: number
  slot: number
  base: bigint
  quote: bigint
  /** In whole quote tokens. */
  fee: Rational | undefined
  hasPrice: boolean
}

export interface OwnPool { ticker: Row, pool: Row, id: string, pair: string, base: Row, quote: Row }

/** Trades of a pool, oldest first. `reach`: Unix second from which on they are all; undefined: they are too many. */
export interface OwnTrades { trades: OwnTrade[], reach: number | undefined }

export type Market = ReturnType<typeof createMarket>

/** Whole tokens as raw units; undefined where it is no amount of so many places. */
export function rawOf (value: Json | undefined, decimals: number): bigint | undefined {
  const given = decimal(value)
  if (given === undefined) return undefined
  const { n, d } = multiply(given, powerOfTen(decimals))
  return n % d === 0n ? n / d : undefined
}

export const decimalsOf = (token: Row): number => typeof token.decimals === 'number' ? token.decimals : NaN

function tradeOf (row: Row, { base, quote }: OwnPool): OwnTrade | undefined {
  const [sold, paid] = [rawOf(row.base_amount, decimalsOf(base)), rawOf(row.quote_amount, decimalsOf(quote))]
  const at = Date.parse(String(row.timestamp)) / 1000
  if (sold === undefined || paid === undefined || !/^\d+$/.test(String(row.trade_id)) || !Number.isInteger(at) ||
    typeof row.slot !== 'number') {
    return undefined
  }
  const { mint, amount } = rowOf(row.fee)
  const fee = decimal(amount)
  // in quote tokens, at the price of the trade itself
  const inQuote = fee === undefined || mint === quote.mint
    ? fee
    : sold === 0n ? undefined : multiply(fee, divide(tokens(paid, quote), tokens(sold, base)))
  return {
    row,
    id: BigInt(String(row.trade_id)),
    at,
    slot: row.slot,
    base: sold,
    quote: paid,
    fee: inQuote && { n: inQuote.n * FINE / inQuote.d, d: FINE },
    hasPrice: row.price !== null
  }
}

export const tokens = (raw: bigint, token: Row): Rational => multiply(ratio(raw), powerOfTen(-decimalsOf(token)))

/** Whole quote tokens per whole base token. `base` is not 0. */
export const priceOf = (quote: bigint, base: bigint, pool: OwnPool): Rational =>
  divide(tokens(quote, pool.quote), tokens(base, pool.base))

export const rawSum = (trades: OwnTrade[], of: 'base' | 'quote'): bigint =>
  trades.reduce((all, trade) => all + trade[of], 0n)

export const isPriced = ({ hasPrice, base }: OwnTrade): boolean => hasPrice && base > 0n

/** undefined: one is not known. */
export const feesOf = (trades: OwnTrade[]): Rational | undefined =>
  trades.reduce<Rational | undefined>((all, { fee }) => all && fee && add(all, fee), ZERO)

/** The first pool of each kind: the deepest. */
export const deepestBy = (pools: OwnPool[], kindOf: (pool: OwnPool) => string): Map<string, OwnPool> =>
  new Map(pools.toReversed().map(pool => [kindOf(pool), pool]))

/** The service's own answers, each read once, when it is first asked for. `now`: Unix ms. */
export function createMarket (reader: Reader, now: number, count: number) {
  const kept = new Map<string, Promise<unknown>>()
  function once<T> (key: string, make: () => Promise<T>): Promise<T> {
    const made = kept.get(key) ?? make()
    kept.set(key, made)
    return made as Promise<T>
  }

  const tickers = () => once('tickers', async () => listOf(await reader.json('/api/tickers')))
  const rows = () => once('pools', async () => listOf(await reader.json('/api/pools')))

  const pools = () => once('both', async () => {
    const byId = new Map((await rows()).map(row => [row.pool_id, row]))
    return (await tickers()).flatMap((ticker): OwnPool[] => {
      const pool = byId.get(ticker.pool_id!)
      if (!isRow(pool?.base) || !isRow(pool.quote)) return []
      const { base, quote } = pool
      return [{ ticker, pool, id: String(ticker.pool_id), pair: String(ticker.ticker_id), base, quote }]
    })
  })
  const record = (path: string, name?: string) => once(path, async () => {
    const found = await reader.json(path)
    const row = name === undefined ? found : rowOf(found)[name]
    return isRow(row) ? row : undefined
  })
  const detail = (pool: string) => record(`/api/pools/${pool}`)

  async function read (pool: OwnPool): Promise<OwnTrades> {
    const since = Math.floor(now / 1000) - DAY - APART
    // the past may still be read back
    const known = pool.pool.complete_since
    const reach = typeof known === 'string' ? Date.parse(known) / 1000 : -Infinity
    const trades: OwnTrade[] = []
    for (let [page, before] = [0, '']; page < MAX_PAGES; page++) {
      const found = listOf(await reader.json(`/api/pools/${pool.id}/trades?limit=${PAGE}${before}`))
      for (const row of found) {
        const trade = tradeOf(row, pool)
        if (trade !== undefined) trades.push(trade)
      }
      // one that has a price from before the window tells the change
      if (found.length < PAGE) return { trades: trades.reverse(), reach }
      if (trades.some(({ at, hasPrice }) => at < since && hasPrice)) {
        return { reach: trades.at(-1)!.at + 1, trades: trades.reverse() }
      }
      before = `&before=${found.at(-1)!.trade_id}`
    }
    return { trades: trades.reverse(), reach: undefined }
  }

  return {
    tickers,
    rows,
    /** Pools that both `/api/tickers` and `/api/pools` have, in the order of the tickers. */
    pools,
    /** Those that are looked at one by one. */
    lookedAt: async () => (await pools()).slice(0, count),
    /** A mint in each of the pools that have it. */
    tokens: async (mint: string): Promise<Row[]> =>
      (await pools()).flatMap(({ base, quote }) => [base, quote]).filter(token => token.mint === mint),
    detail,
    /** What a record is made of; empty where it says nothing of it. */
    provenance: async (pool: string): Promise<Row> => rowOf((await detail(pool))?.provenance),
    trades: (pool: OwnPool) => once(`trades ${pool.id}`, () => read(pool)),
    /** `data` of the supply record. */
    supply: (mint: string) => record(`/api/supply/${mint}`, 'data')
  }
}
