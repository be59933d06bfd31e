import { formatUnits, multiply, type Rational, ratio, signedText, toFixed, wholeTokens } from '../decimal.js'
import { badAnswer, isServiceError } from '../errors.js'
import type { DaoFacts, DaoFactsReader } from '../live/dao-facts.js'
import type { Token, TokenReader } from '../live/tokens.js'
import { amountText, ifKnown, priceText, textsOf } from '../market/pool-figures.js'
import { usdText } from '../market/ticker.js'
import { premiumOf, treasuryFigures } from '../market/treasury.js'
import type { TreasuryRow } from '../../schemas/treasury.js'
import { keep, MAX_RECORDS, noDao, type PricedState, type Sources } from './sources.js'

type Figures = ReturnType<typeof figuresOf>
type TokenOf = (mint: string) => Token | null | undefined

/** Of a DAO's supply and treasury. Throws NODE_BAD_ANSWER where its external position is of other tokens. */
function figuresOf (facts: DaoFacts, { usd, usdMints }: PricedState, tokenOf: TokenOf) {
  const { dao, details, internal, mint, slot, circulating, launch } = facts
  // of several DAOs that trade a mint, one has its launch and position
  const external = launch?.dao === dao.address ? facts.external : null
  const quoteDecimals = tokenOf(dao.quoteMint)?.decimals
  if (quoteDecimals === undefined) throw badAnswer(`${dao.quoteMint} holds no mint`)
  const baseDecimals = mint.decimals
  const [outsideBase, outsideQuote] = external === null
    ? [0n, 0n]
    : [external.amounts.get(dao.baseMint), external.amounts.get(dao.quoteMint)]
  if (outsideBase === undefined || outsideQuote === undefined) {
    throw badAnswer(`the external position of ${dao.address} is of other tokens`)
  }
  const held = facts.tokens.flatMap(account => {
    const token = tokenOf(account.mint)
    return token == null ? [] : [{ ...account, decimals: token.decimals, symbol: token.symbol }]
  })
  const pool = { ...dao, baseDecimals, quoteDecimals }
  const figures = treasuryFigures({
    tokens: held,
    pool,
    positions: [internal, { base: outsideBase, quote: outsideQuote }],
    circulating,
    monthlyLimit: details.spendingLimit?.amount ?? null,
    usdMints,
    usd
  })
  const { base, quote } = textsOf(pool)
  const premiumAt = (price: Rational | null) =>
    ifKnown(premiumOf(price, figures.navPerToken), premium => signedText(premium, 4))
  const row: TreasuryRow = {
    dao: dao.address,
    symbol: tokenOf(dao.baseMint)?.symbol ?? '',
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
  const rank = (mint: string) => usdMints.has(mint) ? 0 : usd(mint) !== undefined ? 1 : 2
  return {
    nav: figures.nav,
    priceUsd: figures.priceUsd,
    /** Its spot pool, which may be empty. */
    pool,
    row,
    /** With the token accounts whose mint can be read: dollars first, then what has a USD value, then by mint. */
    treasury: () => ({
      ...row,
      tokens: held
        .sort((a, b) => rank(a.mint) - rank(b.mint) || (`${a.mint} ${a.address}` < `${b.mint} ${b.address}` ? -1 : 1))
        .map(({ mint, amount, address, symbol, decimals }) => ({
          mint,
          symbol,
          amount: formatUnits(amount, decimals),
          usd: ifKnown(usd(mint), price => usdText(multiply(price, wholeTokens(ratio(amount), decimals)))),
          address
        }))
    }),
    /** At so many USD for a whole token. */
    perToken: (price: Rational | null) => ({ nav_per_token: row.nav_per_token, premium: premiumAt(price) }),
    /** Likewise, of a pool's record. */
    poolFigures (price: Rational | null) {
      const worth = (raw: bigint) => ifKnown(price, price =>
        usdText(multiply(wholeTokens(ratio(raw), baseDecimals), price)))
      return {
        market_cap_usd: worth(circulating),
        fdv_usd: worth(mint.supply),
        treasury_usdc_aum: row.treasury_usdc_aum
      }
    }
  }
}

/** Deepest pools whose supply and treasury are read for lists: anyone can make a pool, of 15 accounts. */
const MAX_WITH_FACTS = 300

export type DaoFigures = ReturnType<typeof createDaoFigures>

/** Supplies and treasuries of DAOs, kept as long as tickers are. */
export function createDaoFigures (sources: Sources, reader: DaoFactsReader, tokens: TokenReader) {
  /** Of what is traded, or held by one of the vaults. */
  async function tokensOf (state: PricedState, facts: readonly DaoFacts[], slot = state.slot) {
    const mints = new Set(facts.flatMap(({ tokens }) => tokens.map(({ mint }) => mint)))
    const untraded = await tokens.read([...mints].filter(mint => state.tokens.get(mint) == null), slot)
    return (mint: string) => untraded.get(mint) ?? state.tokens.get(mint)
  }

  return {
    /** Figures by DAO of the deepest listed pools, without DAOs whose accounts are wrong. */
    all: keep(sources, async (parts): Promise<ReadonlyMap<string, Figures>> => {
      const state = await sources.priced(parts)
      const deepest = state.deepest.slice(0, MAX_WITH_FACTS).map(({ dao }) => dao)
      const read = [...(await reader.all(parts, deepest, state.tokens)).values()]
      const facts = read.flatMap(made => isServiceError(made) ? [] : [made])
      const tokenOf = await tokensOf(state, facts)
      const figures = new Map<string, Figures>()
      let wrong = read.find(made => isServiceError(made))
      for (const one of facts) {
        try {
          figures.set(one.dao.address, figuresOf(one, state, tokenOf))
        } catch (error) {
          if (!isServiceError(error)) throw error
          wrong = error
        }
      }
      // an empty list would look as if no DAO owned anything
      if (figures.size === 0 && wrong !== undefined) throw wrong
      return figures
    }),

    /** Throws DAO_NOT_FOUND, and what is wrong with its accounts. */
    one: keep(sources, async (parts, address: string) => {
      const state = await sources.priced(parts)
      const dao = state.daos.get(address)
      if (dao === undefined) throw noDao(address)
      const facts = await reader.one(parts, dao, state.tokens)
      const tokenOf = await tokensOf(state, [facts], facts.slot)
      return { state, facts, tokenOf, figures: figuresOf(facts, state, tokenOf) }
    }, { max: MAX_RECORDS })
  }
}
