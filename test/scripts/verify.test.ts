import { test, type Test } from 'tap'
import { compareAll, type Word } from '../../scripts/verify/compare.js'
import { nodeAt } from '../../scripts/verify/node.js'
import { readAll } from '../../scripts/verify/read.js'
import type { Ledger, SimulatedNode } from '../../simulator/index.js'
import { build, historyComplete, settings, startChain } from '../helper.js'
import { runScript } from '../support/script-process.js'
import { fieldsOf } from './listing/fields.js'

const verifier = (url: string, rpc: string) => async (pool: string, ...args: string[]) => {
  const { stdout, stderr } = await runScript('scripts/verify.ts', ['--url', url, '--rpc', rpc, '--pool', pool, ...args])
  return stdout + stderr
}
async function serve (t: Test, ledger: Ledger, node: SimulatedNode, env: Record<string, string> = {}): Promise<string> {
  const app = await build(
    t,
    { env: settings(t, node, ledger, { RATE_LIMIT_MAX: '100000', ...env }), now: () => ledger.time * 1000, pollMs: 20 }
  )
  await historyComplete(app)
  return await app.listen({ port: 0, host: '127.0.0.1' })
}
const EQUAL = /\nequal\n$/

test('with a node alone every field comes out equal, a pool that moves meanwhile too, and each that is altered is named', { timeout: 200_000 }, async t => {
  const { ledger, node } = await startChain(t)
  const dao = ledger.dao({
    base: ledger.mint({ symbol: 'ONE' }),
    quote: ledger.usdc(),
    baseReserves: 2_000_000_000_000n,
    quoteReserves: 200_000_000_000n
  })
  for (let hour = 0; hour < 32; hour++) {
    ledger.advance(3600)
    dao.swap(hour % 2 === 0 ? 'buy' : 'sell', 1_000_003n * BigInt(1 + hour % 17))
  }
  dao.swap('buy', 1n)   // its output is 0: it has no price
  ledger.advance(400)
  const url = await serve(t, ledger, node)
  const verify = verifier(url, node.url)
  t.match(await verify(dao.address), EQUAL)

  const word: Word = {
    takerFeeRate: '0.005',
    quoteNotional: '100',
    usdMints: [dao.quote.address],
    pricedBy: new Map(),
    usdMinDepth: '10000',
    basis: 'input'
  }
  const { served, chain } = await readAll(url, nodeAt(node.url), dao.address, 1, word)
  const faults = { made: 0, unmet: [] as string[] }
  for (const part of ['detail', 'tickers', 'rows', 'trades', 'candles', 'days'] as const) {
    for (const { name, alter } of fieldsOf(
      part === 'candles' ? served.candles.slice(-6) : part === 'days' ? served.days.slice(-1) : served[part]
    )) {
      const copy = structuredClone(
        part === 'candles' ? served.candles.slice(-6) : part === 'days' ? served.days.slice(-1) : served[part]
      )
      alter(copy)
      const bent = { ...served, [part]: part === 'candles' ? [...served.candles.slice(0, -6), ...copy] : copy }
      const isMet = compareAll(bent, chain, word).groups.some(({ different }) => different.length > 0)
      faults.made++
      if (!isMet) faults.unmet.push(`${part} ${name}`)
    }
  }
  t.comment(`${faults.made} faults`)
  t.ok(faults.made >= 100)
  // a slot before those that are read; and by a second, where no trade is at the edge
  t.same(faults.unmet, ['detail .provenance.fee_rates[].from_slot', 'detail .provenance.windows_end'])

  ledger.advance(1)
  dao.swap('buy', 10_000_000_000n)   // the state of the node moves on before the service looks again
  t.match(await verify(dao.address), /the pool moved at slot \d+, after the \d+ that is shown[^]*\nequal\n$/)
  t.match(
    await verify(dao.address, '--taker-fee-rate', '0.006'),
    /provenance\.taker_fee_rate: served "0\.005", "0\.006" by the chain[^]*\ndifferent\n$/
  )
})

test('values a token by the pool that prices it, knows pools of dust, waits for a node with a limit, and takes no missing transaction for none', { timeout: 200_000 }, async t => {
  const { ledger, node } = await startChain(t)
  const [usdc, other, turned] = [ledger.usdc(), ledger.mint({ decimals: 9 }), ledger.mint({ decimals: 3 })]
  const pricing = ledger.dao({
    base: other,
    quote: usdc,
    baseReserves: 1_000_000_000_000n,
    quoteReserves: 150_000_000_000n
  })
  const pricingTurned = ledger.dao({
    base: usdc,
    quote: turned,
    baseReserves: 150_000_000_000n,
    quoteReserves: 7_000_001n
  })
  const priced = ledger.dao({ base: ledger.mint(), quote: other, baseReserves: 10n ** 12n, quoteReserves: 10n ** 12n })
  const pricedTurned = ledger.dao({
    base: ledger.mint(),
    quote: turned,
    baseReserves: 10n ** 12n,
    quoteReserves: 10n ** 6n
  })
  const unpriced = ledger.dao({
    base: ledger.mint(),
    quote: ledger.mint(),
    baseReserves: 10n ** 12n,
    quoteReserves: 10n ** 12n
  })
  const dust = ledger.dao({ base: ledger.mint(), quote: usdc, baseReserves: 3n, quoteReserves: 50n })
  for (const dao of [priced, pricedTurned, unpriced]) dao.swap('buy', 10n ** 5n)
  pricing.initializeProposal()
  pricing.stake()
  pricing.launchProposal()
  ledger.advance(400)
  const pairs = `${other.address}:${pricing.address},${turned.address}:${pricingTurned.address}`
  const verify = verifier(await serve(t, ledger, node, { USD_PRICED_MINTS: pairs }), node.url)
  for (const { address } of [pricing, priced, pricedTurned, unpriced, dust]) {
    t.match(await verify(address, '--usd-priced-mints', pairs), EQUAL)
  }
  t.match(
    await verify(priced.address),
    /liquidity_in_usd: served "[\d.]+", "0\.00" by the chain/,
    'the operator\'s word, not the service\'s'
  )
  const limit = node.fault({ method: 'getTransaction', kind: 'rate-limit', times: 2, value: 1 })
  t.match(await verify(priced.address, '--usd-priced-mints', pairs), EQUAL)
  t.equal(limit.fired, 2)
  node.fault({ method: 'getTransaction', kind: 'null-transaction' })
  t.match(
    await verify(priced.address, '--usd-priced-mints', pairs),
    /^getTransaction \w+: the node does not have it\n$/
  )
})

test('does not make volumes again which are counted by fees, and takes them for nothing else', async t => {
  const { ledger, node } = await startChain(t)
  const dao = ledger.dao({
    base: ledger.mint(),
    quote: ledger.usdc(),
    baseReserves: 10n ** 12n,
    quoteReserves: 10n ** 12n
  })
  dao.swap('buy', 10n ** 5n + 1n)
  ledger.advance(400)
  const verify = verifier(await serve(t, ledger, node, { VOLUME_BASIS: 'fees' }), node.url)
  t.match(
    await verify(dao.address, '--volume-basis', 'fees'),
    /not made again: volumes, which VOLUME_BASIS has counted by fees\n[^]*equal\n$/
  )
  t.match(await verify(dao.address), /provenance\.volume_basis: served "fees", "input" by the chain/)
})
