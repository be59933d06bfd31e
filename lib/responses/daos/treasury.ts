import { formatUnits, multiply, type Rational, ratio, signedText, toFixed, wholeTokens } from '../../decimal.js'
import { badAnswer } from '../../errors.js'
import type { DaoFacts } from '../../live/dao-facts.js'
import { amountText, ifKnown, priceText, textsOf } from '../../market/pool-figures.js'
import { usdText } from '../../market/ticker.js'
import { premiumOf, treasuryFigures } from '../../market/treasury.js'
import type { Treasury, TreasuryRow } from '../../../schemas/treasury.js'
import type { PricedState } from '../sources.js'

/** Figures of a DAO's supply and treasury. */
export type DaoFigures = ReturnType<typeof figuresOf>

/** Throws NODE_BAD_ANSWER where its external position is of other tokens. */
export function figuresOf (facts: DaoFacts, { tokens, usd, usdMints }: PricedState) {
  const { dao, details, internal, mint, slot, circulating, launch } = facts
  // of several DAOs that trade a mint, one has its launch and position
  const external = launch?.dao === dao.address ? facts.external : null
  const quoteDecimals = tokens.get(dao.quoteMint)?.decimals
  if (quoteDecimals === undefined) throw badAnswer(`${dao.quoteMint} holds no mint`)
  const baseDecimals = mint.decimals
  const [outsideBase, outsideQuote] = external === null
    ? [0n, 0n]
    : [external.amounts.get(dao.baseMint), external.amounts.get(dao.quoteMint)]
  if (outsideBase === undefined || outsideQuote === undefined) {
    throw badAnswer(`the external position of ${dao.address} is of other tokens`)
  }
  const held = facts.tokens.flatMap(account => {
    const token = tokens.get(account.mint)
    return token == null ? [] : [{ ...account, decimals: token.decimals, symbol: token.symbol }]
  })
  const { address, baseMint, quoteMint, baseReserves, quoteReserves } = dao
  const pool = { address, baseMint, quoteMint, baseReserves, quoteReserves, baseDecimals, quoteDecimals }
  const figures = treasuryFigures({
    tokens: held,
    pool,
    positions: [internal, { base: outsideBase, quote: outsideQuote }],
    circulating,
    monthlyLimit: details.spendingLimit?.amount ?? null,
    usdMints,
    usd
  })
  const { base, quote } = textsOf({ baseDecimals, quoteDecimals })
  const premiumAt = (price: Rational | null) =>
    ifKnown(premiumOf(price, figures.navPerToken), premium => signedText(premium, 4))
  const treasury: TreasuryRow = {
    dao: dao.address,
    symbol: tokens.get(dao.baseMint)?.symbol ?? '',
    treasury_vault_address: dao.vault,
    treasury_usdc_aum: amountText(figures.dollars, 0),
    own_tokens: base(figures.ownTokens),
    internal_liquidity: {
      base: base(internal.base), quote: quote(internal.quote), in_proposal: dao.state === 'futarchy'
    },
    external_liquidity: ifKnown(external, ({ position }) =>
      ({ base: base(outsideBase), quote: quote(outsideQuote), position })),
    nav_usd: ifKnown(figures.nav, usdText),
    circulating_supply: base(circulating),
    nav_per_token: ifKnown(figures.navPerToken, priceText),
    price_usd: ifKnown(figures.priceUsd, priceText),
    premium: premiumAt(figures.priceUsd),
    spending_limit: ifKnown(details.spendingLimit, ({ amount, members }) =>
      ({ amount_per_month: quote(amount), members })),
    runway_months: ifKnown(figures.runwayMonths, months => toFixed(months, 2)),
    tokens_complete: facts.tokensComplete && held.length === facts.tokens.length,
    slot
  }
  const rank = (mint: string): number => usdMints.has(mint) ? 0 : usd(mint) !== undefined ? 1 : 2
  return {
    nav: figures.nav,
    priceUsd: figures.priceUsd,
    /** Its spot pool, which may be empty. */
    pool,
    treasury,
    /** Of the vault: dollars first, then what has a USD value, then by mint. */
    accounts: held
      .sort((a, b) => rank(a.mint) - rank(b.mint) || (`${a.mint} ${a.address}` < `${b.mint} ${b.address}` ? -1 : 1))
      .map(({ mint, amount, address, symbol, decimals }) => ({
        mint,
        symbol,
        amount: formatUnits(amount, decimals),
        usd: ifKnown(usd(mint), price => usdText(multiply(price, wholeTokens(ratio(amount), decimals)))),
        address
      })),
    /** At so many USD for a whole token. */
    perToken: (price: Rational | null) => ({ nav_per_token: treasury.nav_per_token, premium: premiumAt(price) }),
    /** Likewise, of a pool's record. */
    poolFigures (price: Rational | null) {
      const worth = (raw: bigint) => ifKnown(price, price =>
        usdText(multiply(wholeTokens(ratio(raw), baseDecimals), price)))
      return {
        market_cap_usd: worth(circulating),
        fdv_usd: worth(mint.supply),
        treasury_usdc_aum: treasury.treasury_usdc_aum
      }
    }
  }
}

/** The treasury with each token account whose mint can be read. */
export const treasuryRecord = ({ treasury, accounts }: DaoFigures): Treasury => ({ ...treasury, tokens: accounts })
