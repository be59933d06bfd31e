import { existsSync, readFileSync } from 'node:fs'
import t from 'tap'
import { type Pool, createOracle, createPool, spotSwap, swap, twap, updateTwap } from '../../simulator/arithmetic.js'
import { fromBase58 } from '../../simulator/bytes.js'
import { createLedger } from '../../simulator/index.js'
import { u128, u64 } from '../support/transaction-events.js'

const RECORDING = new URL('../../../shared/fixtures/program-recording.json', import.meta.url)
const pool = () => createPool(createOracle(0, 0n, 0n, 0), 200_000_000_000n, 2_000_000_000_000n)

t.test('one swap, by the program\'s own vectors', async t => {
  const vectors = [
    [1_000_000n, 'buy', 50n, 0n, 9_949_950n, 5_000n, 200_000_995_000n, 1_999_990_050_050n],
    [1_000_000n, 'buy', 25n, 25n, 9_950_012n, 2_500n, 200_000_997_500n, 1_999_990_049_988n],
    [10_000_000_001n, 'sell', 50n, 0n, 990_074_379n, 50_000_001n, 199_009_925_621n, 2_009_950_000_000n],
    [10_000_000_001n, 'sell', 25n, 25n, 990_080_568n, 25_000_001n, 199_009_919_432n, 2_009_975_000_000n],
    [199n, 'sell', 50n, 0n, 19n, 1n, 199_999_999_981n, 2_000_000_000_198n],
    [1n, 'buy', 50n, 0n, 0n, 1n, 200_000_000_000n, 2_000_000_000_000n]
  ] as const
  for (const [input, side, protocol, lp, output, fee, quote, base] of vectors) {
    const one = pool()
    t.same(swap(one, input, side, { protocol, lp }), { output, fee }, `${side} ${input} at ${protocol}/${lp}`)
    t.same([one.quote, one.base], [quote, base])
    t.same(
      side === 'buy' ? [one.quoteFees, one.baseFees] : [one.baseFees, one.quoteFees],
      [fee, 0n],
      'the fee is on the input side only'
    )
  }
})

t.test('a pool without liquidity, or one that would overflow, refuses and stays as it is', async t => {
  const empty = createPool(createOracle(0, 0n, 0n, 0))
  t.throws(() => swap(empty, 5n, 'buy', { protocol: 50n, lp: 0n }), { message: 'the pool has no liquidity' })
  const full = createPool(createOracle(0, 0n, 0n, 0), 2n ** 64n - 1n, 5n)
  t.throws(() => swap(full, 1000n, 'buy', { protocol: 50n, lp: 0n }), { message: 'the reserve overflows' })
  t.same([full.quote, full.base, full.quoteFees], [2n ** 64n - 1n, 5n, 0n])
})

t.test('the oracle moves once a minute, by at most its bound, and weighs what held before', async t => {
  const one = pool()
  one.oracle = createOracle(1000, 10n ** 12n, 10n ** 9n, 0)
  updateTwap(one, 1059)
  t.equal(one.oracle.updated, 1000)
  updateTwap(one, 1060)
  t.match(
    one.oracle,
    { updated: 1060, lastPrice: 10n ** 11n, lastObservation: 10n ** 12n - 10n ** 9n, aggregator: 60n * 10n ** 12n }
  )
  t.equal(twap(one), 10n ** 12n)
})

t.test('the vaults hold reserves and fees in Spot state', async t => {
  const ledger = createLedger({ seed: 3 })
  const dao = ledger.dao({
    base: ledger.mint({ decimals: 9 }),
    quote: ledger.usdc(),
    baseReserves: 2_000_000_000_000n,
    quoteReserves: 200_000_000_000n
  })
  const holds = () => {
    const { vaults, reserves, feeBalances } = dao
    t.same(vaults, { base: reserves.base + feeBalances.base, quote: reserves.quote + feeBalances.quote })
  }
  for (let i = 0n; i < 40n; i++) {
    ledger.advance(20)
    dao.swap(i % 3n === 0n ? 'sell' : 'buy', 1_000_003n * (i + 1n) ** 2n)
    holds()
  }
  dao.setFees(25, 25)
  dao.swap('buy', 12_345_678n)
  holds()
  dao.provideLiquidity(1_000_000_007n)
  holds()
  dao.withdrawLiquidity(0.25)
  holds()
  const collected = dao.collectFees()
  t.ok(collected.base > 0n && collected.quote > 0n)
  t.same(dao.feeBalances, { base: 0n, quote: 0n })
  holds()
  t.same(dao.collectFees(), {
    ...dao.collectFees(),
    base: 0n,
    quote: 0n,
    seq: dao.seqNum - 1,
    signature: ledger.history.signature(ledger.history.length - 2)
  }, 'nothing is collected too')
})

t.test('vault and conditional tokens together hold what the pools claim while a proposal is live', async t => {
  for (const passed of [true, false]) {
    const ledger = createLedger({ seed: 4 })
    const dao = ledger.dao({
      base: ledger.mint({ decimals: 6 }),
      quote: ledger.usdc(),
      baseReserves: 2_000_000_000_001n,
      quoteReserves: 200_000_000_001n
    })
    dao.swap('buy', 1_000_000_000n)
    const before = dao.reserves
    dao.launchProposal()
    t.same(dao.reserves, { base: before.base - before.base / 2n, quote: before.quote - before.quote / 2n })
    t.throws(() => dao.collectFees(), { message: 'PoolNotInSpotState' })
    const random = ledger.random
    let arbitraged = 0
    for (let i = 0; i < 300; i++) {
      ledger.advance(45)
      const { spot } = dao.state.pools
      const plain = { ...spot }
      if (i % 3 === 0) {
        dao.conditionalSwap(
          i % 2 === 0 ? 'pass' : 'fail', i % 4 < 2 ? 'buy' : 'sell', random.amount(10_000n, 3_000_000_000n)
        )
      } else {
        const side = i % 5 < 2 ? 'sell' : 'buy'
        const input = random.amount(10_000n, 3_000_000_000n)
        const alone = swap(plain, input, side, { protocol: 50n, lp: 0n })
        const made = dao.swap(side, input)
        t.equal(made.fee, alone.fee)
        if (made.output > alone.output) arbitraged++
      }
      for (const market of ['pass', 'fail'] as const) {
        const { spot: now, [market]: other } = dao.state.pools
        const held = dao.conditionalBalances!
        if (dao.vaults.base + held[`${market}Base`] !== now.base + now.baseFees + other!.base +
          other!.baseFees) t.fail(`base of ${market} after ${i}`)
        if (dao.vaults.quote + held[`${market}Quote`] !== now.quote + now.quoteFees + other!.quote +
          other!.quoteFees) t.fail(`quote of ${market} after ${i}`)
      }
    }
    t.ok(arbitraged > 10, 'users got a part of the arbitrage')
    dao.finalizeProposal({ passed })
    const { vaults, reserves, feeBalances } = dao
    t.same(
      vaults,
      { base: reserves.base + feeBalances.base, quote: reserves.quote + feeBalances.quote },
      'and reserves and fees after it'
    )
    t.equal(dao.conditionalBalances, null)
  }
})

t.test('the compiled program\'s own swaps are reproduced to the last unit', {
  skip: !existsSync(RECORDING) && 'the recording is not here'
}, async t => {
  const recording = JSON.parse(readFileSync(RECORDING, 'utf8'))
  let last: Pool | null = null
  let swaps = 0
  for (const { meta } of recording.transactions) {
    for (const { data, accounts } of meta.innerInstructions.flatMap((inner: any) => inner.instructions)) {
      if (accounts.length !== 1) continue
      const event = fromBase58(data)
      const after = readPool(event, 130)
      if (last !== null) {
        const { output } = spotSwap(
          { spot: last, pass: null, fail: null },
          u64(event, 105),
          event[104] === 0 ? 'buy' : 'sell',
          { protocol: 50n, lp: 0n },
          Number(u64(event, 24))
        )
        t.equal(output, u64(event, 113))
        t.same(last, after)
      }
      last = after
      swaps++
    }
  }
  t.equal(swaps, 92)
})

function readPool (data: Buffer, at: number): Pool {
  return {
    oracle: {
      aggregator: u128(data, at),
      updated: Number(u64(data, at + 16)),
      created: Number(u64(data, at + 24)),
      lastPrice: u128(data, at + 32),
      lastObservation: u128(data, at + 48),
      maxChange: u128(data, at + 64),
      initial: u128(data, at + 80),
      startDelay: data.readUInt32LE(at + 96)
    },
    quote: u64(data, at + 100),
    base: u64(data, at + 108),
    quoteFees: u64(data, at + 116),
    baseFees: u64(data, at + 124)
  }
}
