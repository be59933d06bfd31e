import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { test } from 'tap'
import { build, settings, startChain } from '../../helper.js'
import { openContext, withoutBrowser } from '../browser/visit.js'

/** The reference page in a real browser: it shows the contract and tries it, and asks no other host. */

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

test(
  'the reference page shows every operation, tries one, and needs nothing from elsewhere',
  { skip: withoutBrowser },
  async t => {
    const { ledger, node } = await startChain(t)
    const app = await build(t, { env: settings(t, node, ledger) })
    const url = await app.listen({ port: 0, host: '127.0.0.1' })
    const context = await openContext({ viewport: { width: 1280, height: 1600 } })
    const page = await context.newPage()
    const asked: string[] = []
    const complaints: string[] = []
    page.on('request', request => { if (!request.url().startsWith('data:')) asked.push(request.url()) })
    page.on(
      'console', message => { if (['error', 'warning'].includes(message.type())) complaints.push(message.text()) }
    )
    page.on('pageerror', error => complaints.push(error.message))

    await page.goto(`${url}/documentation`)
    await page.locator('.opblock').first().waitFor()
    const { paths } = await (await fetch(`${url}/documentation/json`)).json() as { paths: object }
    t.equal(await page.locator('.opblock').count(), Object.keys(paths).length, 'every operation')
    t.ok(asked.length <= 11, `a visit costs ${asked.length} of the 60 requests of a minute`)

    const health = page.locator('#operations-service-getHealth')
    await health.locator('.opblock-summary-control').click()
    await health.locator('.try-out__btn').click()
    await health.locator('.execute').click()
    t.match(await health.locator('.live-responses-table tbody .response-col_status').first().innerText(), /^200/)
    await page.locator('#operations-market-getTickers .opblock-summary-control').click()
    await page.locator('#operations-market-getTickers .response').first().waitFor()
    if (process.env.SCREENSHOT) await page.screenshot({ path: process.env.SCREENSHOT, fullPage: true })
    await context.close()

    for (const [colorScheme, width] of [['light', 1280], ['dark', 375]] as const) {
      const context = await openContext({ viewport: { width, height: 900 }, colorScheme, bypassCSP: true })
      const read = await context.newPage()
      await read.goto(`${url}/documentation`)
      await read.locator('.opblock').first().waitFor()
      await read.locator('#operations-market-getTickers .opblock-summary-control').click()
      await read.locator('#operations-market-getTickers .response').first().waitFor()
      t.equal(await read.getByRole('link', { name: '← Market' }).getAttribute('href'), 'market', 'a way back')
      t.equal(
        await read.evaluate<number>('document.documentElement.scrollWidth'), width, 'nothing is wider than the screen'
      )
      await read.evaluate(AXE)
      const { violations } = await read.evaluate<{
        violations: Array<{ id: string, nodes: Array<{ html: string }> }>
      }>('axe.run(document, { resultTypes: ["violations"] })')
      t.same(
        violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html.slice(0, 120)}`),
        [],
      `can be read by everyone, ${colorScheme}`
      )
      await context.close()
    }

    t.same(asked.filter(address => !address.startsWith(url)), [], 'no other host')
    t.same(complaints, [], 'nothing against the policy')
  }
)
