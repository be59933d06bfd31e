import { READY } from './market-data.js'
import { CONTRAST } from './service.js'
import { evaluate, inBrowser, stopClock } from './visit.js'

/** The page that says in words what `/ready` says to machines. */

inBrowser(visiting => {
  for (const colorScheme of ['light', 'dark'] as const) {
    visiting(`well, warming up, gone and back, ${colorScheme}`, {
      colorScheme, viewport: { width: 375, height: 740 }
    }, async (t, { page, service }) => {
      await stopClock(page)
      await page.goto(service.url.replace(/market$/, 'status'))
      const verdict = page.locator('#verdict')
      await verdict.filter({ hasText: 'Everything is as it should be' }).waitFor()
      await page.getByText('Following the chain').waitFor()
      t.match(await page.locator('#facts').innerText(), /Prices as of\s+3 seconds ago/)
      t.equal(await evaluate(page, 'document.documentElement.scrollWidth'), 375)
      t.same(await evaluate(page, CONTRAST), [])
      service.answers.ready = () => ({
        status: 503,
        body: {
          ...READY,
          ready: false,
          problems: ['the last 24 hours are not indexed yet'],
          history: {
            ...READY.history,
            phase: 'last-day',
            last_day_covered: false,
            last_day: { left: 1_240, total: 5_110, seconds_left: 840 }
          }
        }
      })
      await page.clock.runFor(5_000)
      await page.getByText('The last 24 hours are not indexed yet.').waitFor()
      await page.getByText('1,240 of 5,110 transactions of the last 24 hours are left, about 14 minutes.').waitFor()
      t.equal(await evaluate(page, 'document.getElementById("progress").value'), 3_870)
      service.answers.ready = () => ({ status: 500, body: { error: 'Internal server error' } })
      await page.clock.runFor(5_000)
      await verdict.filter({ hasText: 'The service does not answer' }).waitFor()
      await page.locator('[data-voice]')
        .filter({ hasText: 'The service does not answer' }).waitFor({ state: 'attached' })
      service.answers.ready = () => ({ body: READY })
      await page.getByRole('button', { name: 'Try now' }).click()
      await verdict.filter({ hasText: 'Everything is as it should be' }).waitFor()
    })
  }
})
