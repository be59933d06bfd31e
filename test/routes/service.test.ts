import { test } from 'tap'
import type { Daos } from '../../schemas/daos.js'
import type { Health } from '../../schemas/ready.js'
import type { Ready } from '../../schemas/ready.js'
import type { Root } from '../../schemas/root.js'
import { build, headReached, historyComplete, ROUTER, settings, startChain, until } from '../helper.js'

test('spec 2.5: GET / describes the service as configured', async t => {
  const { ledger, node } = await startChain(t)
  const app = await build(t, { env: settings(t, node, ledger, { DEX_FORK_TYPE: 'Uniswap V2' }) })
  const answer = await app.inject('/')
  t.equal(answer.statusCode, 200)
  const root = answer.json<Root>()
  t.same(Object.keys(root), ['name', 'version', 'documentation', 'endpoints', 'dex', 'supplyBreakdown', 'note'])
  t.same(
    Object.keys(root.endpoints),
    ['tickers', 'supply', 'supply_total', 'supply_circulating', 'volume_aggregate', 'health']
  )
  t.equal(root.endpoints.health, '/health')
  t.match(root.endpoints.tickers, /^\/api\/tickers /)
  t.same(root.dex, { fork_type: 'Uniswap V2', factory_address: ledger.program, router_address: ROUTER })
  t.same(
    Object.keys(root.supplyBreakdown),
    ['description', 'circulatingSupply', 'teamPerformancePackage', 'protocolAmmLiquidity', 'externalLpLiquidity']
  )
})

test('spec 2.4: GET /health is healthy whenever it answers, the node gone too', async t => {
  const { ledger, node } = await startChain(t)
  await node.stop()
  const app = await build(t, { env: settings(t, node, ledger) })
  const before = Date.now()
  const answer = await app.inject('/health')
  const after = Date.now()
  const health = answer.json<Health>()
  t.same([answer.statusCode, Object.keys(health), health.status], [200, ['status', 'timestamp', 'uptime'], 'healthy'])
  const at = Date.parse(health.timestamp)
  t.ok(before <= at && at <= after, health.timestamp)
  t.type(health.uptime, 'number')
})

test('GET /ready says what stands in the way', async t => {
  const { ledger, node } = await startChain(t)
  const { address } = ledger.dao({
    base: ledger.mint(), quote: ledger.usdc(), baseReserves: 10n ** 12n, quoteReserves: 10n ** 11n
  })
  node.faults.set({ method: 'getSignaturesForAddress', kind: 'hang' })
  const app = await build(t, { env: settings(t, node, ledger), now: () => ledger.utc * 1000, pollMs: 20 })
  let before = await app.inject('/ready')
  await until('it is known of which network the node is', async () => {
    before = await app.inject('/ready')
    return !before.body.includes('the history is starting')
  })
  t.equal(before.statusCode, 503)
  t.match(before.json<Ready>(), { ready: false, problems: ['the history has not reached the head yet'] })
  t.equal((await app.inject('/api/tickers')).statusCode, 503, 'warming up')
  t.equal((await app.inject('/api/volume/aggregate')).statusCode, 503, 'warming up')
  async function answersAsTold (): Promise<void> {
    const { answers } = (await app.inject('/ready')).json<Ready>()
    for (const path of ['/api/daos', '/api/daos/{dao}', '/api/daos/{dao}/treasury', '/api/proposals']) {
      const { statusCode } = await app.inject(path.replace('{dao}', address))
      t.equal(answers.find(({ paths }) => paths.includes(path))?.ready, statusCode === 200, path)
    }
  }
  await answersAsTold()
  node.faults.clear()
  await historyComplete(app)
  await app.inject('/api/tickers')
  await answersAsTold()
  const after = await app.inject('/ready')
  t.equal(after.statusCode, 200)
  t.match(after.json<Ready>(), {
    ready: true,
    chain: { utc: new Date(ledger.utc * 1000).toISOString(), clock_offset_seconds: 0, drift_seconds: 0, halted: null },
    snapshot: { age_seconds: 0 },
    problems: [],
    history: { last_day_covered: true, complete: true, missing_events: 0 }
  })
  await node.stop()
  ledger.advance(120)
  const unplugged = await app.inject('/ready')
  t.equal(unplugged.statusCode, 503)
  t.match(unplugged.json<Ready>(), {
    problems: [
      /^no node gives what is needed: none (can be reached|has answered of late, they are asked again in a moment)$/
    ],
    snapshot: { age_seconds: 120 },
    history: { head_age_seconds: 120 }
  })
  await node.restart()
  await headReached(app, ledger, ledger.time)
})

test('GET /api/daos: discovered is listed plus left out, each with its reason', async t => {
  const { ledger, node } = await startChain(t)
  const usdc = ledger.usdc()
  const reserves = { baseReserves: 10n ** 12n, quoteReserves: 10n ** 11n }
  const listed = ledger.dao({ base: ledger.mint(), quote: usdc, ...reserves })
  listed.initializeProposal()
  listed.launchProposal()
  listed.swap('buy', 1_000_000n)
  const fake = ledger.dao(
    { base: ledger.mint(), quote: ledger.mint({ symbol: 'USDC', name: 'USD Coin' }), ...reserves }
  )
  const empty = ledger.dao({ base: ledger.mint(), quote: usdc })
  const spam = ledger.dao({ base: ledger.mint(), quote: usdc, ...reserves })
  const app = await build(
    t, { env: settings(t, node, ledger, { EXCLUDED_DAOS: spam.address }), now: () => ledger.time * 1000, pollMs: 20 }
  )
  await historyComplete(app)
  const report = (await app.inject('/api/daos')).json<Daos>()
  t.match(report, { slot: ledger.slot, discovered: 4, listed: 2, left_out: 2 })
  const of = (address: string) => report.daos.find(({ dao }) => dao === address)
  t.match(of(listed.address), {
    listed: true,
    reason: null,
    state: 'futarchy',
    base_mint: listed.base.address,
    quote_mint: usdc.address,
    priced_in_usd: true,
    sequence_on_chain: String(listed.seqNum),
    sequence_indexed: String(listed.seqNum),
    missing_events: '0',
    first_swap: new Date(ledger.swaps[0]!.time * 1000).toISOString()
  })
  t.match(of(fake.address), { listed: true, priced_in_usd: false, first_swap: null })
  t.match(of(empty.address), { listed: false, reason: 'no reserves' })
  t.match(of(spam.address), { listed: false, reason: 'excluded' })
})
