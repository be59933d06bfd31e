import { formatUnits } from '../decimal.js'
import { orUnknown } from '../errors.js'
import { comparePrices, type Reading } from '../history/history.js'
import { jsonResponse } from '../http/cached-response.js'
import type { Kept } from '../live/fresh.js'
import { type Incomplete, reasonOf, startDate } from '../market/dao-report.js'
import { executedPriceText, ifKnown } from '../market/pool-figures.js'
import { type Decimals, lastText } from '../market/price.js'
import { largestFirst, liquidityUsd, usdText } from '../market/ticker.js'
import type { ProposalState } from '../protocol/proposal.js'
import { dateOf, dayOf, timeText } from '../time.js'
import type { DaoRecord } from '../../schemas/dao.js'
import { type Pool, PRICE_CHANGES } from '../../schemas/pools.js'
import type { Treasury } from '../../schemas/treasury.js'
import type { DaoFigures } from './dao-figures.js'
import { ALL_DAYS, createdAt } from './known-history.js'
import type { ProposalAnswers } from './proposals.js'
import { byDao, formOf, keep, MAX_RECORDS, type Sources } from './sources.js'

interface DaoSources extends Sources {
  facts: DaoFigures
  pools: Kept<{ byId: ReadonlyMap<string, Pool> }>
  proposals: Pick<ProposalAnswers, 'all' | 'record'>
  /** DAOs whose last 24 hours are not known. */
  incomplete: () => Promise<Incomplete>
}

/** The highest and the lowest price ever, with the UTC day; null: there is none, or not all is known. */
async function extremesOf (reading: Reading, dao: string, decimals: Decimals) {
  const candles = reading.wholeAfter(dao) === -Infinity ? await reading.candles(dao, '1d', ALL_DAYS) : []
  const days = candles.flatMap(({ start, prices }) => prices === null ? [] : [{ ...prices, start }])
  function extreme (of: 'high' | 'low', sign: 1 | -1) {
    if (days.length === 0) return null
    const best = days.reduce((best, one) => comparePrices(one[of], best[of]) * sign > 0 ? one : best)
    return { price: executedPriceText(best[of], decimals), at: dateOf(dayOf(best.start)) }
  }
  return { ath: extreme('high', 1), atl: extreme('low', -1) }
}

const changesOf = (pool: Pool | null): Pick<Pool, keyof typeof PRICE_CHANGES> =>
  Object.fromEntries(Object.keys(PRICE_CHANGES).map(name => [name, pool?.[name as keyof Pool] ?? null])) as never

/** DAOs and their treasuries. Of single ones as of `daoOf`. */
export function createDaoResponses (sources: DaoSources) {
  const { history, settings: { quoteRules }, facts, pools, proposals, incomplete } = sources

  const record = keep(sources, async (parts, address: string) => {
    const unlisted = await incomplete()
    const { facts: { dao, details, mint, supply, launch, allocation, slot, tokens }, state, tokenOf, figures } =
      await facts.one(parts, address)
    // trades are of the list, the pool's worth of the slot of all else
    const traded = (await pools(parts)).byId.get(address) ?? null
    const { pool } = figures
    const proposed = (await proposals.all(parts)).flatMap(({ proposal }) => proposal.dao === address ? [proposal] : [])
    const reason = reasonOf(state.discovered.find(one => one.address === address)!, unlisted)
    const isPriced = pool.baseReserves > 0n && pool.quoteReserves > 0n
    const [extremes, created] = await history.read(async reading =>
      [await extremesOf(reading, address, pool), createdAt(reading, address)])
    const isDeciding = dao.state === 'futarchy'
    const open = isDeciding ? proposed.find(({ state }) => state === 'pending') : undefined
    // it may have ended since it was listed, or not all of its events are known
    const live = open && await orUnknown(proposals.record(parts, open.address), 'WARMING_UP', 'HISTORY_UNAVAILABLE')
    const token = tokenOf(dao.baseMint)
    const amount = (raw: bigint) => formatUnits(raw, mint.decimals)
    const count = (wanted: ProposalState) => proposed.filter(({ state }) => state === wanted).length
    // of the account: the list lacks what can't be read, and may be older or younger
    const total = Math.max(details.proposalCount, proposed.length)
    const held = tokens.flatMap(({ mint, address, amount }) =>
      mint === dao.baseMint ? [{ kind: 'treasury' as const, address, amount, circulating: true }] : [])
    const treasury = figures.treasury()
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
          total,
          draft: count('draft'),
          // a younger list counts the same one as ended
          live: Number(isDeciding && proposed.length - count('pending') < total),
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
    treasury: byDao(sources, formOf(facts.one, ({ figures }) => jsonResponse<Treasury>(figures.treasury()))),
    treasuries: formOf(facts.all, figures => jsonResponse(
      largestFirst(figures.values(), ({ nav }) => nav, ({ row }) => row.dao).map(({ row }) => row)
    ))
  }
}
