import { u128 } from './bytes.js'

/**
 * The AMM of a DAO, in its account and its events: a byte for its state, the spot pool, while a proposal is live the
 * pass and the fail pool, the total liquidity, keys of mints and vaults (programs/futarchy/src/state/futarchy_amm.rs).
 */

/** Raw token units of both sides of a pool. */
export interface Sides { quote: bigint, base: bigint }

/** The outcomes of a decision, each with its market. */
export type Outcome = 'pass' | 'fail'

export type MarketPool = ReturnType<typeof poolAt>
export type Oracle = MarketPool['oracle']

/** Bytes of the AMM by its state, in the order of the state's byte. */
export const AMM_SIZES = { spot: 277, futarchy: 541 } as const
export type AmmState = keyof typeof AMM_SIZES
const STATES = Object.keys(AMM_SIZES) as AmmState[]

const POOLS = ['spot', 'pass', 'fail'] as const
const POOL_BYTES = 132

/** Its offset in a DAO's account: behind the discriminator. */
export const AMM = 8

/** The state of the AMM at offset `amm`; undefined: the byte tells neither. */
export const ammState = (data: Buffer, amm: number): AmmState | undefined => STATES[data[amm] ?? -1]

const sides = (data: Buffer, at: number): Sides =>
  ({ quote: data.readBigUInt64LE(at), base: data.readBigUInt64LE(at + 8) })

/**
 * A pool of the AMM at offset `amm`, raw units; fee balances are not part of the reserves. 'pass' and 'fail' are there
 * while a proposal is live.
 */
export function poolAt (data: Buffer, amm: number, pool: typeof POOLS[number] = 'spot') {
  const at = amm + 1 + POOLS.indexOf(pool) * POOL_BYTES
  return {
    /** Prices are raw quote ÷ raw base × 10^12, times Unix seconds. */
    oracle: {
      aggregator: u128(data, at),
      updatedAt: Number(data.readBigInt64LE(at + 16)),
      createdAt: Number(data.readBigInt64LE(at + 24)),
      lastObservation: u128(data, at + 48),
      maxChange: u128(data, at + 64),
      startDelay: data.readUInt32LE(at + 96)
    },
    reserves: sides(data, at + 100),
    fees: sides(data, at + 116)
  }
}
