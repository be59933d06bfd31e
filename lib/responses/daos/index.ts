import { formatUnits } from '../../decimal.js'
import { orUnknown } from '../../errors.js'
import { comparePrices, type Reading } from '../../history/history.js'
import type { Kept, Part } from '../../live/fresh.js'
import { reasonOf } from '../../market/dao-report.js'
import { executedPriceText, ifKnown } from '../../market/pool-figures.js'
import { type Decimals, lastText } from '../../market/price.js'
import { largestFirst, liquidityUsd, usdText } from '../../market/ticker.js'
import type { ProposalState } from '../../protocol/proposal.js'
import { dateOf, dayOf, timeText } from '../../time.js'
import type { DaoRecord } from '../../../schemas/dao.js'
import { type Pool, PRICE_CHANGES } from '../../../schemas/pools.js'
import type { ProposalRecord } from '../../../schemas/proposals.js'
import { jsonResponse } from '../json-response.js'
import { ALL_DAYS, createdAt } from '../known.js'
import { type PoolList, startDate } from '../pools/pool-list.js'
import type { ProposalAnswers } from '../proposals.js'
import { byDao, formOf, keep, MAX_RECORDS, type Sources } from '../sources.js'
import type { DaoFactsKept } from './facts.js'
import { treasuryRecord } from './treasury.js'

interface DaoSources extends Sources {
  facts: DaoFactsKept
  pools: Kept<PoolList>
  proposals: Pick<ProposalAnswers, 'all' | 'record'>
  /** DAOs whose last 24 hours are not known. */
  incomplete: () => Promise<ReadonlySet<string>>
}

/** The highest and the lowest price ever, with the UTC day; null: there is none, or not all is known. */
async function extremesOf (reading: Reading, dao: string, decimals: Decimals): Promise<Pick<DaoRecord, 'ath' | 'atl'>> {
  const candles = reading.wholeAfter(dao) === -Infinity ? await reading.candles(dao, '1d', ALL_DAYS) : []
  const days = candles.flatMap(({ start, prices }) => prices === null ? [] : [{ ...prices, at: dateOf(dayOf(start)) }])
  if (days.length === 0) return { ath: null, atl: null }
  const highest = days.reduce((best, one) => comparePrices(one.high, best.high) > 0 ? one : best)
  const lowest = days.reduce((best, one) => comparePrices(one.low, best.low) < 0 ? one : best)
  return {
    ath: { price: executedPriceText(highest.high, decimals), at: highest.at },
    atl: { price: executedPriceText(lowest.low, decimals), at: lowest.at }
  }
}

const changesOf = (pool: Pool | null): Pick<Pool, keyof typeof PRICE_CHANGES> =>
  Object.fromEntries(Object.keys(PRICE_CHANGES).map(name => [name, pool?.[name as keyof Pool] ?? null])) as never

/**
 * Single DAOs, by address or by a base mint that one listed DAO trades. Throws INVALID_DAO, DAO_NOT_FOUND, and what the
 * chain and the history throw.
 */
export function createDaoResponses (sources: DaoSources) {
  const { history, settings: { quoteRules }, facts, pools, proposals, incomplete } = sources

  /** A live proposal; null if it has ended since it was listed, or not all of its events are known. */
  async function liveOne (parts: Part[], proposal: string): Promise<ProposalRecord | null> {
    const one = await orUnknown(proposals.record(parts, proposal), 'WARMING_UP', 'HISTORY_UNAVAILABLE')
    return one?.state === 'pending' ? one : null
  }

  async function recordOf (parts: Part[], address: string): Promise<DaoRecord> {
    const { facts: { dao, details, mint, supply, launch, allocation, slot, tokens }, state, figures } =
      await facts.one(parts, address)
    // trades are of the list, the pool's worth of the slot of all else
    const traded = (await pools(parts)).byId.get(address) ?? null
    const { pool } = figures
    const proposed = (await proposals.all(parts)).flatMap(({ proposal }) => proposal.dao === address ? [proposal] : [])
    const reason = reasonOf(state.discovered.find(one => one.address === address)!, await incomplete())
    const isPriced = reason === null && pool.baseReserves > 0n && pool.quoteReserves > 0n
    const [extremes, created] = await history.read(async reading =>
      [await extremesOf(reading, address, pool), createdAt(reading, address)])
    const isDeciding = dao.state === 'futarchy'
    const open = isDeciding ? proposed.find(({ state }) => state === 'pending') : undefined
    const live = open === undefined ? null : await liveOne(parts, open.address)
    const token = state.tokens.get(dao.baseMint)
    const amount = (raw: bigint): string => formatUnits(raw, mint.decimals)
    const count = (wanted: ProposalState): number => proposed.filter(({ state }) => state === wanted).length
    const held = tokens.flatMap(({ mint, address, amount }) =>
      mint === dao.baseMint ? [{ kind: 'treasury' as const, address, amount, circulating: true }] : [])
    const treasury = treasuryRecord(figures)
    const caps = figures.poolFigures(figures.priceUsd)
    return {
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
      liquidity_in_usd: reason === null ? usdText(liquidityUsd(pool, state.usd)) : null,
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
        live,
        spending_limit: treasury.spending_limit
      },
      slot
    }
  }
  const record = keep(sources, async (parts, address: string) => jsonResponse(await recordOf(parts, address)), {
    max: MAX_RECORDS
  })
  const treasury = formOf(facts.one, ({ figures }) => jsonResponse(treasuryRecord(figures)))

  return {
    one: byDao(sources, record),
    treasury: byDao(sources, treasury),
    treasuries: formOf(facts.all, figures => jsonResponse(
      largestFirst(figures.values(), ({ nav }) => nav, ({ treasury }) => treasury.dao).map(({ treasury }) => treasury)
    ))
  }
}
