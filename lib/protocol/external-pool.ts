import type { PublicKey } from '@solana/web3.js'
import type { RawAccount } from '../chain/types.js'
import { DecodeError } from './bytes.js'
import { type AnchorInteger, type ProgramClient, toBigInt, toKey } from './client.js'

/** Concentrated liquidity of the external pool. Square roots of prices (token B per token A) are Q64.64. */
export interface ExternalPool {
  address: string
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
  tokenAMint: PublicKey
  tokenBMint: PublicKey
  sqrtMinPrice: AnchorInteger
  sqrtMaxPrice: AnchorInteger
  sqrtPrice: AnchorInteger
  collectFeeMode: number
}
interface AnchorPosition {
  pool: PublicKey
  nftMint: PublicKey
  unlockedLiquidity: AnchorInteger
  vestedLiquidity: AnchorInteger
  permanentLockedLiquidity: AnchorInteger
}

/** Compounding pools share reserves instead of following the curve; no launch opens one. */
const COMPOUNDING = 2

/** Decodes a pool. Throws a DecodeError where it is none, holds an impossible price, or does not follow the curve. */
export function decodeExternalPool (client: ProgramClient, account: RawAccount): ExternalPool {
  const decoded = client.pool(account) as AnchorExternalPool
  if (decoded.collectFeeMode >= COMPOUNDING) throw new DecodeError('external pool: compounding')
  const pool = {
    address: account.address,
    tokenA: toKey(decoded.tokenAMint),
    tokenB: toKey(decoded.tokenBMint),
    sqrtMinPrice: toBigInt(decoded.sqrtMinPrice),
    sqrtMaxPrice: toBigInt(decoded.sqrtMaxPrice),
    sqrtPrice: toBigInt(decoded.sqrtPrice)
  }
  if (pool.sqrtPrice === 0n || pool.sqrtPrice < pool.sqrtMinPrice || pool.sqrtPrice > pool.sqrtMaxPrice) {
    throw new DecodeError('external pool: a price outside its range')
  }
  return pool
}

/** Decodes the position whose NFT is `nft`. Throws a DecodeError where it is none or another's. */
export function decodeExternalPosition (client: ProgramClient, account: RawAccount, nft: string): ExternalPosition {
  const decoded = client.position(account) as AnchorPosition
  if (toKey(decoded.nftMint) !== nft) throw new DecodeError('external position: of another NFT')
  return {
    pool: toKey(decoded.pool),
    liquidity: toBigInt(decoded.unlockedLiquidity) + toBigInt(decoded.vestedLiquidity) + toBigInt(
      decoded.permanentLockedLiquidity
    )
  }
}
