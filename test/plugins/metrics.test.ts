import { test } from 'tap'
import { createMetrics } from '../../lib/responses/metrics.js'
import { build, historyComplete, settings, startChain } from '../helper.js'
import { freePort } from '../support/free-port.js'

test(
  'metrics on their own port tell of requests, node calls, snapshot, history and DAOs, with bounded labels',
  async t => {
    const { ledger, node } = await startChain(t)
    const dao = ledger.dao(
      { base: ledger.mint(), quote: ledger.usdc(), baseReserves: 10n ** 12n, quoteReserves: 10n ** 11n }
    )
    dao.swap('buy', 1_000_000n)
    ledger.dao({ base: ledger.mint(), quote: ledger.usdc() })
    const port = await freePort()
    const app = await build(t, {
      env: settings(t, node, ledger, { METRICS_PORT: String(port), RATE_LIMIT_MAX: '3' }),
      now: () => ledger.time * 1000,
      pollMs: 20
    })
    await historyComplete(app)
    await app.inject('/api/tickers')
    await app.inject(`/api/supply/${ledger.newAddress()}`)
    await app.inject('/a-path-that-a-client-made-up')
    await app.inject('/health')
    const answer = await fetch(`http://127.0.0.1:${port}/metrics`)
    t.equal(answer.status, 200)
    const text = await answer.text()
    for (const line of [
      'http_requests_total{route="/api/tickers",method="GET",status="200"} 1',
      'http_requests_total{route="/api/supply/:mintAddress",method="GET",status="404"} 1',
      'http_requests_total{route="unknown",method="GET",status="404"} 1',
      'rate_limit_hits_total 1',
    `node_calls_total{method="getProgramAccounts",outcome="ok",node="${new URL(node.url).host}"} `,
    `node_slot{node="${new URL(node.url).host}"} ${ledger.slot}`,
    `node_breaker_open{node="${new URL(node.url).host}"} 0`,
    `snapshot_slot ${ledger.slot}`,
    'history_swaps 1',
    'history_complete 1',
    'history_missing_events 0',
    'daos{state="listed"} 1',
    'daos{state="no reserves"} 1',
    'fee_rate_disagreements{bps="50"} 1',
    'nodejs_eventloop_lag_seconds ',
    'process_resident_memory_bytes '
    ]) t.ok(text.includes(line), line)
    t.notOk(text.includes('made-up'))
    t.equal((await fetch(`http://127.0.0.1:${port}/other`)).status, 404)
  }
)

test('what is not known has no figure', async t => {
  const { ledger, node } = await startChain(t)
  await node.stop()
  const app = await build(t, { env: settings(t, node, ledger), pollMs: 20 })
  const text = await createMetrics(app).registry.metrics()
  t.match(text, /^# TYPE snapshot_slot gauge\n(?!snapshot_slot )/m)
  t.match(text, /^# TYPE history_head_age_seconds gauge\n(?!history_head_age_seconds )/m)
  for (const count of ['losses', 'swaps', 'events', 'missing_events', 'missing_transactions']) {
    t.match(text, new RegExp(`^# TYPE history_${count} gauge\n(?!history_${count} )`, 'm'), count)
  }
})
