import type { RawAccount } from '../chain/types.js'
import { DecodeError } from './bytes.js'
import { fieldsOf, type ProgramClient } from './client.js'

/** Concentrated liquidity of the external pool. Square roots of prices (token B per token A) are Q64.64. */
export type ExternalPool = ReturnType<typeof decodeExternalPool>
export type ExternalPosition = ReturnType<typeof decodeExternalPosition>

/** Compounding pools share reserves instead of following the curve; no launch opens one. */
const COMPOUNDING = 2

/** Decodes a pool. Throws a DecodeError where it is none, holds an impossible price, or follows no curve. */
export function decodeExternalPool (client: ProgramClient, account: RawAccount) {
  const { key, integer, fields } = fieldsOf(client.pool(account))
  if (Number(fields['collect_fee_mode']) >= COMPOUNDING) throw new DecodeError('external pool: compounding')
  const pool = {
    tokenA: key('token_a_mint'),
    tokenB: key('token_b_mint'),
    sqrtMinPrice: integer('sqrt_min_price'),
    sqrtMaxPrice: integer('sqrt_max_price'),
    sqrtPrice: integer('sqrt_price')
  }
  if (pool.sqrtPrice === 0n || pool.sqrtPrice < pool.sqrtMinPrice || pool.sqrtPrice > pool.sqrtMaxPrice) {
    throw new DecodeError('external pool: a price outside its range')
  }
  return pool
}

/** Decodes the position whose NFT is `nft`. Throws a DecodeError where it is none or another's. */
export function decodeExternalPosition (client: ProgramClient, account: RawAccount, nft: string) {
  const { key, integer } = fieldsOf(client.position(account))
  if (key('nft_mint') !== nft) throw new DecodeError('external position: of another NFT')
  const [unlocked, vested] = [integer('unlocked_liquidity'), integer('vested_liquidity')]
  return { pool: key('pool'), liquidity: unlocked + vested + integer('permanent_locked_liquidity') }
}
