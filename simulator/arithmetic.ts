/**
 * The pool's integer arithmetic, as in `programs/futarchy/src/state/futarchy_amm.rs`: all floor division, u128 inside.
 * Amounts are raw token units; fees are basis points.
 */

export type Side = 'buy' | 'sell'
export type Market = 'pass' | 'fail'

/** Prices are quote units per base unit × 10^12; times are unix seconds. */
export interface Oracle {
  aggregator: bigint
  updated: number
  created: number
  lastPrice: bigint
  lastObservation: bigint
  maxChange: bigint
  initial: bigint
  startDelay: number
}

export interface Pool {
  oracle: Oracle
  quote: bigint
  base: bigint
  quoteFees: bigint
  baseFees: bigint
}

/** Pass and fail exist while a proposal is live. */
export interface Pools { spot: Pool, pass: Pool | null, fail: Pool | null }

/**
 * The protocol's and the liquidity providers' share of the input, in basis points: 25/25 at first, later 50/0
 * (`programs/futarchy/src/lib.rs`).
 */
export interface Fees { protocol: bigint, lp: bigint }

export const PRICE_SCALE = 10n ** 12n
const BPS = 10000n
const U64 = (1n << 64n) - 1n
const U128 = (1n << 128n) - 1n

const min = (a: bigint, b: bigint) => a < b ? a : b
const max = (a: bigint, b: bigint) => a > b ? a : b
const opposite = (side: Side): Side => side === 'buy' ? 'sell' : 'buy'

export function createOracle (now: number, initial: bigint, maxChange: bigint, startDelay: number): Oracle {
  return {
    aggregator: 0n, updated: now, created: now, lastPrice: 0n, lastObservation: initial, maxChange, initial, startDelay
  }
}

export function createPool (oracle: Oracle, quote = 0n, base = 0n): Pool {
  return { oracle, quote, base, quoteFees: 0n, baseFees: 0n }
}

export const clonePool = (pool: Pool): Pool => ({ ...pool, oracle: { ...pool.oracle } })

/** One observation at most a minute, from the reserves before the swap, moved at most `maxChange` from the last. */
export function updateTwap (pool: Pool, now: number): void {
  const { oracle } = pool
  if (now < oracle.updated + 60 || pool.base === 0n || pool.quote === 0n) return
  const price = pool.quote * PRICE_SCALE / pool.base
  const observation = price > oracle.lastObservation
    ? min(price, min(oracle.lastObservation + oracle.maxChange, U128))
    : max(price, max(oracle.lastObservation - oracle.maxChange, 0n))
  const start = oracle.created + oracle.startDelay
  if (now > start) {
    const seconds = BigInt(now - Math.max(oracle.updated, start))
    // The compiled program weighs the observation that held until now; an older source weighs the new one.
    oracle.aggregator = (oracle.aggregator + min(oracle.lastObservation * seconds, U128)) & U128
  }
  oracle.updated = now
  oracle.lastPrice = price
  oracle.lastObservation = observation
}

/** Time-weighted price since the start delay ended; 0 where nothing was recorded. */
export function twap (pool: Pool): bigint {
  const seconds = pool.oracle.updated - pool.oracle.created - pool.oracle.startDelay
  return seconds <= 0 ? 0n : pool.oracle.aggregator / BigInt(seconds)
}

function move (pool: Pool, added: bigint, weighted: bigint, side: Side, scale: bigint): bigint {
  const [inside, outside] = side === 'buy' ? [pool.quote, pool.base] : [pool.base, pool.quote]
  if (inside === 0n || outside === 0n) throw new RangeError('the pool has no liquidity')
  if (inside + added > U64) throw new RangeError('the reserve overflows')
  const output = weighted * outside / (inside * scale + weighted)
  if (side === 'buy') {
    pool.quote += added
    pool.base -= output
  } else {
    pool.base += added
    pool.quote -= output
  }
  return output
}

/** A swap with its fee; the protocol's part rounds up and never enters the reserves. */
export function swap (pool: Pool, input: bigint, side: Side, fees: Fees): { output: bigint, fee: bigint } {
  const net = input * (BPS - fees.protocol) / BPS
  const output = move(pool, net, net * (BPS - fees.lp), side, BPS)
  if (side === 'buy') pool.quoteFees += input - net
  else pool.baseFees += input - net
  return { output, fee: input - net }
}

/** The swaps that arbitrage makes: no fee. */
export const feelessSwap = (pool: Pool, input: bigint, side: Side): bigint => move(pool, input, input, side, 1n)

const simulate = (pool: Pool, input: bigint, side: Side): bigint => feelessSwap({ ...pool }, input, side)

interface Profits { spot: bigint, pass: bigint, fail: bigint }

/** Hundredths of what may be spent are tried until one brings no more than the one before; 0 where none brings any. */
function bestInput (maxInput: bigint, profitOf: (input: bigint) => bigint): { input: bigint, profit: bigint } {
  let best = { input: 0n, profit: 0n }
  for (let i = 1n; i <= 100n; i++) {
    const input = i * (maxInput / 100n)
    const profit = profitOf(input)
    if (profit <= best.profit) break
    best = { input, profit }
  }
  return best
}

function arbitrageAfterSpot (spot: Pool, pass: Pool, fail: Pool, maxInput: bigint, side: Side): Profits {
  const { input, profit } = bestInput(maxInput, input => {
    const through = simulate(spot, input, opposite(side))
    return min(simulate(pass, through, side), simulate(fail, through, side)) - input
  })
  const through = feelessSwap(spot, input, opposite(side))
  const passOutput = feelessSwap(pass, through, side)
  const failOutput = feelessSwap(fail, through, side)
  const both = min(passOutput, failOutput)
  return { spot: profit, pass: passOutput - both, fail: failOutput - both }
}

function arbitrageAfterConditional (
  { spot, pass, fail }: { spot: Pool, pass: Pool, fail: Pool }, maxInput: bigint, side: Side, market: Market
): Profits {
  const { input } = bestInput(maxInput, input => {
    const trial = { pass: { ...pass }, fail: { ...fail } }
    const outputs = {
      pass: feelessSwap(trial.pass, input, opposite(side)), fail: feelessSwap(trial.fail, input, opposite(side))
    }
    const both = min(outputs.pass, outputs.fail)
    const spotProfit = simulate(spot, both, side) - input
    return spotProfit < 0n ? 0n : feelessSwap(trial[market], outputs[market] - both, side) + spotProfit
  })
  const passOutput = feelessSwap(pass, input, opposite(side))
  const failOutput = feelessSwap(fail, input, opposite(side))
  const both = min(passOutput, failOutput)
  return {
    spot: feelessSwap(spot, both, side) - input,
    fail: failOutput > both ? feelessSwap(fail, failOutput - both, side) : 0n,
    pass: passOutput > both ? feelessSwap(pass, passOutput - both, side) : 0n
  }
}

function credit (pool: Pool, side: Side, amount: bigint): void {
  if (side === 'buy') pool.baseFees += amount
  else pool.quoteFees += amount
}

/** A swap on the spot pool; while a proposal is live the arbitrage's profit is part of what the user receives. */
export function spotSwap (
  pools: Pools, input: bigint, side: Side, fees: Fees, now: number
): { output: bigint, fee: bigint } {
  const { spot, pass, fail } = pools
  updateTwap(spot, now)
  if (pass === null || fail === null) return swap(spot, input, side, fees)
  updateTwap(pass, now)
  updateTwap(fail, now)
  const { output, fee } = swap(spot, input, side, fees)
  const profits = arbitrageAfterSpot(spot, pass, fail, output, side)
  credit(pass, side, profits.pass)
  credit(fail, side, profits.fail)
  return { output: output + profits.spot, fee }
}

/**
 * A swap of conditional tokens. The spot profit is split: the user gets one half, the other pool's fee balance its
 * mirror.
 */
export function conditionalSwap (
  pools: Pools, input: bigint, side: Side, market: Market, fees: Fees, now: number
): { output: bigint, fee: bigint } {
  const { spot, pass, fail } = pools
  if (pass === null || fail === null) throw new RangeError('no proposal is live')
  for (const pool of [spot, pass, fail]) updateTwap(pool, now)
  const [own, other] = market === 'pass' ? [pass, fail] : [fail, pass]
  const { output, fee } = swap(own, input, side, fees)
  const profits = arbitrageAfterConditional({ spot, pass, fail }, output, side, market)
  credit(other, side, (market === 'pass' ? profits.fail : profits.pass) + profits.spot)
  return { output: output + profits[market] + profits.spot, fee }
}

/** Half of each reserve backs both outcomes (`launch_proposal.rs`). */
export function splitForProposal (pools: Pools, oracle: () => Oracle): void {
  const { spot } = pools
  const [quote, base] = [spot.quote / 2n, spot.base / 2n]
  spot.quote -= quote
  spot.base -= base
  pools.pass = createPool(oracle(), quote, base)
  pools.fail = createPool(oracle(), quote, base)
}

/**
 * The winner's reserves and fee balances join the spot pool's; the loser's were worthless claims
 * (`finalize_proposal.rs`).
 */
export function mergeWinner (pools: Pools, winner: Market): void {
  const { spot } = pools
  const won = pools[winner]
  if (won === null) throw new RangeError('no proposal is live')
  spot.quote += won.quote
  spot.base += won.base
  spot.quoteFees += won.quoteFees
  spot.baseFees += won.baseFees
  pools.pass = pools.fail = null
}
