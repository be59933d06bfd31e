import type { Page } from 'playwright-core'
import type { Pools } from '../../../schemas/pools.js'
import { CONTRAST, startWholeService } from './service.js'
import { until } from '../../support/until.js'
import { evaluate, inBrowser, loaded, openPool, rowOf, stopClock } from './visit.js'
import { POOLS, PROPOSALS } from './market-data.js'

/** What is being decided and what was, read against the API of the whole service; and what a name may pretend. */

interface Proposal {
  proposal: string
  dao: string
  state: string
  pass: { price: string }
  fail: { price: string }
  spot_price: string
  decision: { pass_twap: string, threshold: string }
}

const exact = async (page: Page, within: string, label: string): Promise<string | null> => await page.locator(
  `${within} .facts > div`, { has: page.getByText(label, { exact: true }) }
).locator('dd').getAttribute('title')

inBrowser(visiting => {
  for (const colorScheme of ['light', 'dark'] as const) {
    visiting(`live and past ones, on their page and on their pools', ${colorScheme}`, {
      colorScheme, viewport: { width: 375, height: 740 }
    }, async (t, { page, service }) => {
      await service.close()
      const { url, app } = await startWholeService(t, { RATE_LIMIT_MAX: '100000' })
      service.url = url
      const proposals = (await app.inject('/api/proposals')).json<Proposal[]>()
      const [live, past] = ['pending', 'failed'].map(wanted => proposals.find(({ state }) => state === wanted)!)
      const one = async ({ proposal }: Proposal) => (await app.inject(`/api/proposals/${proposal}`)).json<Proposal>()
      const markets = await one(live!)
      const pools = (await app.inject('/api/pools')).json<Pools>()
      const symbolOf = (dao: string) => pools.find(({ pool_id: id }) => id === dao)!.base.symbol

      await page.goto(url)
      await loaded(page)
      await page.getByRole('link', { name: 'Decisions' }).click()
      await page.locator('#live').getByText(symbolOf(live!.dao)).waitFor()
      await page.getByText('Price if it passes').waitFor()
      t.equal(await exact(page, '#live', 'Price if it passes'), markets.pass.price)
      t.equal(await exact(page, '#live', 'Price if it fails'), markets.fail.price)
      t.equal(await exact(page, '#live', 'Spot price'), markets.spot_price)
      t.match(await page.locator('#live').innerText(), /Ends\s+\d+ \w+, \d\d:\d\d UTC, in \d+ [dh]/)
      const ended = page.locator('#past li', { hasText: symbolOf(past!.dao) })
      t.match(await ended.innerText(), /Failed\s+No\. 1/)
      t.equal(await evaluate(page, 'document.documentElement.scrollWidth'), 375)
      t.same(await evaluate(page, CONTRAST), [])

      await page.locator('#live').getByRole('link', { name: symbolOf(live!.dao) }).click()
      await page.locator('.markets .market-line').first().waitFor({ state: 'attached' })
      t.equal(await exact(page, '#live-decision', 'Price if it passes'), markets.pass.price)
      t.match(await page.locator('.markets figcaption').innerText(), /Pass\s*Fail\s*between/)
      t.equal(await evaluate(page, 'document.documentElement.scrollWidth'), 375)
      t.same(await evaluate(page, CONTRAST), [])

      await openPool(page, url, past!.dao)
      const { decision } = await one(past!)
      const line = await page.locator('#past-decisions li').innerText()
      t.match(line, /^Failed/)
      const numbers = line.match(/pass ([\d.,]+) against ([\d.,]+)/)!.slice(1).map(Number)
      for (const [index, served] of [decision.pass_twap, decision.threshold].entries()) {
        t.ok(Math.abs(numbers[index]! / Number(served) - 1) < 1e-3, `${numbers[index]} is ${served}`)
      }
      const none = pools.find(({ pool_id: id }) => proposals.every(({ dao }) => dao !== id))!
      await openPool(page, url, none.pool_id)
      t.equal(await page.locator('#decisions').isVisible(), false, 'nothing where nothing was ever decided')
    })
  }

  visiting('more decisions than one answer holds, each with its averages', {}, async (t, { page, service }) => {
    await page.goto(`${service.url}/decisions`)
    const rows = page.locator('#past li')
    await rows.nth(198).waitFor()
    await page.locator('#live').getByText('5 Mar, 12:00 UTC, in 30 min', { exact: false }).waitFor()
    t.match(await rows.nth(198).innerText(), /No\. 251\s+pass 1\.2345 against 1\.2360 that it had to exceed/)
    const more = page.getByRole('button', { name: 'Show earlier decisions' })
    service.answers.proposals = () => ({ status: 502, body: { error: 'Upstream RPC service unavailable' } })
    await more.click()
    await page.locator('#more-state').getByText('Upstream RPC service unavailable').waitFor()
    service.answers.proposals = ({ before }) => {
      const from = PROPOSALS.findIndex(({ proposal }) => proposal === before) + 1
      return { body: PROPOSALS.slice(from, from + 200) }
    }
    await more.click()
    await rows.nth(398).waitFor()
    await more.click()
    await rows.nth(448).waitFor()
    t.equal(await rows.count(), 449, 'and the live one')
    t.equal(await more.isVisible(), false)
    t.equal(await page.locator('#more-state').innerText(), '')
  })

  visiting('a name that another token has, and a dollar by name only, are marked in words', {}, async (
    t, { page, service }
  ) => {
    const [first, second, third] = POOLS
    const symbol = ` ${first!.base.symbol.toLowerCase().replaceAll('e', 'е')}`
    const alike = { ...second!, base: { ...second!.base, symbol } }
    const false_ = { ...third!, priced_in_usd: false, quote: { ...third!.quote, mint: third!.pool_id, symbol: 'ＵＳＤＣ' } }
    service.answers.pools = () => ({ body: [first!, alike, ...POOLS.slice(3), false_] })
    await page.goto(service.url)
    await loaded(page)
    const row = (symbol: string) => rowOf(page, symbol).locator('.badges').innerText()
    t.match(await row(first!.base.symbol), 'Shared symbol')
    t.match(await row(alike.base.symbol.trim()), 'Shared symbol')
    t.match(await row(third!.base.symbol), 'Not ＵＳＤＣ')
    t.notMatch(await row('ORE'), 'Shared')
    t.match(
      await rowOf(page, 'ORE').locator('.name').textContent(),
      /^Orchard Collective · Copy the token mint: \w{4}…\w{4} · \d+ d$/, 'the mint, and the age'
    )
    await openPool(page, service.url, first!.pool_id)
    await page.locator('#pool-badges', { hasText: 'Shared symbol' }).waitFor()
    t.equal(await page.locator('#pool-mint button').getAttribute('title'), first!.base.mint)
  })

  visiting('without scripts the figures are there, and nothing that waits for one', {
    javaScriptEnabled: false, viewport: { width: 375, height: 740 }
  }, async (t, { page, service }) => {
    for (const path of ['', `/pool/${POOLS[0]!.pool_id}`]) {
      await page.goto(`${service.url}${path}`)
      t.equal(await page.locator('.skeleton, .ghost, .pending').filter({ visible: true }).count(), 0)
      await page.locator('noscript :is(th, dt):text-is("Market cap")').waitFor()
    }
    await page.goto(`${service.url}/decisions`)
    t.equal(await page.locator('.skeleton').filter({ visible: true }).count(), 0)
    t.match(
      (await page.locator('noscript tbody tr').nth(1).innerText()).replace(/\s+/g, ' '),
      /^\S+ \/ USDC \w{4}…\w{4} 449 passed 2026-03-05 12:00 UTC 1\.2345 1\.2360 2026-03-05 12:01 UTC$/
    )
    await page.goto(service.url)
    await page.locator('noscript a', { hasText: 'META / USDC' }).click()
    await page.getByRole('heading', { name: 'META / USDC' }).waitFor()
  })

  visiting('who stands on a decision goes on doing so as they are asked for again', {}, async (
    t, { page, service }
  ) => {
    await stopClock(page)
    await page.goto(`${service.url}/decisions`)
    await page.locator('#past .explorer').nth(3).focus()
    const stands = (): Promise<string> => evaluate(page, 'document.activeElement.href ?? ""')
    const stood = await stands()
    const before = service.asked.length
    await page.clock.runFor(30_000)
    await until('they are asked for again', () => service.asked.slice(before).includes('/api/proposals?limit=200'))
    await page.locator('#decisions-fresh').filter({ hasText: 'Loaded' }).waitFor()
    t.match(await stands(), /^https:.+/)
    t.equal(await stands(), stood)
  })
})
