import { multiply, powerOfTen, type Rational, ratio } from '../../lib/decimal.js'
import { DAY } from '../../lib/time.js'
import { hasPrice, type Swap } from '../checks/swaps.js'
import type { Reader } from './reader.js'
import { decimal, isRow, type Json, listOf, type Row, rowOf } from './rules.js'

/** Pages of a thousand trades that are read of one pool; a pool with more is not summed up. */
const MAX_PAGES = 30
const PAGE = 1_000
/** How often trades are asked for that are not as new as what they are held against. */
const TRIES = 3
/** How far apart the moments of two answers may lie, s: one may be stale, and trades are final some seconds later. */
export const APART = 150

export const DAY_MS = DAY * 1000
/** After its end a day waits for its last trades to be final, ms. */
export const LATE = 900_000

/** A trade as `/api/pools/{pool_id}/trades` has it. */
export interface OwnTrade extends Swap { row: Row }

export type Token = Row & { mint: string, decimals: number }
export interface OwnPool { ticker: Row, pool: Row, id: string, pair: string, base: Token, quote: Token }

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

export const isToken = (token: Json | undefined): token is Token =>
  isRow(token) && typeof token.mint === 'string' && Number.isInteger(token.decimals) && Number(token.decimals) >= 0

function tradeOf (row: Row, { base, quote }: OwnPool): OwnTrade | undefined {
  const [sold, paid] = [rawOf(row.base_amount, base.decimals), rawOf(row.quote_amount, quote.decimals)]
  const at = Date.parse(String(row.timestamp)) / 1000
  if (sold === undefined || paid === undefined || !/^\d+$/.test(String(row.trade_id)) || !Number.isInteger(at) ||
    typeof row.slot !== 'number') {
    return undefined
  }
  const isBuy = row.side === 'buy'
  return {
    row,
    seq: BigInt(String(row.trade_id)),
    at,
    slot: row.slot,
    isBuy,
    base: sold,
    quote: paid,
    fee: rawOf(rowOf(row.fee).amount, (isBuy ? quote : base).decimals),
    maker: row.maker
  }
}

export const tokens = (raw: bigint, { decimals }: Token): Rational => multiply(ratio(raw), powerOfTen(-decimals))

/** The first pool of each kind: the deepest. */
export const deepestBy = (pools: OwnPool[], kindOf: (pool: OwnPool) => string): Map<string, OwnPool> =>
  new Map(pools.toReversed().map(pool => [kindOf(pool), pool]))

/** The service's own answers, each read once, when it is first asked for. `now`: Unix ms. */
export function createMarket (reader: Reader, now: number, count: number, pause: (ms: number) => Promise<unknown>) {
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
      if (!isToken(pool?.base) || !isToken(pool.quote)) return []
      const { base, quote } = pool
      return [{ ticker, pool, id: String(ticker.pool_id), pair: String(ticker.ticker_id), base, quote }]
    })
  })
  const record = (path: string, name?: string) => once(path, () => reader.row(path, name))
  const detail = (pool: string) => record(`/api/pools/${pool}`)

  /** Of no earlier time than others that were read: an earlier one is asked for again once it is no longer fresh. */
  async function listAfter (others: string[], path: string): Promise<Row[]> {
    for (let tries = 1; ; tries++) {
      const found = listOf(await reader.json(path))
      if (tries === TRIES || !others.some(other => reader.timeOf(path) < reader.timeOf(other))) return found
      await pause(1_000 * reader.lifeOf(path) + 100)
    }
  }

  async function read (pool: OwnPool): Promise<OwnTrades> {
    const since = Math.floor(now / 1000) - DAY - APART
    // the past may still be read back
    const known = pool.pool.complete_since
    const reach = typeof known === 'string' ? Date.parse(known) / 1000 : -Infinity
    const trades: OwnTrade[] = []
    for (let [page, before] = [0, '']; page < MAX_PAGES; page++) {
      const own = `/api/pools/${pool.id}`
      const found = await listAfter(['/api/pools', own], `${own}/trades?limit=${PAGE}${before}`)
      for (const row of found) {
        const trade = tradeOf(row, pool)
        if (trade !== undefined) trades.push(trade)
      }
      // one that has a price from before the window tells the change
      if (found.length < PAGE) return { trades: trades.reverse(), reach }
      if (trades.some(trade => trade.at < since && hasPrice(trade))) {
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
