import { setTimeout } from 'node:timers/promises'
import { refuse } from '../command-line.js'
import { quotesAsked, readHoldings } from './beyond.js'
import { type Pool, poolAt, readPast } from './chain.js'
import { type Chain, DAY, HOUR, type Json, type Served, type Word } from './compare.js'
import { type Node, read } from './node.js'

/** How often the node is asked for a state as new as what is served, each a second after the other. */
const TRIES = 5
const PAGE = 1_000
/** How far back a pool that prices another is followed, s. */
const RECENT = 300

/** The service's answers, `url` without a slash at its end; each may be of a moment of its own. */
async function readServed (url: string, address: string): Promise<Served> {
  const get = (path: string): Promise<Json> => read(`${url}/api/${path}`)
  const list = async (path: string): Promise<Json[]> => {
    const found = await get(path)
    return Array.isArray(found) ? found : refuse(`${url}: no list at /api/${path}`)
  }
  const own = `pools/${address}`
  const [detail, tickers, rows] = [await get(own), await list('tickers'), await list('pools')]
  const since = Number(detail?.provenance?.windows_end) - DAY + 1
  if (Number.isNaN(since)) refuse(`${url}: no record of a pool at /api/${own}`)
  const trades: Json[] = []
  const newest = `${own}/trades?since=${since}&limit=${PAGE}`
  for (let page: Json[] | undefined; page === undefined || page.length === PAGE;) {
    page = await list(page === undefined ? newest : `${newest}&before=${page.at(-1).trade_id}`)
    trades.push(...page)
  }
  const prices = []
  // at two trades and right before them; what came just now is not final everywhere
  const timesOf = trades.map(({ timestamp }) => Date.parse(timestamp) / 1000)
    .filter(time => time < since + DAY - RECENT)
  const times = timesOf.filter((_, index) => index === 0 || index === timesOf.length >> 1)
  for (const at of new Set([...times, ...times.map(time => time - 1)])) {
    const { prices: of } = await get(`prices?mints=${detail.base.mint}&at=${at}`)
    prices.push({ at, price: of[detail.base.mint] })
  }
  const quotes = []
  for (const asked of quotesAsked({ detail })) {
    quotes.push({ asked, quote: await get(`${own}/quote?side=${asked.side}&amount=${asked.amount}`) })
  }
  return {
    detail,
    tickers,
    rows,
    trades,
    prices,
    quotes,
    candles: await list(`${own}/ohlcv?interval=1h&limit=1000`),
    days: await list(`${own}/days`),
    dao: await get(`daos/${address}`),
    liquidity: await get(`liquidity/aggregate?dao=${address}`)
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
  const other = by === undefined ? undefined : await readPool(node, by, slot)
  const pricing = other && { pool: other, past: await readPast(node, other, time - RECENT) }
  const holdings = await readHoldings(node, pool, past, time - RECENT, served.dao)
  return { served, chain: { pool, past, pricing, holdings, since, finalized, time } }
}
