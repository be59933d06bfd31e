import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import {
  type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Locator, type Page
} from 'playwright-core'
import t, { type Test } from 'tap'
import type { Pool } from './market-data.js'
import { until } from '../../support/until.js'
import { type Service, startService } from './service.js'

/** Visits to the page in a real browser, and the promises that every visit keeps. */

/** The first that is there: the shell has no windows to draw, and takes half of the time. */
const CHROMIUM = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'].find(existsSync)
const FLAGS = [
  '--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
  '--disable-component-update', '--disable-sync'
]
/** Of a busy machine, in ms; nothing here measures how fast the page is. */
const PATIENCE = 300_000
/** What the browser itself notes of an answer that is no success. */
const FAILED_REQUEST = /^Failed to load resource: the server responded with a status of/
/** And of what was loaded for scripts that do not run, or on a busy machine not at once. */
const UNUSED = /was preloaded using link preload but not used/

export interface Visit { page: Page, service: Service }
type Visiting = (name: string, options: BrowserContextOptions, visit: (t: Test, visit: Visit) => Promise<void>) => void

/** Why these tests are left out here; false where they run. Where CI is set they always run. */
export const withoutBrowser: string | false = CHROMIUM === undefined && !process.env.CI &&
  "no browser: install Debian's package chromium-headless-shell or chromium to run these tests"

let launched: Promise<Browser> | undefined

/** One for all tests of a process, closed with the last. */
async function openBrowser (): Promise<Browser> {
  if (launched === undefined) {
    launched = chromium.launch({ executablePath: CHROMIUM!, args: FLAGS, timeout: PATIENCE })
    t.teardown(async () => { await (await launched)?.close() })
  }
  return await launched
}

/** What one visitor keeps, as `options` say: what it opens waits for a busy machine. */
export async function openContext (options: BrowserContextOptions): Promise<BrowserContext> {
  const context = await (await openBrowser()).newContext({ viewport: { width: 1280, height: 900 }, ...options })
  context.setDefaultTimeout(PATIENCE)
  return context
}

/** Defines the tests that need a browser; without one they are skipped, except in CI. */
export function inBrowser (define: (visiting: Visiting) => void): void {
  /** Runs `visit` on a page of its own, and then holds it to the promises that every visit keeps. */
  const visiting: Visiting = (name, options, visit) => {
    t.test(name, { skip: withoutBrowser }, async t => {
      const service = await startService()
      t.teardown(() => service.close())
      const context = await openContext({ colorScheme: 'light', ...options })
      t.teardown(() => context.close())
      const page = await context.newPage()
      const complaints: string[] = []
      const elsewhere: string[] = []
      page.on('console', message => {
        const text = message.text()
        const isExpected = FAILED_REQUEST.test(text) || UNUSED.test(text)
        if (['error', 'warning'].includes(message.type()) && !isExpected) complaints.push(text)
      })
      page.on('pageerror', error => complaints.push(error.message))
      page.on(
        'request',
        request => { if (new URL(request.url()).host !== new URL(service.url).host) elsewhere.push(request.url()) }
      )
      await visit(t, { page, service })
      // A service waits for the connections that a browser keeps open
      await context.close()
      t.same(complaints, [], 'the console stays empty: no error, nothing against the policy')
      t.same(elsewhere, [], 'no other host is asked')
    })
  }

  define(visiting)
}

export const symbols = (page: Page): Promise<string[]> => page.locator('#pools-body .symbol').allTextContents()
export const loaded = (page: Page): Promise<void> => page.locator('#pools-body .symbol').first().waitFor()
export const rowOf = (page: Page, symbol: string): Locator => page.locator('#pools-body tr').filter(
  { has: page.getByRole('link', { name: symbol, exact: true }) }
)
/** Longer symbols are shown cut. */
const MAX_SYMBOL = 32
const UNSEEN = /\u202E/g
const cut = (text: string): string => text.length <= MAX_SYMBOL ? text : `${text.slice(0, MAX_SYMBOL)}…`
export const shownName = (
  { base: { symbol, mint } }: Pool
): string => cut(symbol.replace(UNSEEN, '')) || `${mint.slice(0, 4)}…${mint.slice(-4)}`
export const asked = ({ asked }: Service, path: string): number => asked.filter(url => url === path).length
export const evaluate = async <T>(page: Page, script: string): Promise<T> => await page.evaluate<T>(script)
/**
 * Stops the clock of a page before it is opened: nothing is asked for anew or ages, however slow the machine is, but by
 * `page.clock`.
 */
export async function stopClock (page: Page): Promise<void> {
  const now = Date.now()
  // it goes until it is stopped, and must not have passed what it is stopped at, however late that is
  await page.clock.install({ time: now - 3_600_000 })
  await page.clock.pauseAt(now)
}
/** The page of a pool, with its chart drawn and its trades there. */
export async function openPool (page: Page, url: string, pool: string): Promise<void> {
  await page.goto(`${url}/pool/${pool}`)
  await page.locator('#candle-chart canvas').first().waitFor()
  await page.locator('#trade-rows tr').first().waitFor()
}
/** Waits until a script says true; the page's policy forbids the browser to do that itself. */
export async function holds (page: Page, script: string): Promise<void> {
  await until(script, () => evaluate<boolean>(page, script))
}
/** A file that a press on `button` hands over. */
export async function download (page: Page, button: Locator): Promise<string> {
  const [file] = await Promise.all([page.waitForEvent('download'), button.click()])
  return await readFile(await file.path(), 'utf8')
}
