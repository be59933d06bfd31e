import type { Page } from 'playwright-core'
import type { PoolDetail, Pools } from '../../../schemas/pools.js'
import { until } from '../../support/until.js'
import { startWholeService } from './service.js'
import { evaluate, holds, inBrowser, loaded, openPool, stopClock } from './visit.js'

/**
 * The whole service on a simulated chain that goes on as you look: the pages show what the API says, to the last digit.
 */

/** The digits of a figure that are shown on pointing at it. */
const digits = (title: string | null): string => (title ?? '').replace(/[$,]/g, '')
const same = (
  shown: string | null, served: string
): boolean => digits(shown).replace(/\.0+$/, '') === served.replace(/\.0+$/, '')
const titles = (page: Page, selector: string): Promise<string[]> => evaluate(
  page, `[...document.querySelectorAll(${JSON.stringify(selector)})].map(node => node.title)`
)

/** Counts what a page has asked for and not got yet. */
const ASKING = `globalThis.asking = 0
const ask = fetch
globalThis.fetch = async (...what) => {
  asking++
  try {
    const answer = await ask(...what)
    await answer.clone().arrayBuffer()
    return answer
  } finally {
    asking--
  }
}`

inBrowser(visiting => {
  visiting(
    'a trade is there once it is final, and with it the figures, while the page\'s own timers stand',
    {},
    async (t, { page, service }) => {
      await service.close()
      const { url, app, trade, pass } = await startWholeService(t, { RATE_LIMIT_MAX: '100000' })
      service.url = url
      const pools = (await app.inject('/api/pools')).json<Pools>()
      const { pool_id: id } = pools.toSorted((a, b) => b.trades_24h! - a.trades_24h!)[0]!
      await page.clock.install()
      await openPool(page, url, id)
      const first =
      'document.querySelector("#trade-rows .trade-tx button")?.title ?? ' +
        'document.querySelector("#trade-rows time").dateTime'
      const before = await evaluate<string>(page, first)
      await page.clock.pauseAt(Date.now() + 3_600_000)
      // whoever trades picks a pool: until it is this one, and final
      await until('the page shows another trade', async () => {
        trade()
        pass(500)
        return await evaluate<string>(page, first) !== before
      })
      t.not(await evaluate<string>(page, first), before)
      t.ok(await evaluate<boolean>(page, 'document.querySelector("#trade-rows tr").classList.contains("new")'))
    }
  )

  visiting(
    'the list and a pool, read against the API; stale, unreachable, and back',
    {},
    async (t, { page, service }) => {
      await service.close()
      const { url, app, node, pass } = await startWholeService(t, { STALE_IF_ERROR: '20', RATE_LIMIT_MAX: '100000' })
      service.url = url
      // no trade leaves the last 24 hours between two looks
      pass(0)
      const api = async <T>(path: string): Promise<T> => (await app.inject(path)).json<T>()

      await page.goto(url)
      await loaded(page)
      const pools = await api<Pools>('/api/pools')
      t.ok(pools.length >= 5)
      const rows = await evaluate<Array<{
        href: string
        price: string
        volume: string
        liquidity: string
        trades: string
      }>>(page, `[...document.querySelectorAll('#pools-body tr')].map(row => ({
      href: row.querySelector('a').href,
      price: row.querySelector('.price-cell .figure').title,
      volume: row.querySelector('.volume-cell .figure').title,
      liquidity: row.querySelector('.liquidity-cell .figure').title,
      trades: row.querySelector('.trades-cell').innerText }))`)
      t.same(rows.map(({ href }) => href.split('/').at(-1)), pools.map(({ pool_id: pool }) => pool))
      for (const [index, { price, volume, liquidity, trades }] of rows.entries()) {
        const pool = pools[index]!
        t.ok(same(price, pool.last_price), `${price} is ${pool.last_price}`)
        t.ok(same(volume, pool.target_volume_24h!))
        if (pool.priced_in_usd) t.ok(same(liquidity, pool.liquidity_in_usd))
        t.equal(trades, pool.trades_24h!.toLocaleString('en'))
      }
      await page.locator('.spark').first().waitFor()
      // of the oldest day only what is left of it after the ledger began, which may be a minute without a trade
      await page.locator('#chart .bar').nth(1).waitFor()
      t.equal(await page.locator('#banner').isVisible(), false)
      await page.getByText('DAOs that are left out, and why').click()
      await page.getByText('Its spot pool is empty on at least one side').waitFor()

      const { pool_id: id } = pools.toSorted((a, b) => b.trades_24h! - a.trades_24h!)[0]!
      await page.addInitScript(ASKING)
      await stopClock(page)
      await openPool(page, url, id)
      await page.locator('.supply-bar').waitFor()
      const pool = await api<PoolDetail>(`/api/pools/${id}`)
      t.ok(same(await page.locator('#price').getAttribute('title'), pool.last_price))
      t.match(await page.locator('#verify .check').innerText(), 'the price shown')
      const [ticker] = (await api<Array<{
        pool_id: string
        bid: string
        ask: string
      }>>('/api/tickers')).filter(({ pool_id: wanted }) => wanted === id)
      await page.locator('#figures div', { hasText: 'Bid' }).filter({ hasNotText: '–' }).waitFor()
      t.ok(
        same(await page.locator('#figures div', { hasText: 'Bid' }).locator('dd').getAttribute('title'), ticker!.bid)
      )
      await page.getByRole('button', { name: 'Liquidity' }).click()
      await page.locator('#definition-text').filter({ hasText: 'Twice the quote reserves' }).waitFor()
      const [term, told] = await Promise.all([
        page.getByRole('button', { name: 'Liquidity' }).boundingBox(), page.locator('#definition').boundingBox()
      ])
      t.ok(
        Math.abs(told!.y - term!.y - term!.height) < 10 || Math.abs(term!.y - told!.y - told!.height) < 10,
        'a definition stands below its term, or above it'
      )
      await page.keyboard.press('Escape')

      const trades = await api<Array<{
        trade_id: string
        price: string | null
        base_amount: string
        quote_amount: string
      }>>(`/api/pools/${id}/trades?limit=25`)
      t.same(
        (await titles(page, '#trade-rows .trade-amount span')).map(digits),
        trades.map(({ base_amount: amount }) => amount)
      )
      t.same((await titles(page, '#trade-rows .trade-price span')).map(digits), trades.map(({ price }) => price ?? ''))
      for (const interval of ['4h', '1d']) {
        await page.getByLabel(interval, { exact: true }).check({ force: true })
        const candles = await api<Array<{
          time: number
          open: string
          high: string
          low: string
          close: string
        }>>(`/api/pools/${id}/ohlcv?interval=${interval}&limit=200&empty=true`)
        const newest = candles.at(-1)!
        await holds(
          page,
          "document.querySelectorAll('#candle-readout dd')[4]?.title.replaceAll(',', '') === " +
            `${JSON.stringify(newest.close)} && ` +
            `document.getElementById('candle').max === ${JSON.stringify(String(candles.length - 1))}`
        )
        t.same(
          (await titles(page, '#candle-readout dd')).slice(1, 5).map(digits),
          [newest.open, newest.high, newest.low, newest.close]
        )
      }
      await page.locator('#candles').getByText('The same as a table').click()
      const days = await api<Array<{
        date: string
        close: string | null
        target_volume: string
      }>>(`/api/pools/${id}/days`)
      const row =
      "[...document.querySelectorAll('#candle-rows tr')]" +
        `.find(row => row.querySelector('time').dateTime.startsWith('${days.at(-1)!.date}'))`
      // the table is filled once it is open
      await holds(page, `${row} !== undefined`)
      const shown = await evaluate<string[]>(page, `[...${row}.querySelectorAll('td')].map(cell => cell.title)`)
      t.equal(digits(shown[3]!), days.at(-1)!.close, 'a candle of a day and the day are one')
      t.equal(digits(shown[4]!), days.at(-1)!.target_volume)

      // the browser's own cache would go by its own clock
      const browser = await page.context().newCDPSession(page)
      await browser.send('Network.enable')
      await browser.send('Network.setCacheDisabled', { cacheDisabled: true })
      node.fault({ kind: 'rpc-error' })
      const banner = page.locator('#banner')
      const seen = new Set<string>()
      /** Lets time pass for the page and the service, until what the page has asked for meanwhile is there. */
      const goOn = async (ms: number, passed: number): Promise<void> => {
        pass(passed)
        await page.clock.fastForward(ms)
        await holds(page, 'globalThis.asking === 0')
        // of the last answer the page makes what it shows
        await page.waitForTimeout(50)
      }
      for (let tries = 0; tries < 60 && !(seen.has('stale') && seen.has('node')); tries++) {
        await goOn(15_000, 5_000)
        if (await banner.isVisible()) seen.add(await banner.getAttribute('data-kind') ?? '')
      }
      t.ok(seen.has('stale'), 'first the figures are old')
      t.ok(seen.has('node'), 'then there are none')
      t.ok(same(await page.locator('#price').getAttribute('title'), pool.last_price), 'the last ones stay')
      node.faults.clear()
      // time goes on for the service too: what it has tried in vain it tries again some seconds later
      let tries = 0
      await until('the banner is gone', async () => {
        await goOn(4_000, 3_000)
        tries++
        return !await banner.isVisible()
      })
      t.ok(tries <= 4, `soon: ${tries} tries`)
      t.equal(await banner.innerText(), '', 'and back')

      const missing = await page.goto(`${url}/pool/${id.slice(1)}`)
      t.equal(missing?.status(), 404)
    }
  )
})
