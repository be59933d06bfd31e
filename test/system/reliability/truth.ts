import { add, type Rational, ratio, toFixed } from '../../../lib/decimal.js'
import type { Dao, Launch, Ledger, Mint } from '../../../simulator/index.js'

/**
 * What the answers must say, computed from the ledger and by nothing that the service uses but the printing of
 * decimals.
 */

export interface World {
  ledger: Ledger
  daos: Dao[]
  launch: Launch
  plain: Mint
}

/** Two DAOs, one of them from a launch, and a mint of no launch; everybody has traded. */
export function createWorld (ledger: Ledger): World {
  const launch = ledger.launch({ version: 'v0.7', raise: 1_000_000_000_000n, packageAmount: 5_000_000_000_000n })
  launch.complete()
  launch.initializePackage()
  const other = ledger.dao({
    base: ledger.mint({ decimals: 9, symbol: 'BBB', name: 'Token B' }),
    quote: ledger.usdc(),
    baseReserves: 10n ** 16n,
    quoteReserves: 10n ** 11n
  })
  const plain = ledger.mint({ decimals: 3, supply: 123_456_789n })
  const daos = [...ledger.daos]
  if (!daos.includes(other)) daos.push(other)
  const world = { ledger, daos, launch, plain }
  ledger.advance(600)
  trade(world)
  return world
}

/** Swaps in every pool, which change every figure. */
export function trade ({ ledger, daos }: World): void {
  for (const dao of daos) {
    dao.swap('buy', 1_234_567_891n)
    ledger.advance(2)
    dao.swap('sell', 98_765_432_101n)
    ledger.advance(2)
  }
}

const whole = (raw: bigint, decimals: number): Rational => ratio(raw, 10n ** BigInt(decimals))

/** Figures of one pool that depend on nothing but its reserves and swaps. */
export interface PoolTruth { last_price: string, liquidity_in_usd: string, base_volume: string, target_volume: string }

/** What was traded in a pool after the second `since`, raw units of both tokens. */
function notionals (ledger: Ledger, address: string, since = -Infinity): { bases: Rational, quotes: Rational } {
  let [bases, quotes] = [ratio(0n), ratio(0n)]
  for (const { dao, time, side, input, output } of ledger.swaps) {
    if (dao !== address || time <= since) continue
    const [notional, other] = [ratio(input), ratio(output)]
    bases = add(bases, side === 'buy' ? other : notional)
    quotes = add(quotes, side === 'buy' ? notional : other)
  }
  return { bases, quotes }
}

/** USD of all swaps; every quote token is USDC here. */
export function aggregateTruth ({ ledger, daos }: World): string {
  const { n, d } = daos.map(({ address }) => notionals(ledger, address).quotes).reduce(add)
  return toFixed(ratio(n, d * 1_000_000n), 2)
}

/** By pool. Volumes are the inputs and outputs of the swaps after the second `since`. */
export function poolTruths ({ ledger, daos }: World, since?: number): Map<string, PoolTruth> {
  return new Map(daos.map(dao => {
    const { base, quote } = dao.reserves
    const { bases, quotes } = notionals(ledger, dao.address, since)
    const { decimals } = ledger.mints.get(dao.base.address)!
    return [dao.address, {
      last_price: significant(ratio(quote * 10n ** BigInt(decimals), base * 10n ** 6n)),
      liquidity_in_usd: toFixed(whole(2n * quote, 6), 2),
      base_volume: toFixed(ratio(bases.n, bases.d * 10n ** BigInt(decimals)), 8),
      target_volume: toFixed(ratio(quotes.n, quotes.d * 10n ** 6n), 8)
    }]
  }))
}

/** 12 decimals, more where 12 significant digits need them. */
function significant ({ n, d }: Rational): string {
  let places = 12
  while (n * 10n ** BigInt(places) / d < 10n ** 11n) places++
  return toFixed({ n, d }, places)
}

/** The supply of a mint, and what of it the team can't sell. The launch's package is whole. */
export function supplyTruth ({ launch }: World, mint: Mint) {
  const locked = mint.address === launch.mint.address ? 5_000_000_000_000n : 0n
  const text = (raw: bigint): string => toFixed(whole(raw, mint.decimals), mint.decimals).replace(/\.?0+$/, '')
  return {
    rawTotalSupply: mint.supply.toString(),
    totalSupply: text(mint.supply),
    total: text(mint.supply),
    teamPerformancePackage: text(locked),
    circulatingSupply: text(mint.supply - locked),
    circulating: text(mint.supply - locked)
  }
}
