import { test } from 'tap'
import type { AggregateLiquidity } from '../../schemas/aggregate.js'
import { build, historyComplete, settings, startChain } from '../helper.js'
import { INVALID_DAO } from '../../schemas/errors.js'

const DAY = 86_400
const dateOf = (day: number): string => new Date(day * DAY * 1000).toISOString().slice(0, 10)
const cents = (raw: bigint): string => {
  const rounded = (2n * raw + 5_000n) / 10_000n
  return `${rounded / 100n}.${String(rounded % 100n).padStart(2, '0')}`
}

test('GET /api/liquidity/aggregate: what the pools held as each UTC day ended, by the ledger\'s own count', async t => {
  const { ledger, node } = await startChain(t)
  const usdc = ledger.usdc()
  ledger.advance(DAY - ledger.time % DAY + 600)
  const made = [7n, 2n].map(depth => ledger.dao({
    base: ledger.mint({ symbol: `T${depth}` }),
    quote: usdc,
    baseReserves: 2_000_000_000_000n,
    quoteReserves: depth * 123_456_789_012n
  }))
  const ends: Array<{ date: string, held: bigint[] }> = []
  for (let i = 0; i < 6; i++) {
    const day = Math.floor(ledger.time / DAY)
    if (i !== 2) made[0]!.swap(i % 2 === 0 ? 'buy' : 'sell', 5_000_777n * BigInt(i + 1))
    if (i === 1) made[1]!.provideLiquidity(1_000_000_000n)
    if (i === 3) made[1]!.launchProposal()
    if (i === 4) made[1]!.finalizeProposal({ passed: true })
    ends.push({ date: dateOf(day), held: made.map(dao => dao.reserves.quote) })
    ledger.advance(DAY)
  }
  const young = ledger.dao({ base: ledger.mint(), quote: usdc, baseReserves: 10n ** 12n, quoteReserves: 10n ** 12n })
  const app = await build(t, { env: settings(t, node, ledger), now: () => ledger.time * 1000, pollMs: 20 })
  await historyComplete(app)
  const ask = async (query = ''): Promise<AggregateLiquidity> => (await app.inject(
    `/api/liquidity/aggregate${query}`
  )).json()

  const all = await ask()
  t.same(all.dailyBreakdown, ends.map(({ date, held }) =>
    ({ date, liquidity: cents(held[0]! + held[1]!), daos: 2, unknown: 0 })).reverse())
  t.equal(all.totalLiquidity, all.dailyBreakdown[0]!.liquidity)
  t.same(all.daos, made.map((dao, i) =>
    ({ dao: dao.address, mint: dao.base.address, symbol: `T${[7, 2][i]}`, liquidity: cents(ends.at(-1)!.held[i]!) })))
  const second = await ask(`?dao=${made[1]!.address}`)
  t.same(
    second.dailyBreakdown,
    ends.map(({ date, held }) => ({ date, liquidity: cents(held[1]!), daos: 1, unknown: 0 })).reverse()
  )
  t.equal(second.daos.length, 1)
  t.same(await ask(`?dao=${made[1]!.base.address}`), second, 'by its mint')
  t.same(
    await ask(`?dao=${young.address}`), { totalLiquidity: null, dailyBreakdown: [], daos: [] }, 'one of today had none'
  )

  const answer = await app.inject('/api/liquidity/aggregate')
  t.equal(answer.headers['x-history-complete'], 'true')
  for (const [query, status, sentence] of [
    ['?dao=x', 400, INVALID_DAO],
    [`?dao=${usdc.address}`, 404, undefined],
    ['?day=1', 400, 'Invalid day: only dao here']
  ] as const) {
    const { statusCode, body } = await app.inject(`/api/liquidity/aggregate${query}`)
    t.equal(statusCode, status, query)
    if (sentence !== undefined) t.equal(JSON.parse(body).error, sentence)
  }
})

test('an excluded DAO, and one in a token without a value, are in no figure', async t => {
  const { ledger, node } = await startChain(t)
  const reserves = { baseReserves: 10n ** 12n, quoteReserves: 10n ** 11n }
  const [kept, spam] = [0, 1].map(() => ledger.dao({ base: ledger.mint(), quote: ledger.usdc(), ...reserves }))
  ledger.dao({ base: ledger.mint(), quote: ledger.mint({ symbol: 'USDC' }), ...reserves })
  ledger.advance(DAY)
  const app = await build(
    t, { env: settings(t, node, ledger, { EXCLUDED_DAOS: spam!.address }), now: () => ledger.time * 1000, pollMs: 20 }
  )
  await historyComplete(app)
  const { totalLiquidity, daos } = (await app.inject('/api/liquidity/aggregate')).json<AggregateLiquidity>()
  t.equal(totalLiquidity, '200000.00')
  t.same(daos.map(({ dao }) => dao), [kept!.address])
})
