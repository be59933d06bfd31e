import type { Page } from 'playwright-core'
import { test } from 'tap'
import { buildMarket } from '../../../simulator/index.js'
import type { Pools } from '../../../schemas/pools.js'
import type { Candles } from '../../../schemas/traded.js'
import { asking, build, historyComplete, settings, startChain } from '../../helper.js'
import { until } from '../../support/until.js'
import { AT_FIRST } from '../../../lib/page/list.js'
import { type Line, TOP } from '../../../lib/page/sparklines.js'
import { download, openContext, stopClock, withoutBrowser } from './visit.js'

/** What the pages of a large market cost a visitor who has seen none of it, as the service sends it. */

const [DAOS, SWAPS, DAYS] = [500, 6_000, 8]
/** Bytes over the wire, headers too, of a whole visit. */
const MOST = { list: 60_000, pool: 180_000 }
const QUIET_MS = 1_000

/** Counts what comes over the wire, by path. */
async function count (page: Page): Promise<ReadonlyMap<string, number>> {
  const client = await page.context().newCDPSession(page)
  await client.send('Network.enable')
  const paths = new Map<string, string>()
  const bytes = new Map<string, number>()
  client.on('Network.requestWillBeSent', ({ requestId, request: { url } }) => {
    paths.set(requestId, new URL(url).pathname)
  })
  client.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    const path = paths.get(requestId) ?? '?'
    bytes.set(path, (bytes.get(path) ?? 0) + encodedDataLength)
  })
  return bytes
}

const sum = (bytes: ReadonlyMap<string, number>): number => [...bytes.values()].reduce((all, one) => all + one, 0)

const tradesOf = (pools: Pools): number => pools.reduce((sum, { trades_24h: trades }) => sum + trades!, 0)

test('what a first visit weighs, with 500 DAOs', { skip: withoutBrowser }, async t => {
  const { ledger, node } = await startChain(t, { time: Math.floor(Date.now() / 1000) - DAYS * 86_400 })
  buildMarket(ledger, { daos: DAOS, swaps: SWAPS, days: DAYS })
  ledger.advance(Math.max(0, Math.floor(Date.now() / 1000) - ledger.time))
  const timer = setInterval(() => { ledger.advance(Math.max(0, Math.floor(Date.now() / 1000) - ledger.time)) }, 200)
  t.teardown(() => clearInterval(timer))
  const app = await build(t, { env: settings(t, node, ledger, { RATE_LIMIT_MAX: '100000' }), pollMs: 1_000 })
  await historyComplete(app)
  const url = await app.listen({ port: 0, host: '127.0.0.1' })
  const { get } = asking(t, app)
  const pools = await get<Pools>('/api/pools')
  const [busiest] = pools.toSorted((a, b) => b.trades_24h! - a.trades_24h!)

  const { pools: lines } = await get<{ pools: Record<string, Line> }>('/market/sparklines?all=true')
  t.ok(Object.keys(lines).length > AT_FIRST)
  const line = lines[busiest!.pool_id]!
  const first = line.findIndex(height => height !== null)
  const closes = (await get<Candles>(
    `/api/pools/${busiest!.pool_id}/ohlcv?interval=4h&empty=true&limit=${line.length}`
  )).slice(first - line.length).map(({ close }) => Number(close))
  const [least, most] = [Math.min(...closes), Math.max(...closes)]
  const furthest = Math.max(...line.slice(first).map((height, at) =>
    Math.abs(height! - (closes[at]! - least) / (most - least) * TOP)))
  t.ok(furthest <= 0.51, `a line runs where the closes lie: ${furthest} of ${TOP}`)

  async function visit (
    path: string, settled: string, then = async (_page: Page): Promise<void> => {}
  ): Promise<number> {
    const context = await openContext({})
    const page = await context.newPage()
    const bytes = await count(page)
    // a first visit's: what a page asks for again, as it would of a slow machine meanwhile, is a refresh's
    await stopClock(page)
    await page.goto(`${url}${path}`)
    await page.locator(settled).first().waitFor()
    await page.waitForTimeout(QUIET_MS)
    for (const [of, size] of [...bytes].sort(([, a], [, b]) => b - a)) t.comment(`${size} ${of}`)
    const whole = sum(bytes)
    await page.clock.resume()
    await then(page)
    await context.close()
    return whole
  }

  const list = await visit('/market', '.spark', async page => {
    const rows = page.locator('#pools-body tr')
    t.equal(await rows.count(), AT_FIRST, 'the deepest pools')
    t.equal(await page.locator('#count').innerText(), `${AT_FIRST} of ${pools.length}`)
    // the day goes on meanwhile
    const told = Number((await page.locator('#total-trades').innerText()).replaceAll(',', ''))
    const [before, after] = [pools, await get<Pools>('/api/pools')].map(tradesOf)
    t.ok(told <= before! && told >= after!, `sums over all: ${told} of ${before} and then ${after} trades`)
    const file = await download(page, page.getByRole('button', { name: 'Download the list as CSV' }))
    t.equal(file.trim().split('\r\n').length, pools.length + 1, 'all of them')
    // the least deep of all is found, though it was not among the first
    await page.getByLabel('Search').fill(pools.at(-1)!.pool_id)
    await page.locator(`#pools-body a[href$="${pools.at(-1)!.pool_id}"]`).waitFor()
    await page.getByLabel('Search').fill('')
    await until('all rows', async () => await rows.count() === pools.length)
    t.equal(await page.locator('#count').innerText(), String(pools.length))
    t.notOk(await page.locator('#more').isVisible())
  })
  t.ok(list <= MOST.list, `the list: ${list} bytes`)
  const pool = await visit(`/market/pool/${busiest!.pool_id}`, '.supply-bar')
  t.ok(pool <= MOST.pool, `a pool: ${pool} bytes`)
})
