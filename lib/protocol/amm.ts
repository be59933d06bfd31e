/**
 * The pool of a DAO, FutarchyAmm, in its account and its events: a byte for its state, the spot pool, while a proposal
 * is live the pass and the fail pool, the total liquidity, the keys of mints and vaults
 * (programs/futarchy/src/state/futarchy_amm.rs).
 */

/** Raw token units of both sides of a pool. */
export interface Sides { quote: bigint, base: bigint }

/** The two ends of a decision, each with a market of its own. */
export type Outcome = 'pass' | 'fail'

/** Bytes of it in each state; their order is that of the byte that tells it. */
export const AMM_SIZES = { spot: 277, futarchy: 541 } as const
export type AmmState = keyof typeof AMM_SIZES
const STATES = Object.keys(AMM_SIZES) as AmmState[]

/** Within the spot pool's oracle. */
const [UPDATED_AT, CREATED_AT] = [17, 25]
const SPOT_RESERVES = 101
const SPOT_FEES = 117
const PASS_RESERVES = 233
const POOL_BYTES = 132
/** The keys of base mint, quote mint, base vault and quote vault end the whole. */
export const AMM_KEYS = 4 * 32

const sides = (data: Buffer, at: number): Sides =>
  ({ quote: data.readBigUInt64LE(at), base: data.readBigUInt64LE(at + 8) })

// each takes the bytes, and where in them the pool begins

/** Undefined where the byte tells neither. */
export const ammState = (data: Buffer, amm: number): AmmState | undefined => STATES[data[amm] ?? -1]
/** When the pool began, Unix seconds as they are written. */
export const createdAt = (data: Buffer, amm: number): bigint => data.readBigInt64LE(amm + CREATED_AT)
/** When its price was last observed, Unix seconds as they are written. */
export const updatedAt = (data: Buffer, amm: number): bigint => data.readBigInt64LE(amm + UPDATED_AT)
/** Fee balances are not part of reserves. */
export const spotReserves = (data: Buffer, amm: number): Sides => sides(data, amm + SPOT_RESERVES)
export const spotFees = (data: Buffer, amm: number): Sides => sides(data, amm + SPOT_FEES)
/** Only while a proposal is live. */
export const marketReserves = (data: Buffer, amm: number, market: Outcome): Sides =>
  sides(data, amm + PASS_RESERVES + (market === 'pass' ? 0 : POOL_BYTES))
