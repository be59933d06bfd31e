import type { RawAccount } from '../chain/types.js'
import { DecodeError } from './bytes.js'
import type { ProgramClient } from './client.js'

/** Concentrated liquidity of the external pool. Square roots of prices (token B per token A) are Q64.64. */
export type ExternalPool = ReturnType<typeof decodeExternalPool>

/** Compounding pools share reserves instead of following the curve; no launch opens one. */
const COMPOUNDING = 2

/** Decodes a pool. Throws a DecodeError where it is none, holds an impossible price, or follows no curve. */
export function decodeExternalPool (client: ProgramClient, account: RawAccount) {
  const decoded = client.pool(account)
  if (Number(decoded.value('collect_fee_mode')) >= COMPOUNDING) throw new DecodeError('external pool: compounding')
  const pool = {
    tokenA: decoded.key('token_a_mint'),
    tokenB: decoded.key('token_b_mint'),
    sqrtMinPrice: decoded.integer('sqrt_min_price'),
    sqrtMaxPrice: decoded.integer('sqrt_max_price'),
    sqrtPrice: decoded.integer('sqrt_price')
  }
  if (pool.sqrtPrice === 0n || pool.sqrtPrice < pool.sqrtMinPrice || pool.sqrtPrice > pool.sqrtMaxPrice) {
    throw new DecodeError('external pool: a price outside its range')
  }
  return pool
}

/** Decodes the position whose NFT is `nft`. Throws a DecodeError where it is none or another's. */
export function decodeExternalPosition (client: ProgramClient, account: RawAccount, nft: string) {
  const decoded = client.position(account)
  if (decoded.key('nft_mint') !== nft) throw new DecodeError('external position: of another NFT')
  const [unlocked, vested] = [decoded.integer('unlocked_liquidity'), decoded.integer('vested_liquidity')]
  return { pool: decoded.key('pool'), liquidity: unlocked + vested + decoded.integer('permanent_locked_liquidity') }
}
