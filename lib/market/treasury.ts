import { add, divide, multiply, ONE, type Rational, ratio, subtract, wholeTokens, ZERO } from '../decimal.js'
import { baseUsd, type PricedPool, type UsdValuation } from './usd.js'

/** Net asset value of a DAO, in all and per token (docs/methodology.md, "DAOs and treasuries"). */

export interface TreasuryParts {
  /** Holdings of the vault by token account. */
  tokens: ReadonlyArray<{ mint: string, amount: bigint, decimals: number }>
  /** Its spot pool, perhaps empty on a side. */
  pool: Omit<PricedPool, 'address'>
  /** What its own positions would withdraw. */
  positions: ReadonlyArray<{ base: bigint, quote: bigint }>
  circulating: bigint
  /** What may be spent in a month, raw quote units; null: no limit is set. */
  monthlyLimit: bigint | null
  usdMints: ReadonlySet<string>
  usd: UsdValuation
}

/** price ÷ NAV per token − 1; may be negative. */
export const premiumOf = (price: Rational | null, navPerToken: Rational | null): Rational | null =>
  price === null || navPerToken === null || navPerToken.n === 0n ? null : subtract(divide(price, navPerToken), ONE)

export function treasuryFigures (
  { tokens, pool, positions, circulating, monthlyLimit, usdMints, usd }: TreasuryParts
) {
  const { baseMint, baseDecimals, quoteDecimals } = pool
  let [dollars, worth, ownTokens] = [ZERO, ZERO, 0n]
  for (const { mint, amount, decimals } of tokens) {
    const whole = wholeTokens(ratio(amount), decimals)
    if (usdMints.has(mint)) dollars = add(dollars, whole)
    if (mint === baseMint) {
      ownTokens += amount
      continue
    }
    const value = usd(mint)
    if (value !== undefined) worth = add(worth, multiply(whole, value))
  }
  const [ownBase, ownQuote] = positions.reduce(([base, quote], own) => [base + own.base, quote + own.quote], [0n, 0n])
  const quoteUsd = usd(pool.quoteMint)
  const nav = quoteUsd === undefined && ownQuote > 0n
    ? null
    : add(worth, multiply(wholeTokens(ratio(ownQuote), quoteDecimals), quoteUsd ?? ZERO))
  const outside = wholeTokens(ratio(circulating - ownTokens - ownBase), baseDecimals)
  const navPerToken = nav === null || outside.n <= 0n ? null : divide(nav, outside)
  const limit = monthlyLimit === null || monthlyLimit === 0n || quoteUsd === undefined
    ? null
    : multiply(wholeTokens(ratio(monthlyLimit), quoteDecimals), quoteUsd)
  return {
    /** Whole dollars: of the mints that count as one. */
    dollars,
    /** Raw units of the base token: not part of the NAV. */
    ownTokens,
    /** USD, as the two below; null where own liquidity is in a quote token without a value. */
    nav,
    navPerToken,
    priceUsd: baseUsd(pool, { usd, usdMints }),
    /** Dollars ÷ monthly limit. */
    runwayMonths: limit === null ? null : divide(dollars, limit)
  }
}
