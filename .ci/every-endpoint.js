// The built service on a simulated chain: every path of the contract, every page and whatever a page loads answers 200
// with something in it. What the build has left out, or put where it is not found, shows here.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { setTimeout } from 'node:timers/promises'
import { freePort, SERVICE, withProcesses } from './processes.js'

const READY_WITHIN = 60_000
const PAGES = [
  '/market', '/market/decisions', '/status', '/documentation/', '/documentation/json', '/documentation/yaml'
]
const { paths } = JSON.parse(readFileSync('openapi.json', 'utf8'))

await withProcesses(async ({ folder, start }) => {
  const node = start(
    ['--import', 'tsx', 'simulator/serve.ts', '--daos', '3', '--swaps', '200', '--days', '3', '--live'],
    {},
    ['ignore', 'pipe', 'inherit']
  )
  const [line] = await once(createInterface({ input: node.stdout }), 'line')
  const chain = JSON.parse(line)
  const [PORT, METRICS_PORT] = [await freePort(), await freePort()]
  const service = start(SERVICE, {
    FACTORY_ADDRESS: chain.program,
    ROUTER_ADDRESS: chain.router,
    CHAIN_RPC_URL: chain.url,
    CHAIN_WS_URL: chain.wsUrl,
    PROTOCOL_FEE_RATE: '0.005',
    PORT,
    METRICS_PORT,
    DATA_DIR: folder,
    RATE_LIMIT_ALLOW: '127.0.0.1',
    LOG_LEVEL: 'warn'
  }, ['ignore', 'inherit', 'inherit'])
  const home = `http://127.0.0.1:${PORT}`
  // what needs the whole history is there last
  const begun = performance.now()
  while ((await fetch(`${home}/dexscreener/latest-block`).catch(() => ({ ok: false }))).ok === false) {
    assert.ok(
      performance.now() - begun < READY_WITHIN && service.exitCode === null, 'the history has not been read in time'
    )
    await setTimeout(100)
  }

  const asked = new Set()
  /** The body of a path, which is asked for once. */
  async function get (path, origin = home) {
    asked.add(path)
    const response = await fetch(new URL(path, origin))
    const body = await response.text()
    assert.ok(response.status === 200 && body.length > 0, `${path}: ${response.status} ${body.slice(0, 200)}`)
    return body
  }

  /** The first words of an answer without an end. */
  async function begins (path) {
    asked.add(path)
    const gone = new AbortController()
    const response = await fetch(home + path, { signal: gone.signal })
    const { value } = await response.body.getReader().read()
    assert.match(Buffer.from(value).toString(), /^retry: \d+/)
    gone.abort()
  }

  const [{ ticker_id: ticker, pool_id: pool }] = JSON.parse(await get('/api/tickers'))
  const { block: { blockNumber } } = JSON.parse(await get('/dexscreener/latest-block'))
  const [mint] = ticker.split('_')
  const day = new Date(chain.time * 1000).toISOString().slice(0, 10)
  const [decision] = JSON.parse(await get('/api/proposals'))
  const values = {
    dao: pool,
    side: 'buy',
    market: 'pass',
    amount: '1',
    mints: mint,
    proposal: decision?.proposal,
    pool_id: pool,
    mintAddress: mint,
    ticker_id: ticker,
    market_pair: ticker,
    date: day,
    fromBlock: blockNumber - 100,
    toBlock: blockNumber
  }
  const idOf = { pair: pool, asset: mint }
  for (const [path, { get: { parameters = [] } }] of Object.entries(paths)) {
    // a market in which nothing is decided has no proposal to ask for
    if (path.includes('{proposal}') && decision === undefined) continue
    const valueOf = name => values[name] ?? idOf[path.split('/').at(-1)] ?? assert.fail(`${path}: what is ${name}?`)
    const query = parameters.filter(
      ({ in: place, required }) => place === 'query' && required
    ).map(({ name }) => `${name}=${valueOf(name)}`)
    if (path === '/api/stream') {
      await begins(path)
      continue
    }
    await get(
      `${path.replaceAll(/\{(\w+)\}/g, (_, name) => valueOf(name))}${query.length > 0 ? `?${query.join('&')}` : ''}`
    )
  }
  for (const page of [...PAGES, `/market/pool/${pool}`, `/market/pool/${pool}/card.png`]) {
    const body = await get(page)
    const loaded = page.endsWith('.png')
      ? []
      : [
          ...body.matchAll(/<(?:script|link|img)\b[^>]*?(?:src|href)="([^"]+)"/g)
        ].map(([, link]) => new URL(link, home + page))
    for (const { origin, pathname } of loaded) if (origin === home && !asked.has(pathname)) await get(pathname)
  }
  assert.match(await get('/metrics', `http://127.0.0.1:${METRICS_PORT}`), /^# HELP/)
  console.log(`${asked.size} paths, each 200`)
})
