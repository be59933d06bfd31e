import { add, compare, divide, parseDecimal, type Rational, subtract } from '../../lib/decimal.js'
import type { Ticker } from '../../schemas/ticker.js'
import { address, AGGREGATE, SCRIPT, supplyOf, TICKERS } from './market-data.js'
import { startWholeService } from './service.js'
import { asked, evaluate, inBrowser, loaded, rowOf, shownName, symbols } from './visit.js'

/** What the page shows and does, over an API whose answers each test decides. */

inBrowser(visiting => {
  visiting('the market at a glance', {}, async (t, { page, service }) => {
    await page.goto(service.url)
    await loaded(page)
    t.equal(await page.title(), 'DAO Market Data')
    t.equal(await page.locator('#pairs-body tr').count(), TICKERS.length)
    t.same(await rowOf(page, 'ORE').locator('th, td').allInnerTexts(), [
      'ORE USDC\nOrchard Collective', '0.91235', '109,800 USDC', '$451,235', '1.10 %', address(4).replace(/^(.{4}).*(.{4})$/, '$1…$2'), address(104).replace(/^(.{4}).*(.{4})$/, '$1…$2')
    ].map(text => text.replace('ORE USDC', 'ORE\nUSDC')))
    t.equal(await rowOf(page, 'ORE').locator('td').first().locator('span').getAttribute('title'), '0.912345678901', 'every digit on pointing')
    t.equal(await page.locator('#count').innerText(), '12 pairs')
    t.match(await page.locator('#pairs-fresh').innerText(), /^Loaded at \d\d:\d\d:\d\d$/)
    t.match(await page.locator('.tiles').innerText(), /\$38\.41\u202fM/)
    t.equal(await page.locator('#pairs th[aria-sort]').getAttribute('aria-sort'), 'descending', 'deepest first')
    t.ok(service.asked.length <= 15, `a first visit costs ${service.asked.length} requests`)
    service.asked.length = 0
    await page.reload()
    await loaded(page)
    t.ok(service.asked.length <= 3, `a second one ${service.asked.length}`)
  })

  visiting('sorting by every column, exactly', {}, async (t, { page, service }) => {
    await page.goto(service.url)
    await loaded(page)
    const value = (text: string): Rational => parseDecimal(text)!
    const byName = new Intl.Collator('en', { sensitivity: 'base', numeric: true })
    const columns: Record<string, (a: Ticker, b: Ticker) => number> = {
      Price: (a, b) => compare(value(a.last_price), value(b.last_price)),
      '24-hour volume': (a, b) => compare(value(a.target_volume), value(b.target_volume)),
      Liquidity: (a, b) => compare(value(a.liquidity_in_usd), value(b.liquidity_in_usd)),
      Spread: (a, b) => {
        const share = ({ bid, ask }: Ticker) => divide(subtract(value(ask), value(bid)), add(value(ask), value(bid)))
        return compare(share(a), share(b))
      },
      Pair: (a, b) => byName.compare(shownName(a), shownName(b))
    }
    for (const [column, order] of Object.entries(columns)) {
      const header = page.getByRole('columnheader', { name: column, exact: true })
      const seen: Record<string, string[]> = {}
      for (let press = 0; press < 2; press++) {
        await header.getByRole('button').click()
        seen[await header.getAttribute('aria-sort') ?? 'none'] = await symbols(page)
      }
      t.same(seen.ascending, TICKERS.toSorted(order).map(shownName), `${column}, lowest first`)
      t.same(seen.descending, TICKERS.toSorted((a, b) => order(b, a)).map(shownName), `${column}, highest first`)
      t.equal(await page.locator('#pairs th[aria-sort]').count(), 1)
    }
  })

  visiting('searching', {}, async (t, { page, service }) => {
    await page.goto(service.url)
    await loaded(page)
    const search = page.getByLabel('Search')
    await search.fill('oRChard')
    t.same(await symbols(page), ['ORE'], 'letters of either case')
    t.equal(await page.locator('#count').innerText(), '1 of 12 pairs')
    await page.locator('[data-voice]').first().filter({ hasText: '1 of 12 pairs' }).waitFor({ state: 'attached' })
    await search.fill('forest fund')
    t.same(await symbols(page), ['KELP'], 'by name')
    await search.fill(address(105))
    t.same(await symbols(page), ['TINY'], 'by pool')
    await search.fill('<no such pair>')
    t.equal(await page.locator('#no-match-text').innerText(), 'No pair matches “<no such pair>”.')
    await page.getByRole('button', { name: 'Clear the search' }).click()
    t.equal((await symbols(page)).length, TICKERS.length)
    t.equal(await evaluate(page, 'document.activeElement.id'), 'search')
  })

  visiting('the supply of a token, by pointer, by key and by link', {}, async (t, { page, service }) => {
    await page.goto(service.url)
    await loaded(page)
    const dialog = page.getByRole('dialog')
    await rowOf(page, 'ORE').locator('td').nth(2).click()
    await dialog.locator('.supply-bar').waitFor()
    t.equal(new URL(page.url()).hash, `#${address(4)}`)
    t.equal(await page.locator('#token-title').innerText(), 'ORE')
    t.equal(await dialog.getByRole('img').getAttribute('aria-label'),
      'Supply: Team package 50.00 %, Internal AMM 7.11 %, External pool 2.76 %, Everywhere else 40.13 %')
    const widths = await evaluate<number[]>(page, '[...document.querySelectorAll(".supply-bar rect")].map(node => parseFloat(node.getAttribute("width")))')
    t.same(widths.map(width => width.toFixed(2)), ['50.00', '7.11', '2.76', '40.13'])
    t.match(await page.locator('#token-facts').innerText(), /Volume since launch\s+\$395,060/)
    t.equal(await rowOf(page, 'ORE').getAttribute('aria-current'), 'true')
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'hidden' })
    await page.waitForURL(({ hash }) => hash === '')
    await page.locator('tr[aria-current]').waitFor({ state: 'detached' })

    await page.getByRole('link', { name: 'KELP', exact: true }).focus()
    await page.keyboard.press('Enter')
    await dialog.locator('.supply-bar').waitFor()
    t.equal(await page.locator('#token-title').innerText(), 'KELP')
    await dialog.getByRole('button', { name: 'Close' }).click()
    await dialog.waitFor({ state: 'hidden' })
    t.equal(await evaluate(page, 'document.activeElement.textContent'), 'KELP', 'focus goes back to where it was')

    await page.goto('about:blank')
    await page.goto(`${service.url}#${address(1)}`)
    await dialog.locator('.supply-bar').waitFor()
    await page.locator('#token-title').filter({ hasText: 'META' }).waitFor()
  })

  visiting('a supply that cannot be had says why', {}, async (t, { page, service }) => {
    service.answers.supply = () => ({ status: 404, body: { error: 'Token mint not found' } })
    await page.goto(`${service.url}#unknown`)
    const notice = page.getByRole('dialog').locator('.notice')
    await notice.filter({ hasText: 'Token mint not found' }).waitFor()
    service.answers.supply = mint => ({ body: supplyOf(mint), headers: { age: '23' } })
    await notice.getByRole('button', { name: 'Try now' }).click()
    await page.locator('.supply-bar').waitFor()
    t.match(await page.locator('#supply').innerText(), /Read 23 seconds ago/)

    service.answers.supply = mint => ({ body: { result: '1', data: { ...supplyOf(mint).data, teamPerformancePackage: '25800001' } } })
    await page.goto(`${service.url}#${address(2)}`)
    await page.locator('#token-title').filter({ hasText: 'HUGE' }).waitFor()
    await page.locator('.legend li').last().filter({ hasText: '–' }).waitFor()
    t.pass('parts that exceed the whole leave no rest, rather than a negative one')
  })

  visiting('the volume per day', {}, async (t, { page, service }) => {
    await page.goto(service.url)
    const picture = page.locator('#chart')
    const bars = picture.locator('rect.bar')
    await bars.first().waitFor()
    t.equal(await picture.getAttribute('role'), 'img')
    t.match(await picture.locator('title').textContent(), /^Volume per day from \d+ \w+ \d+ to/)
    t.match(await picture.locator('desc').textContent(), /^\$[\d,]+ in [\d,]+ trades; the most on .*\.$/)
    t.equal(await bars.count(), 89, '90 days, of which one is not recorded')
    await page.getByLabel('30 days').check({ force: true })
    t.equal(await bars.count(), 29)
    t.equal(await picture.locator('rect.partial').count(), 1, 'today is not over')

    const readout = page.locator('#readout')
    await page.getByLabel('Day of the chart').focus()
    const [today, yesterday] = AGGREGATE.dailyBreakdown.toSorted((a, b) => a.date < b.date ? 1 : -1)
    t.match(await readout.innerText(), new RegExp(`so far[^]*${today!.trades} trades`))
    await page.keyboard.press('ArrowLeft')
    t.match(await readout.innerText(), new RegExp(`${yesterday!.trades} trades`))
    t.match(await page.getByLabel('Day of the chart').getAttribute('aria-valuetext'), new RegExp(`, \\$[\\d,.]+, ${yesterday!.trades} trades$`))
    await page.getByLabel('30 days').focus()
    t.notMatch(await readout.innerText(), 'so far')

    const box = (await page.locator('#scrubber').boundingBox())!
    await page.mouse.move(box.x + box.width - 8, box.y + 60)
    t.match(await readout.innerText(), new RegExp(`${today!.trades} trades`), 'by pointer')
    await page.mouse.move(0, 0)

    await page.getByText('The same as a table').click()
    await page.locator('#days tr').first().waitFor()
    t.same(await page.locator('#days tr').first().locator('td').allInnerTexts(), [`$${Number(today!.volume).toLocaleString('en', { maximumFractionDigits: 0 })}`, String(today!.trades)])
    t.equal(await page.locator('#days tr').count(), 29)
    await page.getByLabel('All', { exact: true }).check({ force: true })
    t.equal(await page.locator('#days tr').count(), 399)
  })

  visiting('text from token metadata is never markup', {}, async (t, { page, service }) => {
    await page.goto(`${service.url}#${address(11)}`)
    await page.locator('#token-title').filter({ hasText: SCRIPT }).waitFor()
    await page.locator('.supply-bar').waitFor()
    t.ok((await symbols(page)).includes(SCRIPT), 'shown as the text it is')
    t.equal(await page.locator('main img, dialog img, main script, dialog script').count(), 0)
    t.equal(await evaluate(page, 'globalThis.broken'), undefined)
  })

  visiting('warming up: the rest is shown, and the page comes back when told', {}, async (t, { page, service }) => {
    const message = 'Service temporarily unavailable. Please try again in a few moments.'
    service.answers.volume = () => ({ status: 503, headers: { 'retry-after': '1' }, body: { error: message } })
    await page.goto(service.url)
    await loaded(page)
    const notice = page.locator('#volume-state .notice')
    await notice.filter({ hasText: message }).waitFor()
    t.match(await notice.innerText(), /not ready yet[^]*Trying again at \d\d:\d\d:\d\d/)
    t.equal(await page.locator('#total-tile-figure').innerText(), '–', 'no zero in place of what is not known')
    service.answers.volume = () => ({ body: AGGREGATE })
    await page.locator('#chart rect.bar').first().waitFor()
    t.equal(await notice.count(), 0)
  })

  visiting('over the limit: everything waits as long as told', {}, async (t, { page, service }) => {
    const limited = () => ({ status: 429, headers: { 'retry-after': '2' }, body: { error: 'Rate limit exceeded. Please try again later.' } })
    service.answers.tickers = limited
    service.answers.volume = limited
    await page.goto(service.url)
    const notice = page.locator('#pairs-state .notice')
    await notice.filter({ hasText: 'Rate limit exceeded. Please try again later.' }).waitFor()
    t.equal(await notice.getByRole('button').count(), 0, 'nothing to press while one has to wait')
    await evaluate(page, `location.hash = '${address(1)}'`)
    await page.locator('#supply .notice').waitFor()
    t.equal(asked(service, `/api/supply/${address(1)}`), 0, 'the limit counts for every path')
    service.answers.tickers = () => ({ body: TICKERS })
    await page.waitForTimeout(800)
    t.equal(asked(service, '/api/tickers'), 1)
    await loaded(page)
    await page.locator('.supply-bar').waitFor()
    t.equal(asked(service, '/api/tickers'), 2)
  })

  visiting('errors, stale answers, nothing to show', {}, async (t, { page, service }) => {
    service.answers.tickers = () => ({ status: 502, body: { error: 'Upstream RPC service unavailable' } })
    await page.goto(service.url)
    const notice = page.locator('#pairs-state .notice')
    await notice.filter({ hasText: 'Upstream RPC service unavailable' }).waitFor()
    const retry = async (): Promise<void> => notice.getByRole('button', { name: 'Try now' }).click()

    service.answers.tickers = () => ({ body: [{ nothing: 'known' }] })
    await retry()
    await notice.filter({ hasText: 'in a form that this page cannot read' }).waitFor()
    service.answers.tickers = () => ({ body: [] })
    await retry()
    await page.getByText('No DAO has a pool with reserves at the moment.').waitFor()
    t.equal(await page.locator('#pairs-table').isVisible(), false)
    service.answers.tickers = () => ({ body: TICKERS, headers: { age: '42' } })
    await page.reload()
    await loaded(page)
    service.answers.volume = () => ({ body: AGGREGATE, headers: { 'x-history-complete': 'false', 'x-history-missing': '3' } })
    await page.reload()
    await page.locator('#volume-fresh').filter({ hasText: 'Incomplete: some trades are missing' }).waitFor()
    await loaded(page)
    t.match(await page.locator('#pairs-fresh').innerText(), /^Loaded at [\d:]+, but 42 seconds old: the service could not read the chain since$/)
  })

  visiting('asks again every 15 and 60 seconds while it is seen, keeping focus and what it has', {}, async (t, { page, service }) => {
    await page.clock.install()
    await page.addInitScript('Object.defineProperty(document, "visibilityState", { get: () => globalThis.seen ?? "visible" })')
    await page.goto(service.url)
    await loaded(page)
    await page.locator('#chart rect.bar').first().waitFor()
    const link = page.getByRole('link', { name: 'ORE', exact: true })
    await link.focus()
    service.answers.tickers = () => ({ body: TICKERS.map(ticker => ticker.base_symbol === 'ORE' ? { ...ticker, last_price: '2.5', liquidity_in_usd: '99999999999999999999' } : ticker) })
    await page.clock.runFor(15_000)
    await rowOf(page, 'ORE').filter({ hasText: '2.5000' }).waitFor()
    t.equal((await symbols(page))[0], 'ORE', 'sorted anew')
    t.equal(await evaluate(page, 'document.activeElement.textContent'), 'ORE', 'focus stays')

    service.answers.tickers = () => ({ status: 500, body: { error: 'Failed to fetch DAO data from blockchain' } })
    await page.clock.runFor(15_000)
    await page.locator('#pairs-state .notice').filter({ hasText: 'What you see was loaded at' }).waitFor()
    t.equal((await symbols(page)).length, TICKERS.length, 'the last answer stays')

    await evaluate(page, 'globalThis.seen = "hidden", document.dispatchEvent(new Event("visibilitychange"))')
    const before = service.asked.length
    await page.clock.runFor(600_000)
    t.equal(service.asked.length, before, 'unseen, it asks for nothing')
    service.answers.tickers = () => ({ body: TICKERS })
    await evaluate(page, 'globalThis.seen = "visible", document.dispatchEvent(new Event("visibilitychange"))')
    await page.clock.runFor(10)
    await page.locator('#pairs-state .notice').waitFor({ state: 'detached' })
    t.equal(asked(service, '/api/volume/aggregate'), 2)
  })

  visiting('the whole service, on a simulated chain', {}, async (t, { page, service }) => {
    await service.close()
    const { url, tickers } = await startWholeService(t)
    service.url = url
    await page.goto(url)
    await loaded(page)
    t.equal(await page.locator('#pairs-body tr').count(), tickers)
    await page.locator('#chart rect.bar').first().waitFor()
    t.equal(await page.locator('.notice').count(), 0)
    await page.locator('#pairs-body tr').first().click()
    await page.locator('.supply-bar').waitFor()
    await page.goto(`${url}#no-mint`)
    await page.locator('#supply .notice').filter({ hasText: 'Invalid mint address' }).waitFor()
  })
})
