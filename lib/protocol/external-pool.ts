import type { PublicKey } from '@solana/web3.js'
import type { RawAccount } from '../chain/types.js'
import { DecodeError } from './bytes.js'
import { type AnchorInteger, type ProgramClient, toBigInt, toKey } from './client.js'

/** Concentrated liquidity of the external pool. Square roots of prices (token B per token A) are Q64.64. */
export interface ExternalPool {
  tokenA: string
  tokenB: string
  sqrtMinPrice: bigint
  sqrtMaxPrice: bigint
  sqrtPrice: bigint
}

export interface ExternalPosition {
  pool: string
  /** Unlocked, vested and permanently locked together. */
  liquidity: bigint
}

interface AnchorExternalPool {
  token_a_mint: PublicKey
  token_b_mint: PublicKey
  sqrt_min_price: AnchorInteger
  sqrt_max_price: AnchorInteger
  sqrt_price: AnchorInteger
  collect_fee_mode: number
}
interface AnchorPosition {
  pool: PublicKey
  nft_mint: PublicKey
  unlocked_liquidity: AnchorInteger
  vested_liquidity: AnchorInteger
  permanent_locked_liquidity: AnchorInteger
}

/** Compounding pools share reserves instead of following the curve; no launch opens one. */
const COMPOUNDING = 2

/** Decodes a pool. Throws a DecodeError where it is none, holds an impossible price, or follows no curve. */
export function decodeExternalPool (client: ProgramClient, account: RawAccount): ExternalPool {
  const decoded = client.pool(account) as AnchorExternalPool
  if (decoded.collect_fee_mode >= COMPOUNDING) throw new DecodeError('external pool: compounding')
  const pool = {
    tokenA: toKey(decoded.token_a_mint),
    tokenB: toKey(decoded.token_b_mint),
    sqrtMinPrice: toBigInt(decoded.sqrt_min_price),
    sqrtMaxPrice: toBigInt(decoded.sqrt_max_price),
    sqrtPrice: toBigInt(decoded.sqrt_price)
  }
  if (pool.sqrtPrice === 0n || pool.sqrtPrice < pool.sqrtMinPrice || pool.sqrtPrice > pool.sqrtMaxPrice) {
    throw new DecodeError('external pool: a price outside its range')
  }
  return pool
}

/** Decodes the position whose NFT is `nft`. Throws a DecodeError where it is none or another's. */
export function decodeExternalPosition (client: ProgramClient, account: RawAccount, nft: string): ExternalPosition {
  const decoded = client.position(account) as AnchorPosition
  if (toKey(decoded.nft_mint) !== nft) throw new DecodeError('external position: of another NFT')
  const { unlocked_liquidity: unlocked, vested_liquidity: vested, permanent_locked_liquidity: locked } = decoded
  return { pool: toKey(decoded.pool), liquidity: toBigInt(unlocked) + toBigInt(vested) + toBigInt(locked) }
}
