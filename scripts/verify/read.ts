import { setTimeout } from 'node:timers/promises'
import { quotesAsked, readHoldings } from './beyond.js'
import { type Pool, poolAt, readPast } from './chain.js'
import { type Chain, DAY, HOUR, type Json, type Served, type Word } from './compare.js'
import { type Node, read } from './node.js'

/** Reading is made again while the answers are of two moments, so many times. */
const TRIES = 5
const PAGE = 1_000
/** How far back a pool that prices another is followed, s. */
const RECENT = 300

/** The service's answers of one moment: the record is the same before and after them. */
async function readServed (url: string, address: string): Promise<Served> {
  const get = (path: string): Promise<Json> => read(`${url}/api/${path}`)
  const own = `pools/${address}`
  for (let tries = 0; ; tries++) {
    const [detail, tickers, rows] = [await get(own), await get('tickers'), await get('pools')]
    if (JSON.stringify(detail) !== JSON.stringify(await get(own)) && tries < TRIES) continue
    const since = Number(detail?.provenance?.windows_end) - DAY + 1
    const trades: Json[] = []
    const newest = `${own}/trades?since=${since}&limit=${PAGE}`
    for (let page: Json[] | undefined; page === undefined || page.length === PAGE;) {
      page = await get(page === undefined ? newest : `${newest}&before=${page.at(-1).trade_id}`) as Json[]
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
      candles: await get(`${own}/ohlcv?interval=1h&limit=1000`),
      days: await get(`${own}/days`),
      dao: await get(`daos/${address}`),
      liquidity: await get(`liquidity/aggregate?dao=${address}`)
    }
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
  const holdings = await readHoldings(node, pool, served.dao)
  return { served, chain: { pool, past, pricing, holdings, since, finalized, time } }
}
