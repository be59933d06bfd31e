import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { test, type Test } from 'tap'
import { besideAdapter } from '../../scripts/verify/adapter.js'
import { compareAll, type Word } from '../../scripts/verify/compare.js'
import { nodeAt } from '../../scripts/verify/node.js'
import { readAll } from '../../scripts/verify/read.js'
import { FORGERIES, type Ledger, type SimulatedNode } from '../../simulator/index.js'
import { build, historyComplete, settings, startChain, until } from '../helper.js'
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
/** A server before another one: what `told` gives is its answer, undefined is the other's. */
async function between (
  t: Test, url: string, told: (path: string, body: string) => string | undefined
): Promise<string> {
  async function pass (request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(request)
    const answer = told(request.url!, body)
    const found = answer === undefined
      ? await fetch(new URL(request.url!, url), {
        method: request.method!, headers: { 'content-type': 'application/json' }, ...body !== '' && { body }
      })
      : new Response(answer)
    response.writeHead(found.status).end(await found.text())
  }
  const server = createServer((request, response) => { pass(request, response).catch(t.threw) })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
/** Faults that are not met, see `docs/operations.md`. */
const NOT_MET = [
  // a slot before those that are read; by a second, where no trade is at the edge
  'detail .provenance.fee_rates[].from_slot', 'detail .provenance.windows_end',
  // of the pool's record, where they are made again
  ...['listed', 'reason', 'created_at', 'launch', 'team_address', 'last_price', 'price_change_5m', 'price_change_1h',
    'price_change_6h', 'price_change_24h', 'price_change_7d', 'price_change_30d', 'liquidity_in_usd',
    // of more than was read
    'ath.price', 'ath.at', 'atl.price', 'atl.at',
    // of the launch, of other pools, of the owner's other accounts, of proposals
    'supply.teamPerformancePackage', 'supply.protocolAmmLiquidity', 'supply.externalLpLiquidity',
    'treasury.external_liquidity', 'treasury.tokens_complete', 'decisions.proposals.total', 'decisions.proposals.draft',
    'decisions.proposals.live', 'decisions.proposals.passed', 'decisions.proposals.failed',
    'decisions.proposals.removed', 'decisions.live'
  ].map(name => `dao .${name}`),
  // another one, at which the pool was the same
  'quotes [].quote.slot'
]
const EQUAL = /\nequal\n$/

test(
  'with a node alone every field comes out equal, a pool that moves meanwhile too, and each that is altered is named',
  async t => {
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
    ledger.advance(60)
    // of a fee of 6 the rate may be more than one: the record names none
    dao.swap('buy', 1_181n)
    dao.swap('buy', 1n)   // its output is 0: it has no price
    for (const kind of FORGERIES) ledger.forgedEvent(dao, kind)
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
    for (const part of [
      'detail', 'tickers', 'rows', 'trades', 'candles', 'days', 'prices', 'dao', 'liquidity', 'quotes'
    ] as const) {
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
    t.same(faults.unmet, NOT_MET)

    ledger.advance(1)
    dao.swap('buy', 10_000_000_000n)   // the state of the node moves on before the service looks again
    t.match(await verify(dao.address), /the pool moved at slot \d+, after the \d+ that is shown[^]*\nequal\n$/)
    t.match(
      await verify(dao.address, '--taker-fee-rate', '0.006'),
      /provenance\.taker_fee_rate: served "0\.005", "0\.006" by the chain[^]*\ndifferent\n$/
    )
  }
)

test('what is read of two moments is no difference: a refresh and trades meanwhile, ' +
  'another pool of the token', async t => {
  const { ledger, node } = await startChain(t)
  const [base, quote] = [ledger.mint(), ledger.usdc()]
  const pool = { base, quote, baseReserves: 10n ** 12n, quoteReserves: 10n ** 11n }
  const [dao, other] = [ledger.dao(pool), ledger.dao({ ...pool, quoteReserves: 10n ** 10n })]
  for (const one of [dao, other, dao]) {
    ledger.advance(60)
    one.swap('buy', 10n ** 6n)
  }
  ledger.advance(400)
  const url = await serve(t, ledger, node)
  const old = await (await fetch(`${url}/api/pools/${dao.address}`)).text()
  dao.swap('buy', 10n ** 6n)
  ledger.advance(400)
  await until('the trade is shown', async () => await (await fetch(`${url}/api/pools/${dao.address}`)).text() !== old)
  let [isOld, trades] = [true, 2]
  const front = await between(t, url, path => {
    if (path !== `/api/pools/${dao.address}` || !isOld) return undefined
    isOld = false
    return old
  })
  const rpc = await between(t, node.url, (_, body) => {
    if (!body.includes('"getTransaction"') || trades === 0) return undefined
    trades--
    ledger.advance(1)
    for (const one of [dao, other]) one.swap('sell', 10n ** 6n)
    return undefined
  })
  t.match(await verifier(front, rpc)(dao.address), /the pool moved at slot \d+[^]*\nequal\n$/)
  t.same([isOld, trades], [false, 0])
})

test(
  'beside the adapters\' formulas: the same swaps, to the cent, but for those that no log names',
  async t => {
    const { ledger, node } = await startChain(t)
    const dao = ledger.dao(
      { base: ledger.mint(), quote: ledger.usdc(), baseReserves: 2n * 10n ** 12n, quoteReserves: 2n * 10n ** 11n }
    )
    for (let i = 0; i < 40; i++) {
      ledger.advance(4000)
      dao.swap(i % 3 === 0 ? 'sell' : 'buy', BigInt(1_000_003 * (1 + i % 7)), i % 5 === 0 ? { via: 'aggregator' } : {})
    }
    const url = await serve(t, ledger, node)
    const output = await verifier(url, node.url)(dao.address, '--adapter', '--days', '2')
    const midnight = ledger.time - ledger.time % 86_400
    const day = ledger.swaps.filter(({ time }) => time >= midnight - 86_400 && time < midnight)
    const quote = Number(
      day.reduce((sum, { side, input, output }) => sum + (side === 'buy' ? input : output), 0n)
    ) / 1e6
    t.ok(day.length > 10)
    const [, volume, volumeServed, lost, fees, feesServed, tvl, tvlServed] =
    /volume: ([\d.]+) by the adapters, ([\d.]+) served: ([\d.]+) of 0 swaps[^]*fees: ([\d.]+) by[^]*; ([\d.]+) served[^]*liquidity: ([\d.]+) by[^]*; ([\d.]+) served/.exec(output)!
    t.same([volume, lost], [quote.toFixed(2), '0.00'])
    t.ok(Math.abs(Number(volumeServed) - quote) < 1e-6)
    // both are 0.5 %: the program rounds up by a raw unit
    t.same([fees, Number(feesServed).toFixed(2)], [(quote * 0.005).toFixed(2), (quote * 0.005).toFixed(2)])
    const { quote: reserve } = dao.reserves
    t.equal(tvlServed, (Number(reserve) * 2 / 1e6).toFixed(2))
    const { state: { pools: { spot: { quoteFees, baseFees } } }, reserves: { base } } = dao
    const held = Number(reserve + quoteFees) + Number(base + baseFees) * Number(reserve) / Number(base)
    t.equal(tvl, (held / 1e6).toFixed(2), 'what is not collected yet is in it')
    t.match(output, EQUAL)

    const word: Word = {
      takerFeeRate: '0.005',
      quoteNotional: '100',
      usdMints: [dao.quote.address],
      pricedBy: new Map(),
      usdMinDepth: '10000',
      basis: 'input'
    }
    const { served, chain } = await readAll(url, nodeAt(node.url), dao.address, 2, word)
    const cut = chain.past.swaps.find(({ seq }) => Number(seq) === day[3]!.seq)!
    cut.isNamed = false
    const bent = besideAdapter(served, chain, { base: 0n, quote: 0n })
    t.match(bent.lines[1], `${(Number(cut.quote) / 1e6).toFixed(2)} of 1 swaps that no log names`)
    t.same(bent.group.different, [], 'the difference is stated')
    chain.past.swaps.splice(chain.past.swaps.indexOf(cut), 1)
    t.same(
      besideAdapter(served, chain, { base: 0n, quote: 0n }).group.different.length, 3, 'and one that is not is seen'
    )
  }
)

test(
  'values a token by the pool that prices it, knows pools of dust, waits for a node with a limit, ' +
    'and takes no missing transaction for none',
  async t => {
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
    const priced = ledger.dao(
      { base: ledger.mint(), quote: other, baseReserves: 10n ** 12n, quoteReserves: 10n ** 12n }
    )
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
    for (let i = 0n; i < 12n; i++) {
      ledger.advance(70)
      pricing.swap(i % 2n === 0n ? 'buy' : 'sell', 10n ** 7n + i)
      pricing.conditionalSwap(i % 3n === 0n ? 'pass' : 'fail', 'buy', 10n ** 6n + i)
    }
    // a fee of 7: that of any rate from 45 to 51 bps
    priced.swap('buy', 1_363n)
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
  }
)

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
