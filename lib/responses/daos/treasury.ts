import { compare, formatUnits, multiply, ratio, signedText, toFixed, wholeTokens } from '../../decimal.js'
import { ServiceError } from '../../errors.js'
import { amountText, ifKnown, priceText, textsOf } from '../../market/pool-figures.js'
import { spotPrice } from '../../market/price.js'
import { usdText } from '../../market/ticker.js'
import { type TreasuryFigures, treasuryFigures } from '../../market/treasury.js'
import type { Pool } from '../../../schemas/pools.js'
import type { Treasury, TreasuryRow } from '../../../schemas/treasury.js'
import type { OneFacts } from './facts.js'

/** What the vault holds whose mint can be read. */
const heldTokens = ({ facts, state: { tokens } }: OneFacts) => facts.tokens.flatMap(held => {
  const token = tokens.get(held.mint)
  return token == null ? [] : [{ ...held, decimals: token.decimals, symbol: token.symbol }]
})

/** The figures and the row of one DAO. Throws NODE_BAD_ANSWER where its external position is of other tokens. */
export function treasuryOf (own: OneFacts): { row: TreasuryRow, figures: TreasuryFigures } {
  const { facts, state: { tokens, usd, usdMints } } = own
  const { dao, details, internal, mint, slot, circulating, launch } = facts
  // of several DAOs that trade a mint the launch, and its position, are one's
  const external = launch?.dao === dao.address ? facts.external : null
  const quoteDecimals = tokens.get(dao.quoteMint)?.decimals
  if (quoteDecimals === undefined) throw new ServiceError('NODE_BAD_ANSWER', `${dao.quoteMint} holds no mint`)
  const baseDecimals = mint.decimals
  const [outsideBase, outsideQuote] = external === null
    ? [0n, 0n]
    : [external.amounts.get(dao.baseMint), external.amounts.get(dao.quoteMint)]
  if (outsideBase === undefined || outsideQuote === undefined) {
    throw new ServiceError('NODE_BAD_ANSWER', `the external position of ${dao.address} is of other tokens`)
  }
  const hasPrice = dao.baseReserves > 0n && dao.quoteReserves > 0n
  const figures = treasuryFigures({
    tokens: heldTokens(own),
    base: { mint: dao.baseMint, decimals: baseDecimals },
    quote: { mint: dao.quoteMint, decimals: quoteDecimals },
    positions: [internal, { base: outsideBase, quote: outsideQuote }],
    circulating,
    price: hasPrice ? spotPrice({ ...dao, baseDecimals, quoteDecimals }) : null,
    monthlyLimit: details.spendingLimit?.amount ?? null,
    usdMints,
    usd
  })
  const { base, quote } = textsOf({ baseDecimals, quoteDecimals })
  return {
    figures,
    row: {
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
      premium: ifKnown(figures.premium, premium => signedText(premium, 4)),
      spending_limit: ifKnown(details.spendingLimit, ({ amount, members }) =>
        ({ amount_per_month: quote(amount), members })),
      runway_months: ifKnown(figures.runwayMonths, months => toFixed(months, 2)),
      slot
    }
  }
}

/** The treasury with each token account. */
export function treasuryRecord (own: OneFacts): Treasury {
  const { facts, state: { usd, usdMints } } = own
  const rank = (mint: string): number => usdMints.has(mint) ? 0 : usd(mint) !== undefined ? 1 : 2
  const held = heldTokens(own).sort((a, b) => rank(a.mint) - rank(b.mint) || (a.mint === b.mint
    ? (a.address < b.address ? -1 : 1)
    : a.mint < b.mint ? -1 : 1))
  return {
    ...treasuryOf(own).row,
    tokens: held.map(({ mint, amount, address, symbol, decimals }) => ({
      mint,
      symbol,
      amount: formatUnits(amount, decimals),
      usd: ifKnown(usd(mint), price => usdText(multiply(price, wholeTokens(ratio(amount), decimals)))),
      address
    })),
    tokens_complete: facts.tokensComplete && held.length === facts.tokens.length
  }
}

/** What supply and treasury make of a pool's figures. */
export function factFigures (own: OneFacts): Pick<Pool, 'market_cap_usd' | 'fdv_usd' | 'treasury_usdc_aum'> {
  const { row, figures: { priceUsd } } = treasuryOf(own)
  const { circulating, mint: { supply, decimals } } = own.facts
  const worth = (raw: bigint) =>
    ifKnown(priceUsd, price => usdText(multiply(wholeTokens(ratio(raw), decimals), price)))
  return {
    market_cap_usd: worth(circulating), fdv_usd: worth(supply), treasury_usdc_aum: row.treasury_usdc_aum
  }
}

/** Rows largest NAV first, then by DAO; those without one last. */
export function largestFirst (found: ReadonlyArray<{ row: TreasuryRow, figures: TreasuryFigures }>): TreasuryRow[] {
  const none = { n: -1n, d: 1n }
  return [...found].sort(
    (a, b) => compare(b.figures.nav ?? none, a.figures.nav ?? none) || (a.row.dao < b.row.dao ? -1 : 1)
  ).map(({ row }) => row)
}
