import { formatUnits, multiply, type Rational, ratio, signedText, toFixed, wholeTokens } from '../decimal.js'
import { badAnswer, isServiceError, orUnknown } from '../errors.js'
import { comparePrices, type Reading } from '../history/history.js'
import { jsonResponse } from '../http/cached-response.js'
import type { DaoFacts, DaoFactsReader } from '../live/dao-facts.js'
import type { Kept } from '../live/fresh.js'
import type { TokenReader } from '../live/tokens.js'
import { reasonOf, startDate } from '../market/dao-report.js'
import { amountText, executedPriceText, ifKnown, priceText, textsOf } from '../market/pool-figures.js'
import { type Decimals, lastText } from '../market/price.js'
import { largestFirst, liquidityUsd, usdText } from '../market/ticker.js'
import { premiumOf, treasuryFigures } from '../market/treasury.js'
import type { ProposalState } from '../protocol/proposal.js'
import { dateOf, dayOf, timeText } from '../time.js'
import type { DaoRecord } from '../../schemas/dao.js'
import { type Pool, PRICE_CHANGES } from '../../schemas/pools.js'
import type { Treasury, TreasuryRow } from '../../schemas/treasury.js'
import type { ProposalAnswers } from './proposals.js'
import { ALL_DAYS, createdAt } from './past.js'
import { byDao, formOf, keep, MAX_RECORDS, noDao, type PricedState, type Sources } from './sources.js'

/** Of a DAO's supply and treasury. */
type DaoFigures = ReturnType<typeof figuresOf>

/** Throws NODE_BAD_ANSWER where its external position is of other tokens. */
function figuresOf (facts: DaoFacts, { tokens, usd, usdMints }: PricedState) {
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
  const { base, quote } = textsOf({ baseDecimals, quoteDecimals })
  const premiumAt = (price: Rational | null) =>
    ifKnown(premiumOf(price, figures.navPerToken), premium => signedText(premium, 4))
  const row: TreasuryRow = {
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
    row,
    /** With the token accounts whose mint can be read: dollars first, then what has a USD value, then by mint. */
    treasury: {
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
    },
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

export type DaoFactsKept = ReturnType<typeof createDaoFacts>

/** Supplies and treasuries of DAOs, kept as long as tickers are. */
export function createDaoFacts (sources: Sources, reader: DaoFactsReader, tokens: TokenReader) {
  async function withHeld (state: PricedState, facts: readonly DaoFacts[], slot = state.slot): Promise<PricedState> {
    const mints = new Set(facts.flatMap(({ tokens }) => tokens.map(({ mint }) => mint)))
    const untraded = [...mints].filter(mint => state.tokens.get(mint) == null)
    return { ...state, tokens: new Map([...state.tokens, ...await tokens.read(untraded, slot)]) }
  }

  return {
    /** Figures by DAO of the deepest listed pools, without DAOs whose accounts are wrong. */
    all: keep(sources, async (parts): Promise<ReadonlyMap<string, DaoFigures>> => {
      const state = await sources.priced(parts)
      const deepest = state.deepest.slice(0, MAX_WITH_FACTS).map(({ dao }) => dao)
      const read = [...(await reader.all(parts, deepest, state.tokens)).values()]
      const facts = read.flatMap(made => isServiceError(made) ? [] : [made])
      const known = await withHeld(state, facts)
      const figures = new Map<string, DaoFigures>()
      let wrong = read.find(made => isServiceError(made))
      for (const one of facts) {
        try {
          figures.set(one.dao.address, figuresOf(one, known))
        } catch (error) {
          if (!isServiceError(error)) throw error
          wrong = error
        }
      }
      // an empty list would look as if no DAO owned anything
      if (figures.size === 0 && wrong !== undefined) throw wrong
      return figures
    }),

    /** `state` has the tokens of its vault. Throws DAO_NOT_FOUND, and what is wrong with its accounts. */
    one: keep(sources, async (parts, address: string) => {
      const listed = await sources.priced(parts)
      const dao = listed.daos.get(address)
      if (dao === undefined) throw noDao(address)
      const facts = await reader.one(parts, dao, listed.tokens)
      const state = await withHeld(listed, [facts], facts.slot)
      return { state, facts, figures: figuresOf(facts, state) }
    }, { max: MAX_RECORDS })
  }
}

interface DaoSources extends Sources {
  facts: DaoFactsKept
  pools: Kept<{ byId: ReadonlyMap<string, Pool> }>
  proposals: Pick<ProposalAnswers, 'all' | 'record'>
  /** DAOs whose last 24 hours are not known. */
  incomplete: () => Promise<ReadonlySet<string>>
}

/** The highest and the lowest price ever, with the UTC day; null: there is none, or not all is known. */
async function extremesOf (reading: Reading, dao: string, decimals: Decimals): Promise<Pick<DaoRecord, 'ath' | 'atl'>> {
  const candles = reading.wholeAfter(dao) === -Infinity ? await reading.candles(dao, '1d', ALL_DAYS) : []
  const days = candles.flatMap(({ start, prices }) => prices === null ? [] : [{ ...prices, at: dateOf(dayOf(start)) }])
  if (days.length === 0) return { ath: null, atl: null }
  function extreme (of: 'high' | 'low', sign: 1 | -1) {
    const { [of]: price, at } = days.reduce((best, one) => comparePrices(one[of], best[of]) * sign > 0 ? one : best)
    return { price: executedPriceText(price, decimals), at }
  }
  return { ath: extreme('high', 1), atl: extreme('low', -1) }
}

const changesOf = (pool: Pool | null): Pick<Pool, keyof typeof PRICE_CHANGES> =>
  Object.fromEntries(Object.keys(PRICE_CHANGES).map(name => [name, pool?.[name as keyof Pool] ?? null])) as never

/**
 * Single DAOs, by address or by a base mint that one listed DAO trades. Throws INVALID_DAO, DAO_NOT_FOUND, and what the
 * chain and the history throw.
 */
export function createDaoResponses (sources: DaoSources) {
  const { history, settings: { quoteRules }, facts, pools, proposals, incomplete } = sources

  const record = keep(sources, async (parts, address: string) => {
    const { facts: { dao, details, mint, supply, launch, allocation, slot, tokens }, state, figures } =
      await facts.one(parts, address)
    // trades are of the list, the pool's worth of the slot of all else
    const traded = (await pools(parts)).byId.get(address) ?? null
    const { pool } = figures
    const proposed = (await proposals.all(parts)).flatMap(({ proposal }) => proposal.dao === address ? [proposal] : [])
    const reason = reasonOf(state.discovered.find(one => one.address === address)!, await incomplete())
    const isPriced = pool.baseReserves > 0n && pool.quoteReserves > 0n
    const [extremes, created] = await history.read(async reading =>
      [await extremesOf(reading, address, pool), createdAt(reading, address)])
    const isDeciding = dao.state === 'futarchy'
    const open = isDeciding ? proposed.find(({ state }) => state === 'pending') : undefined
    // it may have ended since it was listed, or not all of its events are known
    const live = open && await orUnknown(proposals.record(parts, open.address), 'WARMING_UP', 'HISTORY_UNAVAILABLE')
    const token = state.tokens.get(dao.baseMint)
    const amount = (raw: bigint): string => formatUnits(raw, mint.decimals)
    const count = (wanted: ProposalState): number => proposed.filter(({ state }) => state === wanted).length
    const held = tokens.flatMap(({ mint, address, amount }) =>
      mint === dao.baseMint ? [{ kind: 'treasury' as const, address, amount, circulating: true }] : [])
    const { treasury } = figures
    const caps = figures.poolFigures(figures.priceUsd)
    return jsonResponse<DaoRecord>({
      dao: dao.address,
      name: token?.name ?? '',
      symbol: token?.symbol ?? '',
      base_mint: dao.baseMint,
      quote_mint: dao.quoteMint,
      state: dao.state,
      listed: reason === null,
      reason,
      created_at: ifKnown(created, timeText),
      startDate: startDate(dao),
      launch: launch?.dao !== dao.address
        ? null
        : { address: launch.address, launchpad: launch.version, completed_at: ifKnown(launch.completedAt, timeText) },
      multisig: details.multisig,
      team_address: details.teamAddress,
      last_price: isPriced ? lastText(pool, quoteRules) : null,
      price_usd: treasury.price_usd,
      ...changesOf(traded),
      market_cap_usd: caps.market_cap_usd,
      fdv_usd: caps.fdv_usd,
      liquidity_in_usd: isPriced ? usdText(liquidityUsd(pool, state.usd)) : null,
      ...extremes,
      supply: {
        ...supply,
        max_supply: mint.mintAuthority === null ? supply.totalSupply : null,
        mint_authority: mint.mintAuthority,
        allocation: [...allocation, ...held].map(part => ({ ...part, amount: amount(part.amount) }))
      },
      treasury,
      decisions: {
        proposals: {
          // of the account: the list lacks what can't be read, and may be older or younger
          total: Math.max(details.proposalCount, proposed.length),
          draft: count('draft'),
          live: Number(isDeciding),
          passed: count('passed'),
          failed: count('failed'),
          removed: count('removed')
        },
        live: live?.state === 'pending' ? live : null,
        spending_limit: treasury.spending_limit
      },
      slot
    })
  }, { max: MAX_RECORDS })

  return {
    one: byDao(sources, record),
    treasury: byDao(sources, formOf(facts.one, ({ figures }) => jsonResponse<Treasury>(figures.treasury))),
    treasuries: formOf(facts.all, figures => jsonResponse(
      largestFirst(figures.values(), ({ nav }) => nav, ({ row }) => row.dao).map(({ row }) => row)
    ))
  }
}
