import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'
import { poolOf } from './market-data.js'
import { CONTRAST } from './service.js'
import { asked, evaluate, inBrowser, loaded, openPool, stopClock, symbols } from './visit.js'

/**
 * The pages for every reader: by keyboard, on a phone, in either theme, with text that can be read, and nothing that
 * jumps.
 */

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const ORE = poolOf('ORE')
/** How much what is seen moved while the page came to rest: the measure of the browser. */
const SHIFTS =
  'globalThis.shifted = 0; new PerformanceObserver(list => { ' +
    'for (const { value } of list.getEntries()) globalThis.shifted += value ' +
    '}).observe({ type: "layout-shift", buffered: true })'
const MAX_SHIFT = 0.05
/** Figures, and addresses beside them, that reach out of their cell, where they are cut off or lie over others. */
const OUTSIDE = `[
  ...document.querySelectorAll('td :is(.figure, .change, .address), .trades td > span')
].filter(part => {
  const [inner, cell] = [part, part.closest('td')].map(node => node.getBoundingClientRect())
  return inner.width > 0 && (inner.left < cell.left - 1 || inner.right > cell.right + 1)
}).map(({ textContent }) => textContent)`

interface Violation { id: string, nodes: Array<{ html: string }> }
async function violations (page: Page): Promise<string[]> {
  await page.evaluate(AXE)
  const { violations: found } = await evaluate<{ violations: Violation[] }>(
    page, 'axe.run(document, { resultTypes: ["violations"] })'
  )
  return found.map(({ id, nodes }) => `${id}: ${nodes.slice(0, 2).map(({ html }) => html.slice(0, 120)).join(' | ')}`)
}

inBrowser(visiting => {
  visiting('by keyboard alone', {
    permissions: ['clipboard-read', 'clipboard-write']
  }, async (t, { page, service }) => {
    await page.goto(service.url)
    await loaded(page)
    await page.keyboard.press('Tab')
    t.equal(await evaluate(page, 'document.activeElement.textContent'), 'Skip to the pools')
    await page.keyboard.press('Enter')
    await page.keyboard.press('Tab')
    t.equal(await evaluate(page, 'document.activeElement.id'), 'search')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    t.equal(await page.getByRole('columnheader', { name: 'Pool' }).getAttribute('aria-sort'), 'ascending')
    await page.getByRole('link', { name: 'ORE', exact: true }).focus()
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await page.locator('[data-voice]').filter({ hasText: 'Copied the token mint' }).waitFor({ state: 'attached' })
    t.equal(await evaluate(page, 'navigator.clipboard.readText()'), ORE.base.mint, 'the mint, from its row')
    await evaluate(page, 'navigator.clipboard.writeText("")')
    await page.keyboard.press('Shift+Tab')
    await page.keyboard.press('Enter')
    await page.locator('#addresses .address').first().waitFor()
    const button = page.locator('#addresses .address').first()
    await button.focus()
    await page.keyboard.press('Shift+Tab')
    await page.keyboard.press('Tab')
    t.match(
      await evaluate(page, 'getComputedStyle(document.activeElement, "::after").content'),
      ORE.base.mint,
      'the whole address on focus'
    )
    t.not(await evaluate(page, 'getComputedStyle(document.activeElement).outlineStyle'), 'none', 'focus is seen')
    await page.keyboard.press('Enter')
    await page.locator('[data-voice]').first().filter(
      { hasText: 'Copied the token mint' }
    ).waitFor({ state: 'attached' })
    t.equal(await evaluate(page, 'navigator.clipboard.readText()'), ORE.base.mint)
  })

  for (const colorScheme of ['light', 'dark'] as const) {
    for (const [device, width, height] of [['a phone', 375, 740], ['a wide screen', 1280, 900]] as const) {
      visiting(`${device}, ${colorScheme}`, {
        viewport: { width, height }, colorScheme, hasTouch: width < 1000, reducedMotion: 'reduce', bypassCSP: true
      }, async (t, { page, service }) => {
        await page.addInitScript(SHIFTS)
        await page.goto(service.url)
        await loaded(page)
        await page.locator('#chart .bar').first().waitFor()
        await page.waitForTimeout(100)
        t.ok(await evaluate<number>(page, 'globalThis.shifted') <= MAX_SHIFT, 'nothing jumps')
        t.equal(await evaluate(page, 'document.documentElement.scrollWidth'), width, 'nothing is wider than the screen')
        t.same(await evaluate(page, CONTRAST), [], 'every text stands out by 4.5:1')
        t.same(await violations(page), [])
        if (width < 1000) {
          const inSight = await evaluate<number>(
            page,
            '[...document.querySelectorAll("#pools-body tr")]' +
              '.filter(row => row.getBoundingClientRect().bottom <= innerHeight).length'
          )
          t.ok(inSight >= 5, `${inSight} pools above the fold`)
          await page.getByLabel('Sort by').selectOption('price ascending')
          t.equal((await symbols(page))[0], 'DUST')
        }
        await openPool(page, service.url, ORE.pool_id)
        await page.locator('.supply-bar').waitFor()
        await page.waitForTimeout(100)
        t.ok(
          await evaluate<number>(page, 'globalThis.shifted') <= MAX_SHIFT,
          `nothing jumps: ${await evaluate(page, 'globalThis.shifted')}`
        )
        t.equal(await evaluate(page, 'document.documentElement.scrollWidth'), width)
        t.same(await evaluate(page, CONTRAST), [])
        t.same(await violations(page), [])
        t.equal(
          await evaluate(page, 'getComputedStyle(document.querySelector("#trade-rows tr > *")).animationName'),
          'none',
          'no motion for those who asked for none'
        )
        if (width < 1000) {
          for (const path of [service.url, `${service.url}/pool/${ORE.pool_id}`]) {
            await page.setViewportSize({ width: 320, height })
            await page.goto(path)
            await page.locator('#pools-body .symbol, .supply-bar').first().waitFor()
            t.equal(
              await evaluate(page, 'document.documentElement.scrollWidth'),
              320,
              'nor than a screen magnified four times'
            )
            await page.locator('#pools-body .symbol, #trade-rows tr').first().waitFor()
            t.same(await evaluate(page, OUTSIDE), [], 'and no figure is cut')
          }
        }
        await page.goto(`${service.url}/pool/none`)
        t.same(await evaluate(page, CONTRAST), [])
        t.same(await violations(page), [])
      })
    }

    visiting(`failures can be read, ${colorScheme}`, { colorScheme, bypassCSP: true }, async (t, { page, service }) => {
      for (const answer of ['volume', 'pools'] as const) {
        service.answers[answer] = () => ({ status: 502, body: { error: 'Upstream RPC service unavailable' } })
      }
      await page.goto(service.url)
      await page.locator('#pools-state .notice').waitFor()
      await page.locator('#volume-state .notice').waitFor()
      t.same(await evaluate(page, CONTRAST), [])
      t.same(await violations(page), [])
    })
  }

  visiting('light: what a first visit costs', {}, async (t, { page, service }) => {
    const client = await page.context().newCDPSession(page)
    await client.send('Network.enable')
    await stopClock(page)
    let bytes = 0
    client.on('Network.loadingFinished', ({ encodedDataLength }) => { bytes += encodedDataLength })
    await page.goto(service.url)
    await loaded(page)
    await page.locator('#chart .bar').first().waitFor()
    await page.locator('.spark').first().waitFor()
    t.ok(service.asked.length < 12, `${service.asked.length} requests`)
    // the answers of this test are not packed, those of the service are
    t.ok(bytes < 150_000, `${bytes} bytes`)
    await client.send('Network.clearBrowserCache')
    service.asked.length = bytes = 0
    await openPool(page, service.url, ORE.pool_id)
    await page.locator('.supply-bar').waitFor()
    const [library, others] = [
      service.asked.filter(url => url.endsWith('lightweight-charts.js')),
      service.asked.filter(url => !url.endsWith('lightweight-charts.js'))
    ]
    t.equal(library.length, 1)
    t.ok(
      others.length <= 15,
      `${others.length} requests, the stream among them, without the chart library: ${others.join(' ')}`
    )
    t.ok(bytes < 220_000, `${bytes} bytes with it`)
  })

  visiting('what is asked for before the scripts run is not asked for again by them', {}, async (
    t, { page, service }
  ) => {
    await stopClock(page)
    for (const [path, preloaded, settled] of [
      ['/market', '/market/pools', '#pools-body .symbol'],
      ['/market/decisions', '/api/proposals?limit=200', '#past li'],
      [`/market/pool/${ORE.pool_id}`, `/api/pools/${ORE.pool_id}`, '.supply-bar'],
      ['/status', '/ready', '#facts dt']
    ] as const) {
      service.asked.length = 0
      await page.goto(new URL(path, service.url).href)
      await page.locator(settled).first().waitFor()
      t.equal(asked(service, preloaded), 1, preloaded)
    }
  })

  visiting('of forced colours, what a colour tells is told', { forcedColors: 'active' }, async (
    t, { page, service }
  ) => {
    await openPool(page, service.url, ORE.pool_id)
    await evaluate(page, 'document.body.append(Object.assign(document.createElement("i"), { className: "probe" }))')
    const colour = (name: string): Promise<string> => evaluate(page, `(() => {
      const probe = document.querySelector('.probe')
      probe.style.color = 'var(--${name})'
      return getComputedStyle(probe).color
    })()`)
    t.not(await colour('up'), await colour('down'), 'a candle that rises from one that falls')
    t.equal(
      await evaluate(page, 'getComputedStyle(document.querySelector("label:has(:checked)")).outlineStyle'), 'solid'
    )
  })

  visiting(
    'the theme is the system\'s until chosen, and then remembered, by the chart too',
    { colorScheme: 'dark' },
    async (t, { page, service }) => {
      const background = (): Promise<string> => evaluate(page, 'getComputedStyle(document.body).backgroundColor')
      await openPool(page, service.url, ORE.pool_id)
      const dark = await background()
      await page.getByRole('button', { name: 'Switch to the light theme' }).click()
      const light = await background()
      t.not(light, dark)
      await page.goto(service.url)
      t.equal(await background(), light)
      await page.getByRole('button', { name: 'Switch to the dark theme' }).click()
      t.equal(await background(), dark)
    }
  )

  visiting('works where storage is denied', {}, async (t, { page, service }) => {
    await page.addInitScript(
      'Object.defineProperty(globalThis, "localStorage", ' +
        '{ get () { throw new DOMException("denied", "SecurityError") } })'
    )
    await page.goto(service.url)
    await loaded(page)
    await page.getByRole('button', { name: 'Switch to the dark theme' }).click()
    t.equal(await evaluate(page, 'document.documentElement.dataset.theme'), 'dark')
  })
})
