import { CONTRAST } from './service.js'
import { evaluate, inBrowser, loaded, rowOf, symbols } from './visit.js'

/** The page for every reader: by keyboard, on a phone, in either theme, with text that can be read. */

inBrowser(visiting => {
  visiting('by keyboard alone', { permissions: ['clipboard-read', 'clipboard-write'] }, async (t, { page, service }) => {
    await page.goto(service.url)
    await loaded(page)
    await page.keyboard.press('Tab')
    t.equal(await evaluate(page, 'document.activeElement.textContent'), 'Skip to the pairs')
    await page.keyboard.press('Enter')
    t.equal(await page.getByRole('dialog').count(), 0, 'a place in the page is no mint')
    await page.keyboard.press('Tab')
    t.equal(await evaluate(page, 'document.activeElement.id'), 'search')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    t.equal(await page.getByRole('columnheader', { name: 'Pair' }).getAttribute('aria-sort'), 'ascending')
    const button = page.locator('#pairs-body .address').first()
    await button.focus()
    const full = await button.getAttribute('data-full')
    await page.keyboard.press('Shift+Tab')
    await page.keyboard.press('Tab')
    t.match(await evaluate(page, 'getComputedStyle(document.activeElement, "::after").content'), full!, 'the whole address on focus')
    t.not(await evaluate(page, 'getComputedStyle(document.activeElement).outlineStyle'), 'none', 'focus is seen')
    await page.keyboard.press('Enter')
    await page.locator('[data-voice]').first().filter({ hasText: 'Copied the token mint' }).waitFor({ state: 'attached' })
    t.equal(await evaluate(page, 'navigator.clipboard.readText()'), full)
  })

  for (const colorScheme of ['light', 'dark'] as const) {
    visiting(`a phone of 360 pixels, ${colorScheme}`, { viewport: { width: 360, height: 740 }, colorScheme, hasTouch: true, reducedMotion: 'reduce' }, async (t, { page, service }) => {
      await page.goto(service.url)
      await loaded(page)
      await page.locator('#chart .bar').first().waitFor()
      t.equal(await evaluate(page, 'document.documentElement.scrollWidth'), 360, 'nothing is wider than the screen')
      t.same(await evaluate(page, CONTRAST), [], 'every text stands out by 4.5:1')
      await page.setViewportSize({ width: 320, height: 740 })
      t.equal(await evaluate(page, 'document.documentElement.scrollWidth'), 320, 'nor than a screen magnified four times')
      await page.setViewportSize({ width: 360, height: 740 })
      for (const button of (await page.locator('#pairs-body .address').all()).slice(0, 2)) {
        await button.focus()
        await page.keyboard.press('Shift')
        t.equal(await evaluate(page, 'document.documentElement.scrollWidth'), 360, 'with a whole address shown, too')
      }
      await page.getByLabel('Sort by').selectOption('price ascending')
      t.equal((await symbols(page))[0], 'DUST')
      await rowOf(page, 'TINY').locator('td').first().tap()
      await page.locator('.supply-bar').waitFor()
      t.equal(await evaluate(page, 'document.documentElement.scrollWidth'), 360)
      t.ok(await evaluate<boolean>(page, 'document.querySelector("dialog").scrollWidth <= 360'))
      t.same(await evaluate(page, CONTRAST), [])
      t.equal(await evaluate(page, 'getComputedStyle(document.querySelector("dialog")).animationName'), 'none', 'no motion for those who asked for none')
    })

    visiting(`contrast on a wide screen, ${colorScheme}, failures included`, { colorScheme }, async (t, { page, service }) => {
      service.answers.volume = () => ({ status: 503, body: { error: 'Service temporarily unavailable.' } })
      await page.goto(service.url)
      await loaded(page)
      await page.locator('#volume-state .notice').waitFor()
      t.same(await evaluate(page, CONTRAST), [])
      t.equal(await evaluate(page, 'document.documentElement.scrollWidth'), 1280)
    })
  }

  visiting('the theme is the system\'s until chosen, and then remembered', { colorScheme: 'dark' }, async (t, { page, service }) => {
    const background = (): Promise<string> => evaluate(page, 'getComputedStyle(document.body).backgroundColor')
    await page.goto(service.url)
    const dark = await background()
    await page.getByRole('button', { name: 'Switch to the light theme' }).click()
    const light = await background()
    t.not(light, dark)
    await page.reload()
    t.equal(await background(), light)
    await page.getByRole('button', { name: 'Switch to the dark theme' }).click()
    t.equal(await background(), dark)
  })

  visiting('works where storage is denied', {}, async (t, { page, service }) => {
    await page.addInitScript('Object.defineProperty(globalThis, "localStorage", { get () { throw new DOMException("denied", "SecurityError") } })')
    await page.goto(service.url)
    await loaded(page)
    await page.getByRole('button', { name: 'Switch to the dark theme' }).click()
    t.equal(await evaluate(page, 'document.documentElement.dataset.theme'), 'dark')
  })
})
