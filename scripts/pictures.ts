/** Takes the pictures of the README anew, in Chromium, of the pool that trades most on a running service. */
import { existsSync } from 'node:fs'
import { chromium } from 'playwright-core'
import type { Pools } from '../schemas/pools.js'
import { httpUrl, readCommandLine, runScript, UsageError } from './command-line.js'

const { values } = readCommandLine('npm run pictures -- [--url http://127.0.0.1:3000] [--browser /usr/bin/chromium]', {
  url: { type: 'string', default: 'http://127.0.0.1:3000' },
  browser: { type: 'string', default: '/usr/bin/chromium' }
})
const VIEWPORT = { width: 1200, height: 760 }
const FLAGS = ['--no-sandbox', '--disable-gpu', '--disable-background-networking']
/** Until the newest figures have come, ms. */
const SETTLES = 2_000

await runScript(async () => {
  const url = httpUrl('url', values.url)
  if (!existsSync(values.browser)) throw new UsageError(`--browser ${values.browser}: there is no such file`)
  const answer = await fetch(new URL('/api/pools', url)).catch(() => undefined)
  if (answer?.status !== 200) throw new UsageError(`no list of pools from ${url.origin}: npm run demo starts a service`)
  const pools = await answer.json() as Pools
  const [busiest] = pools.toSorted((a, b) => (b.trades_24h ?? 0) - (a.trades_24h ?? 0))
  if (busiest === undefined) throw new UsageError(`${url.origin} has no pool`)
  const browser = await chromium.launch({ executablePath: values.browser, args: FLAGS })
  try {
    for (const colorScheme of ['light', 'dark'] as const) {
      const page = await browser.newPage({ viewport: VIEWPORT, colorScheme })
      await page.goto(new URL(`/market/pool/${busiest.pool_id}`, url).href)
      await page.locator('#trade-rows time').first().waitFor()
      await page.waitForTimeout(SETTLES)
      const path = `docs/pool-${colorScheme}.png`
      await page.screenshot({ path })
      console.log(path)
    }
  } finally {
    await browser.close()
  }
})
