import { until } from '../../support/until.js'
import { candlesOf, detailOf, poolOf, POOLS, PROPOSALS, tradesOf } from './market-data.js'
import { asked, download, evaluate, holds, inBrowser, loaded, openPool, rowOf, stopClock } from './visit.js'

/** The page of a pool: what it shows and does, over an API whose answers each test decides. */

const META = poolOf('META')

inBrowser(visiting => {
  visiting('from the list to a pool and back', {}, async (t, { page, service }) => {
    await page.goto(`${service.url}?q=meta`)
    await loaded(page)
    await rowOf(page, 'META').locator('.volume-cell').click()
    await page.waitForURL(`**/market/pool/${META.pool_id}`)
    await page.locator('.supply-bar').waitFor()
    t.equal(await page.locator('h1').innerText(), 'META / USDC')
    t.equal(await page.title(), 'META 6.4829 USDC · DAO Market Data')
    await page.goBack()
    await loaded(page)
    t.equal(await page.getByLabel('Search').inputValue(), 'meta', 'as it was left')
  })

  visiting('every figure, with its unit, every digit and its meaning', {}, async (t, { page, service }) => {
    await stopClock(page)
    await openPool(page, service.url, META.pool_id)
    await page.locator('.supply-bar').waitFor()
    t.equal(await page.locator('#price').getAttribute('title'), '6.482913370041')
    t.equal(await page.locator('#change').innerText(), '+3.42 %')
    const figures = Object.fromEntries((await page.locator('#figures > div').allInnerTexts()).map(
      text => text.split('\n').filter(Boolean)
    ) as Array<[string, string]>)
    t.match(figures, {
      Bid: '6.4491 USDC',
      Ask: '6.5169 USDC',
      Spread: '1.05 %',
      'Volume, 24 h': '120,346 META',
      Treasury: '$5,000,000',
      Liquidity: '$9,412,880',
      'Market cap': '$64.83\u202fM',
      'Fully diluted': '$129.7\u202fM',
      Launched: '31 Jan 2026',
      Proposal: 'None'
    })
    t.same(await page.locator('#changes dd').allInnerTexts(), ['–', '−0.25 %', '+1.50 %', '+3.42 %', '+8.10 %', '–'])
    t.same(await page.locator('#side-rows tr').allInnerTexts(), [
      'Trades\t700\t500\t1,200', 'Volume\t783.4\u202fK\t500\u202fK\t1.283\u202fM', 'Traders\t20\t16\t31'
    ])
    t.equal(await page.locator('#side-rows td').nth(3).getAttribute('title'), '783,400.12 USDC', 'every digit')
    const cap = page.locator('#figures div', { hasText: 'Market cap' }).locator('dd')
    t.equal(await cap.getAttribute('title'), '$64,829,133.70', 'as the service gives it')
    t.same(
      (await page.locator('#range-rows tr').nth(1).locator('th, td').allInnerTexts()),
      ['7 d', '5.2500', '7.5000', '1.283\u202fM']
    )
    t.equal(await page.getByRole('img', { name: /^Supply/ }).getAttribute('aria-label'),
      'Supply: Team package 50.00 %, DAO pool 7.11 %, External pool 2.76 %, Everywhere else 40.13 %')
    t.match(await page.locator('#verify .check').innerText(), 'the reserves give 6.482913370041 USDC, the price shown')
    t.match(await page.locator('#verify').innerText(), /0\.25 % \(slots [\d–]+\); 0\.5 %/)
    t.ok(service.asked.length < 17, `a visit costs ${service.asked.length} requests`)
    service.answers.pool = id => ({ body: { ...detailOf(id), market_cap_usd: null, fdv_usd: null } })
    await page.reload()
    await page.locator('.supply-bar').waitFor()
    t.equal(await cap.getAttribute('title'), '83,629,582.4735289', 'or else a price times a supply, exactly')
    service.answers.supply = () => ({ status: 404, body: { error: 'Token mint not found' } })
    await page.reload()
    await page.locator('#supply-state .notice').filter({ hasText: 'Token mint not found' }).waitFor()
    t.equal(await cap.innerText(), '–', 'unknown is no zero')
    t.equal(await page.locator('#banner').isVisible(), false, 'a token without a supply is no outage')
  })

  visiting('the chart: as a line, by a log scale, joined or not; short candles where a pool is young', {}, async (
    t, { page, service }
  ) => {
    const young = { ...detailOf(META.pool_id) as object, created_at: new Date(Date.now() - 3_600_000).toISOString() }
    service.answers.pool = () => ({ body: young })
    await openPool(page, service.url, META.pool_id)
    await page.locator('#candle-chart canvas').first().waitFor()
    t.equal(await evaluate(page, 'document.querySelector("input[name=interval]:checked").value'), '1m')
    t.ok(service.asked.some(url => url.includes('/ohlcv?interval=1m&')))
    let shown = ''
    /** Waits until the chart is drawn otherwise than before, and rests. */
    const redrawn = (why: string): Promise<void> => until(`the chart is drawn anew: ${why}`, async () => {
      const [first, second] = [
        await page.locator('#candle-chart').screenshot(), await page.locator('#candle-chart').screenshot()
      ].map(picture => picture.toString('base64')) as [string, string]
      if (first !== second || second === shown) return false
      shown = second
      return true
    })
    await redrawn('candles')
    // of these each begins where the one before it ended
    await page.getByLabel('Joined', { exact: true }).click()
    for (const name of ['Log scale', 'Line']) {
      await page.getByLabel(name, { exact: true }).click()
      await redrawn(name)
    }
    const box = (await page.locator('#candle-chart').boundingBox())!
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2)
    await page.keyboard.down('Control')
    await page.mouse.wheel(0, -600)
    await page.keyboard.up('Control')
    await page.mouse.move(0, 0)
    await redrawn('with Ctrl the wheel zooms')
    t.equal(await evaluate(page, 'scrollY'), 0)
  })

  visiting('older candles come as one drags, what is in sight stays; no more than there are', {}, async (
    t, { page, service }
  ) => {
    const all = candlesOf(3_600, 500)
    service.answers.candles = ({ to = Infinity }) => ({
      body: all.filter(({ time }) => time <= Number(to)).slice(-200)
    })
    const older = (): string[] => service.asked.filter(url => url.includes('&to='))
    let release = (): void => {}
    const held = new Promise<void>(resolve => { release = resolve })
    await page.route(/&to=/, async route => {
      await held
      await route.continue()
    })
    await openPool(page, service.url, META.pool_id)
    const last = (max: number) => holds(page, `document.getElementById('candle').max === '${max}'`)
    await last(199)
    const box = (await page.locator('#candle-chart').boundingBox())!
    const drag = async (): Promise<void> => {
      await page.mouse.move(box.x + 20, box.y + 100)
      await page.mouse.down()
      await page.mouse.move(box.x + 620, box.y + 100, { steps: 5 })
      await page.mouse.up()
    }
    const asking: string[] = []
    page.on('request', request => { if (request.url().includes('&to=')) asking.push(request.url()) })
    while (asking.length === 0) await drag()
    const pointed = () => evaluate<string>(page, 'document.getElementById("candle-readout").innerText')
    await page.mouse.move(box.x + 620, box.y + 101)
    const before = await pointed()
    release()
    await last(399)
    await page.mouse.move(box.x + 620, box.y + 102)
    t.equal(await pointed(), before, 'nothing jumps')
    t.match(older()[0], `&to=${all.at(-200)!.time - 1}&`)
    for (let times = 0; times < 10; times++) await drag()
    await last(499)
    await drag()
    t.equal(older().length, 2, 'a page that is not full is the last')
    t.equal(await page.locator('#candles-state').innerText(), '')
  })

  visiting('older candles that can\'t be had: it is said, and tried again', {}, async (t, { page, service }) => {
    const all = candlesOf(3_600, 350)
    service.answers.candles = ({ to }) => to === undefined
      ? { body: all.slice(-200) }
      : { status: 502, body: { error: 'Upstream RPC service unavailable' } }
    await openPool(page, service.url, META.pool_id)
    const slider = page.getByLabel('Candle of the chart')
    await slider.focus()
    await page.keyboard.press('Home')
    await page.locator('#candles-state').getByText('The older candles could not be loaded.').waitFor()
    const candle = await slider.getAttribute('aria-valuetext')
    service.answers.candles = ({ to = Infinity }) => ({
      body: all.filter(({ time }) => time <= Number(to)).slice(-200)
    })
    await page.locator('#candles-state').getByRole('button', { name: 'Try now' }).click()
    await holds(page, 'document.getElementById("candle").max === "349"')
    await slider.focus()
    t.equal(await slider.getAttribute('aria-valuetext'), candle, 'the same candle is pointed at')
  })

  visiting('the last trade, the pool\'s price and the market cap, each by its name', {}, async (
    t, { page, service }
  ) => {
    await openPool(page, service.url, META.pool_id)
    t.match(await page.locator('.headline').innerText(), /Pool price · last trade at [\d.]+, \d+ s ago$/)
    t.equal(await page.locator('#last-trade').getAttribute('title'), tradesOf(1)[0]!.price)
    const close = page.locator('#candle-readout dd').nth(4)
    const price = candlesOf(3_600).at(-1)!.close
    t.equal(await close.getAttribute('title'), price)
    await page.getByLabel('Market cap (supply now)').check()
    await page.getByRole('heading', { name: 'Market cap', exact: true }).waitFor()
    t.match(await page.locator('#candle-range').innerText(), 'price × the supply that circulates now (12,900,000 META)')
    t.equal(
      (await close.getAttribute('title'))!.replaceAll(',', ''),
      (Number(price.replace('.', '')) * 129 / 1e7).toFixed(7).replace(/\.?0+$/, '')
    )
    service.answers.supply = () => ({ status: 404, body: { error: 'Token mint not found' } })
    await page.reload()
    await page.locator('#supply-state .notice').waitFor()
    t.equal(await page.getByLabel('Market cap (supply now)').isVisible(), false, 'none without a supply')
  })

  visiting('candles: intervals, by pointer, by keyboard, as a table, as a file', {}, async (t, { page, service }) => {
    await openPool(page, service.url, META.pool_id)
    const newest = candlesOf(3_600).at(-1)!
    const readout = page.locator('#candle-readout')
    t.match(await readout.innerText(), Number(newest.close).toFixed(4))
    t.match(await page.locator('#candle-range').innerText(), 'in USDC per META; volume in USDC.')
    const box = (await page.locator('#candle-chart').boundingBox())!
    const before = await readout.innerText()
    await page.mouse.move(box.x + box.width / 3, box.y + box.height / 2)
    await holds(page, `document.getElementById('candle-readout').innerText !== ${JSON.stringify(before)}`)
    const pointed = await evaluate<string>(page, 'document.querySelectorAll("#candle-readout dd")[4].title')
    t.ok(candlesOf(3_600).some(({ close }) => close === pointed), 'the close of a candle, as the service gave it')
    await page.mouse.move(0, 0)
    await page.getByLabel('Candle of the chart').focus()
    await page.keyboard.press('ArrowLeft')
    t.match(
      await page.getByLabel('Candle of the chart').getAttribute('aria-valuetext'),
      /open [\d.]+, high [\d.]+, low [\d.]+, close [\d.]+ USDC, volume/
    )
    t.match(await readout.innerText(), Number(candlesOf(3_600).at(-2)!.high).toFixed(4))
    await page.getByLabel('1d', { exact: true }).check({ force: true })
    await page.locator('#candle-range').filter({ hasText: '00:00 UTC to' }).waitFor()
    t.equal(new URL(page.url()).search, '?interval=1d')
    t.ok(service.asked.some(url => url.includes('interval=1d')))
    await page.locator('#candles').getByText('The same as a table').click()
    await page.locator('#candle-rows tr').nth(299).waitFor()
    t.equal(await page.locator('#candle-rows tr').count(), 300)
    t.equal(
      await page.locator('#candle-rows tr').first().locator('td').nth(3).getAttribute('title'),
      candlesOf(86_400).at(-1)!.close
    )
    const lines = (await download(page, page.locator('#candles-csv'))).trim().split('\r\n')
    t.equal(lines.length, 301)
    t.match(lines.at(-1), candlesOf(86_400).at(-1)!.close)
    await page.reload()
    await page.locator('#candle-chart canvas').first().waitFor()
    t.ok(await page.getByLabel('1d', { exact: true }).isChecked(), 'a link leads to the same interval')
    t.match(await page.locator('.card-foot a').getAttribute('href'), 'https://www.tradingview.com/')
  })

  visiting('an option chosen while another interval is awaited', {}, async (t, { page, service }) => {
    let answer = () => {}
    const answered = new Promise<void>(resolve => { answer = resolve })
    await page.route('**/ohlcv?interval=1d*', async route => {
      await answered
      await route.continue()
    })
    await openPool(page, service.url, META.pool_id)
    const range = page.locator('#candle-range')
    const before = await range.innerText()
    await page.locator('#candles').getByText('The same as a table').click()
    await page.getByLabel('1d', { exact: true }).check({ force: true })
    await page.locator('#chart-options input[name=log]').check({ force: true })
    t.equal(await range.innerText(), before, 'the hours are shown as hours')
    answer()
    await range.filter({ hasText: '00:00 UTC to' }).waitFor()
    t.equal(await page.locator('#candle-rows tr').count(), 300, 'days alone')
  })

  visiting('a pool without a trade, and prices of any size', {}, async (t, { page, service }) => {
    service.answers.candles = () => ({ body: [] })
    service.answers.trades = () => ({ body: [] })
    await page.goto(`${service.url}/pool/${poolOf('LUMEN').pool_id}`)
    await page.getByText('No trade in this range.').waitFor()
    await page.getByText('This pool has not traded yet.').waitFor()
    t.equal(await page.locator('#change').innerText(), '–')
    const tiny = candlesOf(3_600).map(candle => ({
      ...candle,
      open: '0.0000000000000000123456789012',
      high: '0.0000000000000000133456789012',
      low: '0.0000000000000000113456789012',
      close: '0.0000000000000000123456789013'
    }))
    service.answers.candles = () => ({ body: tiny })
    await page.goto(`${service.url}/pool/${poolOf('DUST').pool_id}`)
    await page.locator('#candle-chart canvas').first().waitFor()
    t.match(await page.locator('#candle-readout').innerText(), '1.2346 × 10⁻¹⁷')
  })

  visiting('trades as they come, and older ones', {}, async (t, { page, service }) => {
    service.answers.trades = ({ before }) => ({
      body: before === undefined ? tradesOf(25) : tradesOf(10, Number(before) - 1)
    })
    await stopClock(page)
    await openPool(page, service.url, META.pool_id)
    const rows = page.locator('#trade-rows tr')
    t.equal(await rows.count(), 25)
    t.match((await rows.first().innerText()).replace(/\s+/g, ' '), /^\d+ s Sell [\d.]+ USDC 20\.25 META 120\.50 USDC/)
    t.equal(await rows.nth(1).locator('.trade-amount span').getAttribute('title'), '73.250000')
    t.equal(
      await rows.first().getByRole('link', { name: /^Open the transaction/ }).getAttribute('href'),
      `https://solscan.io/tx/${tradesOf(1)[0]!.signature}`
    )
    await page.getByRole('button', { name: 'Show older trades' }).click()
    await rows.nth(34).waitFor()
    t.equal(
      await page.getByRole('button', { name: 'Show older trades' }).isVisible(),
      false,
      'no page was full: there is no more'
    )
    service.answers.trades = () => ({ body: tradesOf(25, 5_002) })
    await page.clock.runFor(15_000)
    await page.locator('#trade-rows tr.new').nth(1).waitFor()
    t.equal(await page.locator('#trade-rows tr.new').count(), 2, 'what is new is seen, what is older is not')
    t.equal(await rows.count(), 37, 'joined, none twice')
    const lines = (await download(
      page, page.getByRole('button', { name: 'Download the trades as CSV' })
    )).trim().split('\r\n')
    t.equal(lines.length, 38)
    t.match(lines[1], '5002,')
  })

  visiting('a trade told before the page that it belongs to hides nothing', {}, async (t, { page, service }) => {
    let told = 5_001
    await page.route('**/api/stream?*', route => route.fulfill({
      contentType: 'text/event-stream',
      body: `retry: 200\n\nevent: trade\ndata: ${JSON.stringify(tradesOf(1, told)[0])}\n\n`
    }))
    let newest = 5_000
    service.answers.trades = () => ({ body: tradesOf(25, newest) })
    const rows = page.locator('#trade-rows tr')
    const isFirst = (id: number) =>
      rows.first().locator(`[data-full="${tradesOf(1, id)[0]!.signature}"]`).waitFor()
    let answer = () => {}
    const answered = new Promise<void>(resolve => { answer = resolve })
    await page.route('**/trades?limit=25', async route => {
      await answered
      await route.continue()
    })
    await stopClock(page)
    await page.goto(`${service.url}/pool/${META.pool_id}`)
    await isFirst(5_001)
    answer()
    await rows.nth(25).waitFor()
    t.ok(await page.getByRole('button', { name: 'Show older trades' }).isVisible())
    told = 5_200
    await isFirst(5_200)
    newest = 5_200
    await page.clock.runFor(15_000)
    await rows.nth(26).waitFor({ state: 'detached' })
    t.equal(await rows.count(), 25, 'nobody knows what came between: the list begins anew')
  })

  visiting('what is shown goes on under who stands on a part of it', {}, async (t, { page, service }) => {
    await stopClock(page)
    await openPool(page, service.url, META.pool_id)
    await page.locator('#verify .check').waitFor()
    const stands = (): Promise<string> => evaluate(page, 'document.activeElement.textContent')
    const goOn = async (): Promise<void> => { await page.clock.runFor(15_000) }
    const liquidity = page.locator('#figures div', { hasText: 'Liquidity' })
    await liquidity.getByRole('button').press('Enter')
    await page.locator('#definition').waitFor()
    service.answers.pool = id => ({ body: { ...detailOf(id), liquidity_in_usd: '7000.00' } })
    await goOn()
    await liquidity.filter({ hasText: '$7,000.00' }).waitFor()
    t.equal(await stands(), 'Liquidity')
    t.ok(await page.locator('#definition').isVisible(), 'a definition that is read stays')
    await page.locator('#verify .address').first().click()
    service.answers.pool = id => ({ body: { ...detailOf(id), last_price: '7.5' } })
    await goOn()
    await page.locator('#verify .check.bad').waitFor()
    t.match(await stands(), 'Copy the')
    const trader = page.locator('#trade-rows .address').nth(2)
    await trader.focus()
    const before = await stands()
    service.answers.trades = () => ({ body: tradesOf(25, 5_001) })
    await goOn()
    await page.locator('#trade-rows tr.new').first().waitFor()
    t.equal(await stands(), before, 'a new trade takes nobody from an older one')
    service.answers.trades = ({ before }) => ({ body: tradesOf(25, Number(before) - 1) })
    await page.getByRole('button', { name: 'Show older trades' }).press('Enter')
    await page.locator('#trade-rows tr').nth(50).waitFor()
    t.equal(await stands(), 'Show older trades', 'and once more')
  })

  visiting('stale, unreachable, and back', {}, async (t, { page, service }) => {
    await stopClock(page)
    await openPool(page, service.url, META.pool_id)
    service.answers.pool = () => ({ body: detailOf(META.pool_id), headers: { age: '37' } })
    await page.clock.runFor(15_000)
    await page.locator('#banner').filter({ hasText: /^These figures are of 03:04:05 UTC/ }).waitFor()
    service.answers.pool = () => ({ status: 502, body: { error: 'Upstream RPC service unavailable' } })
    await page.clock.runFor(15_000)
    await page.locator('#banner').filter({ hasText: 'Upstream RPC service unavailable. This page' }).waitFor()
    t.equal(await page.locator('#price').innerText(), '6.4829', 'the last answer stays')
    service.answers.pool = () => ({ status: 404, body: { error: 'Pool not found: it' } })
    await page.clock.runFor(4_000)
    await page.locator('#banner').filter({ hasText: /not found: it\. .* What you see was loaded at/ }).waitFor()
    service.answers.pool = () => ({ body: { ...detailOf(META.pool_id), last_price: '7.5' } })
    await page.locator('#banner').getByRole('button', { name: 'Try now' }).click()
    await page.locator('#price').filter({ hasText: '7.5000' }).waitFor()
    await page.locator('#banner').waitFor({ state: 'hidden' })
    t.ok(asked(service, `/api/pools/${META.pool_id}`) >= 4)
  })

  visiting('what stands beside newer figures says that it is old, or is a dash', {}, async (t, { page, service }) => {
    await stopClock(page)
    const treasury = { nav_usd: '421.00', nav_per_token: '4.21', premium: '0.5', runway_months: null }
    service.answers.treasury = () => ({ body: treasury })
    await openPool(page, service.url, META.pool_id)
    const nav = page.locator('#figures div', { hasText: 'NAV per token' }).locator('dd')
    await nav.filter({ hasText: '$4.2100' }).waitFor()
    service.answers.treasury = () => ({ body: treasury, headers: { age: '37' } })
    await page.clock.fastForward(60_000)
    await page.locator('#banner').filter({ hasText: /^These figures are of 03:04:05 UTC/ }).waitFor()
    service.answers.treasury = () => ({ status: 502, body: { error: 'Upstream RPC service unavailable' } })
    await page.clock.runFor(4_000)
    await nav.filter({ hasText: /^–$/ }).waitFor()
    await page.locator('#banner').waitFor({ state: 'hidden' })
  })

  visiting('the markets of a proposal, whatever their prices', {}, async (_t, { page, service }) => {
    const live = { ...PROPOSALS[0]!, state: 'pending', dao: META.pool_id }
    service.answers.proposals = () => ({ body: [live] })
    await page.route(/\/ohlcv\?market=/, route => route.fulfill({
      json: ['0.000000012', '0.0000000009'].map((close, at) => ({ ...candlesOf(3_600)[at]!, close }))
    }))
    await openPool(page, service.url, META.pool_id)
    await page.locator('.markets figcaption').filter({ hasText: 'between 9 × 10⁻¹⁰ and 0.000000012000' }).waitFor()
  })

  visiting('no such pool', {}, async (t, { page, service }) => {
    const answer = await page.goto(`${service.url}/pool/${POOLS[0]!.pool_id.toLowerCase()}`)
    t.equal(answer?.status(), 404)
    t.equal(await page.locator('h1').innerText(), 'No such pool')
    await page.getByRole('link', { name: 'All pools' }).click()
    await loaded(page)
  })
})
