import { add, compare, divide, multiply, ONE, type Rational, ratio, subtract, wholeTokens, ZERO } from '../decimal.js'
import type { UsdValuation } from './usd.js'

/** What a DAO owns, and what that makes of each of its tokens (docs/methodology.md, "DAOs and treasuries"). */

export interface TreasuryParts {
  /** What the vault holds, of each token account one row. */
  tokens: ReadonlyArray<{ mint: string, amount: bigint, decimals: number }>
  base: { mint: string, decimals: number }
  quote: { mint: string, decimals: number }
  /** What its own positions would withdraw. */
  positions: ReadonlyArray<{ base: bigint, quote: bigint }>
  circulating: bigint
  /** Quote tokens per base token; null: there is none. */
  price: Rational | null
  /** What may be spent in a month, raw quote units; null: no limit is set. */
  monthlyLimit: bigint | null
  usdMints: ReadonlySet<string>
  usd: UsdValuation
}

export function treasuryFigures (
  { tokens, base, quote, positions, circulating, price, monthlyLimit, usdMints, usd }: TreasuryParts
) {
  let [dollars, worth, ownTokens] = [ZERO, ZERO, 0n]
  for (const { mint, amount, decimals } of tokens) {
    const whole = wholeTokens(ratio(amount), decimals)
    if (usdMints.has(mint)) dollars = add(dollars, whole)
    if (mint === base.mint) {
      ownTokens += amount
      continue
    }
    const value = usd(mint)
    if (value !== undefined) worth = add(worth, multiply(whole, value))
  }
  const [ownBase, ownQuote] = positions.reduce(([base, quote], own) => [base + own.base, quote + own.quote], [0n, 0n])
  const quoteUsd = usd(quote.mint)
  const nav = quoteUsd === undefined && ownQuote > 0n
    ? null
    : add(worth, multiply(wholeTokens(ratio(ownQuote), quote.decimals), quoteUsd ?? ZERO))
  const outside = wholeTokens(ratio(circulating - ownTokens - ownBase), base.decimals)
  const navPerToken = nav === null || outside.n <= 0n ? null : divide(nav, outside)
  const traded = price === null || quoteUsd === undefined ? null : multiply(price, quoteUsd)
  const priceUsd = usdMints.has(base.mint) ? ONE : traded
  const limit = monthlyLimit === null || monthlyLimit === 0n || quoteUsd === undefined
    ? null
    : multiply(wholeTokens(ratio(monthlyLimit), quote.decimals), quoteUsd)
  return {
    /** Whole dollars: of the mints that count as one. */
    dollars,
    /** Raw units of the base token: worth nothing to the DAO itself. */
    ownTokens,
    /** USD, as the two below; null where own liquidity is in a quote token without a value. */
    nav,
    navPerToken,
    priceUsd,
    /** price ÷ NAV per token − 1; may be negative. */
    premium: priceUsd === null || navPerToken === null || compare(navPerToken, ZERO) === 0
      ? null
      : subtract(divide(priceUsd, navPerToken), ONE),
    /** Dollars ÷ monthly limit. */
    runwayMonths: limit === null ? null : divide(dollars, limit)
  }
}
