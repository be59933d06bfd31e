import { compare, parseDecimal } from '../../../lib/decimal.js'
import { address, AGGREGATE, type Pool, POOLS, SCRIPT } from './market-data.js'
import { until } from '../../support/until.js'
import { asked, download, evaluate, inBrowser, loaded, rowOf, shownName, stopClock, symbols } from './visit.js'

/** The list of pools: what it shows and does, over an API whose answers each test decides. */

const UNAVAILABLE = 'Service temporarily unavailable. Please try again in a few moments.'

inBrowser(visiting => {
  visiting('the market at a glance', {}, async (t, { page, service }) => {
    await stopClock(page)
    await page.goto(service.url)
    await loaded(page)
    t.equal(await page.title(), 'DAO Market Data')
    t.same(await symbols(page), POOLS.map(shownName), 'deepest first, what nothing prices last')
    const cells = await rowOf(page, 'ORE').locator('th, td').allInnerTexts()
    t.same(cells.map(text => text.replace(/\s+/g, ' ').replace(/ · .*/, '').trim()), [
      ('O ORE / USDC Proposal : A proposal is being decided: part of the pool’s reserves trades in its conditional ' +
        'markets until then, so less liquidity stands behind the spot price. Orchard Collective').replace('/ ', ''),
      '0.91235 USDC', '+18.05 %', '', '109.8 K USDC', '$451.2 K', '– FDV –', '– NAV –', '909'
    ])
    t.equal(await rowOf(page, 'META').locator('.premium-cell').innerText(), '+53.99 %\nNAV $4.2100')
    t.equal(await rowOf(page, 'META').locator('.cap-cell').innerText(), '$64.83\u202fM\nFDV $129.7\u202fM')
    t.equal(
      await rowOf(page, 'ORE').locator('.price-cell .figure').getAttribute('title'),
      '0.912345678901',
      'every digit on pointing'
    )
    t.equal(await rowOf(page, 'ORE').locator('.spark-line').count(), 1)
    t.equal(await rowOf(page, 'LUMEN').locator('.change').innerText(), '–', 'nothing to compare with is no zero')
    t.equal(await page.locator('#pools-body tr').last().locator('.liquidity-cell .figure').innerText(), '–')
    t.match(await page.locator('#pools-body tr').last().innerText(), 'No USD price')
    t.equal(await page.locator('.pools th[aria-sort]').getAttribute('aria-sort'), 'descending')
    const inSight = await evaluate<number>(
      page,
      '[...document.querySelectorAll("#pools-body tr")]' +
        '.filter(row => row.getBoundingClientRect().bottom <= innerHeight).length'
    )
    t.ok(inSight >= 8, `${inSight} pools above the fold`)
    t.match(await page.locator('#pools-fresh').innerText(), /^Loaded at \d\d:\d\d:\d\d$/)
    t.match(await page.locator('.strip').innerText(), /\$38\.41\u202fM/)
    t.equal(await page.locator('#banner').isVisible(), false)
    t.ok(service.asked.length < 12, `a first visit costs ${service.asked.length} requests`)
    service.asked.length = 0
    await page.reload()
    await loaded(page)
    t.ok(service.asked.length <= 4, `a second one ${service.asked.length}`)
  })

  visiting('sorting by every column, exactly, and in the address', {}, async (t, { page, service }) => {
    await page.goto(service.url)
    await loaded(page)
    const byName = new Intl.Collator('en', { sensitivity: 'base', numeric: true })
    const figures = (
      field: 'last_price' | 'target_volume_24h' | 'liquidity_in_usd'
    ) => (a: Pool, b: Pool) => compare(parseDecimal(a[field])!, parseDecimal(b[field])!)
    const columns: Record<string, (a: Pool, b: Pool) => number> = {
      Price: figures('last_price'),
      'Volume, 24 h': figures('target_volume_24h'),
      Liquidity: figures('liquidity_in_usd'),
      'Trades, 24 h': (a, b) => a.trades_24h - b.trades_24h,
      Pool: (a, b) => byName.compare(shownName(a), shownName(b))
    }
    const unpricedLast = (a: Pool, b: Pool): number => Number(b.priced_in_usd) - Number(a.priced_in_usd)
    for (const [column, order] of Object.entries(columns)) {
      const header = page.getByRole('columnheader', { name: column, exact: true })
      const seen: Record<string, string[]> = {}
      for (let press = 0; press < 2; press++) {
        await header.getByRole('button').click()
        seen[await header.getAttribute('aria-sort') ?? 'none'] = await symbols(page)
      }
      t.same(
        seen.ascending,
        POOLS.toSorted((a, b) => unpricedLast(a, b) || order(a, b)).map(shownName),
        `${column}, lowest first`
      )
      t.same(
        seen.descending,
        POOLS.toSorted((a, b) => unpricedLast(a, b) || order(b, a)).map(shownName),
        `${column}, highest first`
      )
      t.equal(await page.locator('.pools th[aria-sort]').count(), 1)
    }
    await page.getByRole('columnheader', { name: '24 h', exact: true }).getByRole('button').click()
    t.equal(new URL(page.url()).search, '?sort=change&dir=desc')
    const changed = await symbols(page)
    t.equal(changed[0], 'ORE')
    t.same(changed.slice(-3), ['LUMEN', 'DUST', shownName(POOLS.at(-1)!)], 'without a change after those with one')
    await page.reload()
    await loaded(page)
    t.same(await symbols(page), changed, 'a link leads to the same order')
  })

  visiting('what is announced is added to what was, and taken out again', {}, async (t, { page, service }) => {
    await stopClock(page)
    await page.goto(service.url)
    await loaded(page)
    const voice = page.locator('[data-voice]')
    t.equal(await voice.getAttribute('aria-atomic'), 'false', 'what is added is spoken alone')
    // what the page says as it loads is behind it
    await page.clock.runFor(20_000)
    const name = page.getByRole('columnheader', { name: 'Pool' }).getByRole('button')
    await name.click()
    await name.click()
    t.same(await voice.locator('p').allTextContents(), ['Sorted by Name, ascending', 'Sorted by Name, descending'])
    for (let more = 0; more < 6; more++) await name.click()
    const said = await voice.locator('p').allTextContents()
    t.equal(said.length, 5, 'however much is said')
    t.equal(said.at(-1), 'Sorted by Name, descending')
    await page.clock.runFor(15_000)
    t.equal(await voice.locator('p').filter({ hasText: 'Sorted' }).count(), 0)
  })

  visiting('searching, in the address too', {}, async (t, { page, service }) => {
    await page.goto(service.url)
    await loaded(page)
    await page.keyboard.press('/')
    t.equal(await evaluate(page, 'document.activeElement.id'), 'search')
    const search = page.getByLabel('Search')
    await search.fill('oRChard')
    t.same(await symbols(page), ['ORE'], 'letters of either case')
    await page.locator('[data-voice]').first().filter({ hasText: '1 of 12 pools' }).waitFor({ state: 'attached' })
    t.equal(new URL(page.url()).search, '?q=oRChard')
    await search.fill('forest fund')
    t.same(await symbols(page), ['KELP'], 'by name')
    await search.fill(address(105))
    t.same(await symbols(page), ['TINY'], 'by pool')
    await search.fill('<no such pool>')
    t.equal(await page.locator('#no-match-text').innerText(), 'No pool matches “<no such pool>”.')
    await page.getByRole('button', { name: 'Clear the search' }).click()
    t.equal((await symbols(page)).length, POOLS.length)
    t.equal(await evaluate(page, 'document.activeElement.id'), 'search')
    await page.goto(`${service.url}?q=tiny`)
    await loaded(page)
    t.same(await symbols(page), ['TINY'])
    t.equal(await search.inputValue(), 'tiny')
  })

  visiting('the list as a file, with every digit and no formula', {}, async (t, { page, service }) => {
    service.answers.pools = () => ({
      body: [POOLS[0], { ...POOLS[1]!, base: { ...POOLS[1]!.base, symbol: '=HYPERLINK("x")' } }]
    })
    await page.goto(service.url)
    await loaded(page)
    const lines = (await download(
      page, page.getByRole('button', { name: 'Download the list as CSV' })
    )).trim().split('\r\n')
    t.equal(lines.length, 3)
    t.match(lines[0], 'pool_id,base_symbol')
    t.match(lines[1], `,${POOLS[0]!.last_price},`)
    t.match(lines[2], '"\'=HYPERLINK(""x"")"')
  })

  visiting('DAOs that are left out, each with its reason', {}, async (t, { page, service }) => {
    await page.goto(service.url)
    await loaded(page)
    t.equal(asked(service, '/api/daos'), 0, 'nobody has asked yet')
    await page.getByText('DAOs that are left out, and why').click()
    await page.getByText('Its spot pool is empty on at least one side').waitFor()
    t.match(await page.locator('#left-out-body').innerText(), '1 of 13 DAOs')
  })

  visiting('the volume per day', {}, async (t, { page, service }) => {
    await page.goto(service.url)
    const picture = page.locator('#chart')
    const bars = picture.locator('rect.bar')
    await bars.first().waitFor()
    t.equal(await picture.getAttribute('role'), 'img')
    t.match(
      await picture.getAttribute('aria-label'),
      /^Volume per day from \d+ \w+ \d+ to .*: \$[\d,]+ in [\d,]+ trades; the most on .*\.$/
    )
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
    t.match(
      await page.getByLabel('Day of the chart').getAttribute('aria-valuetext'),
      new RegExp(`, \\$[\\d,.]+, ${yesterday!.trades} trades$`)
    )
    await page.getByLabel('30 days').focus()
    await page.locator('#chart').scrollIntoViewIfNeeded()
    const box = (await page.locator('#chart').boundingBox())!
    await page.mouse.move(box.x + box.width - 8, box.y + 60)
    t.match(await readout.innerText(), new RegExp(`${today!.trades} trades`), 'by pointer')
    await page.mouse.move(0, 0)
    await page.locator('#volume').getByText('The same as a table').click()
    await page.locator('#days tr').first().waitFor()
    t.equal(await page.locator('#days tr').count(), 29)
  })

  visiting('text from token metadata is never markup', {}, async (t, { page, service }) => {
    await page.goto(service.url)
    await loaded(page)
    const hostile = POOLS.find(({ base }) => base.symbol === SCRIPT)!
    const { pool_id: pool } = hostile
    t.ok((await symbols(page)).includes(shownName(hostile)), 'shown as the text it is, cut')
    await page.goto(`${service.url}/pool/${pool}`)
    await page.locator('.supply-bar').waitFor()
    t.match(await page.locator('h1').innerText(), SCRIPT.slice(0, 32))
    t.equal(await page.locator('main img, main script').count(), 0)
    t.equal(await evaluate(page, 'globalThis.broken'), undefined)
  })

  visiting('warming up: how much is left, and the page comes back when told', {}, async (t, { page, service }) => {
    service.answers.pools = () => ({ status: 503, headers: { 'retry-after': '2' }, body: { error: UNAVAILABLE } })
    service.answers.ready = () => ({
      status: 503, body: { ready: false, history: { last_day: { left: 12_345, total: 50_000, seconds_left: 200 } } }
    })
    await page.goto(service.url)
    const banner = page.locator('#banner')
    await banner.filter({ hasText: '12,345 of 50,000 transactions are left, about 3 minutes.' }).waitFor()
    t.equal(await banner.getAttribute('data-kind'), 'warming')
    t.equal(await page.locator('#total-liquidity').innerText(), '–', 'no zero in place of what is not known')
    service.answers.ready = () => ({ status: 503, body: { ready: false, history: { phase: 'following' } } })
    await banner.filter({ hasNotText: 'reading the trades' }).filter({ hasText: UNAVAILABLE }).waitFor()
    service.answers.pools = () => ({ body: POOLS })
    await loaded(page)
    await banner.waitFor({ state: 'hidden' })
  })

  visiting('a page whose script is kept from it says so, and shows no figure', {}, async (t, { page, service }) => {
    const paths = ['', '/decisions', `/pool/${POOLS[0]!.pool_id}`, '/../status']
    await page.route(/(?:list|decisions|pool|status)\.js$/, route => route.fulfill({ status: 503, body: '' }))
    for (const path of paths) {
      await page.goto(service.url + path)
      await page.getByRole('alert').filter({ hasText: 'load the page again' }).waitFor()
      t.notMatch(await page.locator('main').innerText(), /\d\.\d|as it should be/, path)
    }
  })

  visiting('over the limit: everything waits as long as told', {}, async (t, { page, service }) => {
    const limited = () => ({
      status: 429, headers: { 'retry-after': '2' }, body: { error: 'Rate limit exceeded. Please try again later.' }
    })
    service.answers.pools = limited
    service.answers.volume = limited
    await stopClock(page)
    await page.goto(service.url)
    await page.locator('#banner').filter({ hasText: 'Too many requests from your address' }).waitFor()
    t.equal(await page.locator('#banner').getByRole('button').count(), 0, 'nothing to press while one has to wait')
    const before = service.asked.length
    await page.getByText('DAOs that are left out, and why').click()
    await page.locator('#left-out-body .notice').waitFor()
    t.equal(service.asked.length, before, 'the limit counts for every path')
    service.answers.pools = () => ({ body: POOLS })
    await page.clock.runFor(1_900)
    t.equal(service.asked.length, before, 'until it is over')
    await page.clock.runFor(100)
    await loaded(page)
    t.equal(asked(service, '/market/pools'), 2)
  })

  visiting('errors, stale answers, nothing to show', {}, async (t, { page, service }) => {
    service.answers.pools = () => ({ status: 502, body: { error: 'Upstream RPC service unavailable' } })
    await stopClock(page)
    await page.goto(service.url)
    const notice = page.locator('#pools-state .notice')
    await notice.filter({ hasText: 'Upstream RPC service unavailable' }).waitFor()
    await page.locator('#banner')
      .filter({ hasText: 'Upstream RPC service unavailable. This page keeps trying.' }).waitFor()
    const again = page.locator('#banner').getByRole('button', { name: 'Try now' })
    for (const times of [2, 3]) {
      await again.press('Enter')
      await until('it is tried', () => asked(service, '/market/pools') >= times)
      t.ok(await again.isEnabled(), 'as often as somebody wants')
    }
    t.equal(await evaluate(page, 'document.activeElement.textContent'), 'Try now', 'who presses it stays on it')
    const retry = async (): Promise<void> => notice.getByRole('button', { name: 'Try now' }).click()
    service.answers.pools = () => ({ body: [{ nothing: 'known' }] })
    await retry()
    await notice.filter({ hasText: 'in a form that this page cannot read' }).waitFor()
    service.answers.pools = () => ({ body: [] })
    await retry()
    await page.getByText('No DAO has a pool with reserves at the moment.').waitFor()
    service.answers.pools = () => ({ body: POOLS, headers: { age: '42' } })
    await page.reload()
    await loaded(page)
    await page.locator('#banner').filter({ hasText: /^These figures are of 03:04:05 UTC/ }).waitFor()
    await page.emulateMedia({ media: 'print' })
    t.ok(await page.locator('#banner').isVisible(), 'on paper, too')
    await page.emulateMedia({ media: null })
    t.match(
      await page.locator('#pools-fresh').innerText(),
      /^Loaded at [\d:]+, but 42 seconds old: the service could not read the chain since$/
    )
    service.answers.pools = () => ({ body: POOLS })
    service.answers.volume = () => ({
      body: AGGREGATE, headers: { 'x-history-complete': 'false', 'x-history-missing': '3' }
    })
    await page.reload()
    await page.locator('#banner').filter({ hasText: 'Some past trades are missing' }).waitFor()
  })

  visiting('gone back to, it shows nothing old that the browser kept', {}, async (t, { page, service }) => {
    const priced = (price: string, date: number) => () => ({
      body: POOLS.map(pool => ({ ...pool, last_price: price })),
      headers: { date: new Date(date).toUTCString(), age: '3', 'cache-control': 'public, max-age=8' }
    })
    const hourAgo = Date.now() - 3_600_000
    service.answers.pools = priced('1.5', hourAgo)
    await page.goto(service.url)
    await loaded(page)
    t.equal(await page.locator('#banner').isVisible(), false, 'an age that a cache says of what is fresh is no news')
    const sent = await evaluate<string>(page, `new Date(${hourAgo}).toLocaleTimeString('en-GB')`)
    t.equal(await page.locator('#pools-fresh').innerText(), `Loaded at ${sent}`)
    await page.goto(`${service.url}/decisions`)
    service.answers.pools = priced('2.5', Date.now())
    await page.goBack()
    await loaded(page)
    t.equal(await page.locator('.price-cell .figure').first().innerText(), '2.5000')
  })

  visiting(
    'asks again every 15 and 60 seconds while it is seen, keeping focus and what it has',
    {},
    async (t, { page, service }) => {
      await stopClock(page)
      await page.addInitScript(
        'Object.defineProperty(document, "visibilityState", { get: () => globalThis.seen ?? "visible" })'
      )
      await page.goto(service.url)
      await loaded(page)
      await page.locator('#chart rect.bar').first().waitFor()
      await page.getByRole('link', { name: 'ORE', exact: true }).focus()
      service.answers.pools = () => ({
        body: POOLS.map(pool => pool.base.symbol === 'ORE'
          ? {
              ...pool, last_price: '2.5', liquidity_in_usd: '99999999999999999999'
            }
          : pool)
      })
      await page.clock.runFor(15_000)
      await rowOf(page, 'ORE').filter({ hasText: '2.5000' }).waitFor()
      t.equal((await symbols(page))[0], 'ORE', 'sorted anew')
      t.equal(await evaluate(page, 'document.activeElement.textContent'), 'ORE', 'focus stays')
      service.answers.pools = () => ({ status: 500, body: { error: 'Failed to fetch DAO data from blockchain' } })
      await page.clock.runFor(15_000)
      await page.locator('#banner').filter({ hasText: 'What you see was loaded at' }).waitFor()
      t.equal((await symbols(page)).length, POOLS.length, 'the last answer stays')
      await evaluate(page, 'globalThis.seen = "hidden", document.dispatchEvent(new Event("visibilitychange"))')
      const before = service.asked.length
      await page.clock.runFor(600_000)
      t.equal(service.asked.length, before, 'unseen, it asks for nothing')
      service.answers.pools = () => ({ body: POOLS })
      await evaluate(page, 'globalThis.seen = "visible", document.dispatchEvent(new Event("visibilitychange"))')
      await page.clock.runFor(10)
      await page.locator('#banner').waitFor({ state: 'hidden' })
      t.equal(asked(service, '/market/volume'), 2)
    }
  )
})
