/**
 * The external pool of a launch: constant product within a price range (`cp-amm`, its curve helpers). Prices are
 * √(quote per base) × 2^64.
 */
import { PROGRAMS, type launchAddresses, derive } from './addresses.js'
import { Writer, discriminator } from './bytes.js'
import { type Chain } from './chain.js'
import { type Mint, type TokenAccount, createMint, createTokenAccount } from './mint.js'

export const MAX_SQRT_PRICE = 79226673521066979257578248091n
/** Tokens that a launch puts into the pool, whole units. */
const POOL_TOKENS = 900_000n

const ceil = (numerator: bigint, denominator: bigint): bigint => (numerator + denominator - 1n) / denominator

/** √price at launch, as the launchpad computes it: in 64-bit floating point. */
export const launchSqrtPrice = (raise: bigint): bigint => BigInt(Math.trunc(Math.sqrt(Number(raise) / 1e13) * 2 ** 64))

/** Liquidity of 900 000 tokens on one side, from √price to infinity. */
export const launchLiquidity = (sqrtPrice: bigint): bigint =>
  MAX_SQRT_PRICE * POOL_TOKENS / (MAX_SQRT_PRICE - sqrtPrice) * 1_000_000n * sqrtPrice

export interface PoolRange { min: bigint, max: bigint, price: bigint }

/** Base tokens behind a liquidity; up: what the pool must hold, down: what an owner would get. */
export function baseOf (liquidity: bigint, { price, max }: PoolRange, up = false): bigint {
  const [numerator, denominator] = [liquidity * (max - price), price * max]
  return up ? ceil(numerator, denominator) : numerator / denominator
}

export function quoteOf (liquidity: bigint, { price, min }: PoolRange, up = false): bigint {
  const numerator = liquidity * (price - min)
  return up ? ceil(numerator, 1n << 128n) : numerator >> 128n
}

export type ExternalPool = ReturnType<typeof createPool>

/** Of a whole the share from 0 to 1, of which six decimals count. */
export const partOf = (whole: bigint, share: number): bigint => whole * BigInt(Math.round(share * 1e6)) / 1_000_000n

/** @param treasury where a withdrawal goes */
export function createPool (
  chain: Chain, addresses: ReturnType<typeof launchAddresses>, base: Mint, quote: Mint, raise: bigint,
  treasury: { base: TokenAccount, quote: TokenAccount }
) {
  const price = launchSqrtPrice(raise)
  const range: PoolRange = { min: price, max: MAX_SQRT_PRICE, price }
  let own = launchLiquidity(price)
  let other = 0n
  let open = true
  const authority = derive(PROGRAMS.damm, 'pool_authority').address
  const vaults = {
    base: createTokenAccount(chain.accounts, authority, base, 0n, addresses.poolBaseVault),
    quote: createTokenAccount(chain.accounts, authority, quote, 0n, addresses.poolQuoteVault)
  }
  const nft = createMint(
    chain.accounts, addresses.positionNftMint, { decimals: 0, supply: 1n, program: 'token-2022', metadata: 'none' }
  )
  const nftAccount = createTokenAccount(chain.accounts, addresses.daoVault, nft, 1n, addresses.positionNftAccount)

  const poolEntry = chain.accounts.put(addresses.pool, PROGRAMS.damm, () => {
    const writer = new Writer(1112).bytes(discriminator('account', 'Pool')).u64(5_000_000n)
    writer.offset = 168
    writer.key(base.address).key(quote.address).key(addresses.poolBaseVault).key(addresses.poolQuoteVault)
    writer.offset = 360
    writer.u128(own + other)
    writer.offset = 424
    writer.u128(range.min).u128(range.max).u128(range.price).u64(BigInt(chain.slot))
    writer.offset = 648
    return writer.key(addresses.daoVault).buffer
  })
  const positionEntry = chain.accounts.put(addresses.position, PROGRAMS.damm, () => {
    const writer = new Writer(408).bytes(discriminator('account', 'Position')).key(addresses.pool)
      .key(addresses.positionNftMint)
    writer.offset = 152
    return writer.u128(own).buffer
  })

  function settle (): void {
    vaults.base.amount = baseOf(own, range, true) + baseOf(other, range, true)
    vaults.quote.amount = quoteOf(own, range, true) + quoteOf(other, range, true)
    poolEntry.touch()
    if (open) positionEntry.touch()
  }
  settle()

  return {
    range: range as Readonly<PoolRange>,
    /** Liquidity of the protocol's own position. */
    get liquidity () { return own },
    /** What the protocol's position is worth to its owner, raw units. */
    get owned () { return { base: baseOf(own, range), quote: quoteOf(own, range) } },
    /** What the pool's vaults hold, everybody's. */
    get vaults () { return { base: vaults.base.amount, quote: vaults.quote.amount } },

    /** Somebody else joins the pool. */
    addOtherLiquidity (liquidity: bigint): void {
      other += liquidity
      settle()
    },

    /** Trading moved the price; the amounts follow. */
    setSqrtPrice (sqrtPrice: bigint): void {
      if (sqrtPrice < range.min || sqrtPrice > range.max) throw new RangeError('outside of the pool\'s range')
      range.price = sqrtPrice
      settle()
    },

    /** The DAO takes out a part of its position; the tokens go to its treasury. */
    withdraw (fraction: number): { base: bigint, quote: bigint } {
      const removed = partOf(own, fraction)
      const amounts = { base: baseOf(removed, range), quote: quoteOf(removed, range) }
      own -= removed
      treasury.base.amount += amounts.base
      treasury.quote.amount += amounts.quote
      settle()
      return amounts
    },

    /** Takes out everything and ends the position: its account, its NFT and the NFT's account are gone. */
    closePosition (): void {
      this.withdraw(1)
      open = false
      chain.accounts.remove(addresses.position)
      chain.accounts.remove(addresses.positionNftMint)
      nftAccount.close()
    }
  }
}
