import { setTimeout } from 'node:timers/promises'
import { quotesAsked, readHoldings } from './beyond.js'
import { type Past, type Pool, poolAt, readPast } from './chain.js'
import { type Chain, DAY, type Served, type Word } from './compare.js'
import { type Node, read } from './node.js'

/** What `npm run verify` reads before it compares: the service's answers, and the chain. */

const HOUR = 3_600
/** Reading is made again while the answers are of two moments, so many times. */
const TRIES = 5
const PAGE = 1_000
/** How far back a pool that prices another is followed, s. */
const RECENT = 300

/** The service's answers of one moment: the record is the same before and after them. */
async function readServed (url: string, address: string): Promise<Served> {
  const get = <T>(path: string): Promise<T> => read<T>(`${url}${path}`)
  for (let tries = 0; ; tries++) {
    const detail = await get<any>(`/api/pools/${address}`)
    const [tickers, rows] = [await get<any>('/api/tickers'), await get<any>('/api/pools')]
    const after = await get<any>(`/api/pools/${address}`)
    if (JSON.stringify(detail) !== JSON.stringify(after) && tries < TRIES) continue
    const since = Number(detail?.provenance?.windows_end) - DAY + 1
    const trades: any[] = []
    const newest = `/api/pools/${address}/trades?since=${since}&limit=${PAGE}`
    for (let page: any[] | undefined; page === undefined || page.length === PAGE;) {
      page = await get<any[]>(page === undefined ? newest : `${newest}&before=${page.at(-1).trade_id}`)
      trades.push(...page)
    }
    const candles = await get<any>(`/api/pools/${address}/ohlcv?interval=1h&limit=1000`)
    const days = await get<any>(`/api/pools/${address}/days`)
    const prices = []
    // at two trades and right before them; what came just now is not final everywhere
    const timesOf = trades.map(({ timestamp }) => Date.parse(timestamp) / 1000)
      .filter(time => time < since + DAY - RECENT)
    const times = timesOf.filter((_, index) => index === 0 || index === timesOf.length >> 1)
    for (const at of new Set([...times, ...times.map(time => time - 1)])) {
      const { prices: of } = await get<any>(`/api/prices?mints=${detail.base.mint}&at=${at}`)
      prices.push({ at, price: of[detail.base.mint] })
    }
    const dao = await get<any>(`/api/daos/${address}`)
    const liquidity = await get<any>(`/api/liquidity/aggregate?dao=${address}`)
    const quotes = []
    for (const asked of quotesAsked({ detail })) {
      const query = `side=${asked.side}&amount=${asked.amount}`
      quotes.push({ asked, quote: await get<any>(`/api/pools/${address}/quote?${query}`) })
    }
    return { detail, tickers, rows, trades, candles, days, prices, dao, liquidity, quotes }
  }
}

/** The pool now, read so late that it holds what is served. */
async function readPool (node: Node, of: string, slot: number): Promise<Pool> {
  for (let tries = 0; ; tries++) {
    const pool = await poolAt(node, of)
    if (pool.state.slot >= slot || tries === TRIES) return pool
    await setTimeout(1_000)
  }
}

/** The service is asked between two looks at the chain, so that what is served is of a moment in between. */
export async function readAll (
  url: string, node: Node, address: string, days: number, { pricedBy }: Pick<Word, 'pricedBy'>
): Promise<{ served: Served, chain: Chain }> {
  await read(`${url}/health`)   // told first where it is not there
  const { finalized, time } = await node.now()
  const served = await readServed(url, address)
  const slot = Math.max(...[served.detail?.provenance, served.dao, ...served.quotes.map(({ quote }) => quote)]
    .map(told => Number(told?.slot)))
  const pool = await readPool(node, address, slot)
  // the beginning of today, and whole hours of the window
  const since = Math.min(time - days * DAY, time - time % DAY) - HOUR
  const past = await readPast(node, pool, since)
  const by = pricedBy.get(pool.quote.mint)
  let pricing: { pool: Pool, past: Past } | undefined
  if (by !== undefined) {
    const other = await readPool(node, by, slot)
    pricing = { pool: other, past: await readPast(node, other, time - RECENT) }
  }
  const holdings = await readHoldings(node, pool, served.dao)
  return { served, chain: { pool, past, pricing, holdings, since, finalized, time } }
}
