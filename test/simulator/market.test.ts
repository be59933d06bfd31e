import { once } from 'node:events'
import t from 'tap'
import { buildMarket, createLedger, createRandom, trade } from '../../simulator/index.js'
import { eventsOf, u64 } from '../support/transaction-events.js'
import { startScript } from '../support/script-process.js'

t.test('a market of all kinds: every swap counted, every DAO\'s numbers without a hole', async t => {
  const ledger = createLedger({ seed: 5 })
  const start = ledger.time
  const market = buildMarket(ledger, { daos: 20, swaps: 1500, days: 10 })
  t.equal(market.daos.length, 20)
  t.equal(ledger.swaps.length, 1500)
  t.equal(ledger.time - start, 10 * 86400)
  t.same(
    [market.empty.reserves.base, market.deciding.proposalLive, market.huge.reserves.base > 2n ** 53n], [0n, true, true]
  )
  t.same([market.spam.base.address, market.fakeDollar.quote.symbol], [market.daos[0]!.base.address, 'USDC'])
  t.same(new Set(ledger.launches.map(({ version }) => version)), new Set(['v0.6', 'v0.7', 'v0.8']))
  t.same(new Set(market.daos.map(({ identity }) => identity.layout)), new Set(['F0', 'F1', 'F2', 'F3']))
  for (const { vaults, reserves, feeBalances, proposalLive } of market.daos) {
    if (!proposalLive) {
      t.same(vaults, { base: reserves.base + feeBalances.base, quote: reserves.quote + feeBalances.quote })
    }
  }
  // Independent of the DAOs' own count: the events in the transactions that did not fail.
  let events = 0
  const swaps = new Map<string, bigint>()
  for (let index = 0; index < ledger.history.length; index++) {
    if (ledger.history.failed(index)) continue
    for (const event of eventsOf(ledger, index)) {
      events++
      if (event.subarray(8, 16).toString('hex') === '1dfd79ff523c94c3') {
        swaps.set(`${event.toString('hex', 40, 72)}/${u64(event, 32)}`, u64(event, 105))
      }
    }
  }
  t.equal(events, market.daos.reduce((sum, dao) => sum + dao.seqNum, 0))
  t.equal(swaps.size, 1500)
  t.equal(
    [...swaps.values()].reduce((sum, input) => sum + input, 0n),
    ledger.swaps.reduce((sum, { input }) => sum + input, 0n)
  )
})

t.test('the same seed makes the same market, another one another', async t => {
  const of = (seed: number) => {
    const ledger = createLedger({ seed })
    buildMarket(ledger, { daos: 7, swaps: 50, days: 1, seed })
    return Array.from({ length: ledger.history.length }, (_, index) => ledger.history.json(index))
  }
  t.same(of(1), of(1))
  t.not(of(1).at(-1), of(2).at(-1))
})

t.test('a trader for the present', async t => {
  const ledger = createLedger()
  t.equal(trade(ledger), null)
  buildMarket(ledger, { daos: 6, swaps: 0, days: 1 })
  const random = createRandom(3)
  for (let i = 0; i < 40; i++) {
    ledger.advance(1)
    trade(ledger, random)
  }
  t.ok(ledger.swaps.length > 20)
})

t.test('a market in a process of its own', async t => {
  const { child } = startScript(
    'simulator/serve.ts', { args: ['--daos', '6', '--swaps', '30', '--days', '2', '--live'] }
  )
  t.teardown(() => child.kill('SIGKILL'))
  const [line] = await once(child.stdout, 'data')
  const ready = JSON.parse(String(line))
  t.match(ready, { program: 'FUTARELBfJfQ8RDGhg1wdhddq1odMAJUePHFuBYfUxKq', router: String, swaps: 30 })
  const response = await fetch(ready.url, {
    method: 'POST',
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'getSignaturesForAddress', params: [ready.program] })
  })
  t.ok((await response.json() as any).result.length >= 30)
  child.kill('SIGTERM')
  t.same(await once(child, 'exit'), [0, null])
})

t.test('a block has one time, also where the second turns within it', async t => {
  const ledger = createLedger({ seed: 6 })
  const dao = ledger.dao(
    { base: ledger.mint(), quote: ledger.usdc(), baseReserves: 10n ** 12n, quoteReserves: 10n ** 11n }
  )
  ledger.slotMs = 350
  const times = new Map<number, Set<number>>()
  let turned = 0
  for (let at = 0; at < 60; at++) {
    ledger.advance(0.15)
    const { slot, time } = dao.swap('buy', 1_000_000n)
    if (ledger.time !== time) turned++
    t.ok(ledger.time - time <= 1)
    times.set(slot, (times.get(slot) ?? new Set()).add(time).add(ledger.history.time(ledger.history.length - 1)!))
  }
  t.ok(turned > 0)
  t.ok([...times.values()].every(({ size }) => size === 1))
})
