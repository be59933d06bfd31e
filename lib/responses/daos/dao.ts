import { formatUnits } from '../../decimal.js'
import { comparePrices, type ExecutedPrice, type Reading } from '../../history/history.js'
import { isDate } from '../../market/dao-report.js'
import { executedPriceText, ifKnown } from '../../market/pool-figures.js'
import type { Dao } from '../../protocol/dao.js'
import type { ProposalState } from '../../protocol/proposal.js'
import { DAY, dateOf, dayOf, timeText } from '../../time.js'
import type { DaoRecord } from '../../../schemas/dao.js'
import { type Pool, PRICE_CHANGES } from '../../../schemas/pools.js'
import type { ProposalRecord } from '../../../schemas/proposals.js'
import { MAX_DAYS } from '../known.js'
import type { KnownDao } from './facts.js'
import { treasuryRecord } from './treasury.js'

/** The highest and the lowest price ever, and their UTC days. */
interface Extremes { high: { price: ExecutedPrice, day: number }, low: { price: ExecutedPrice, day: number } }

/** By the days of a DAO; null where there is none, or not all of its history is known. */
export async function extremesOf (reading: Reading, dao: string): Promise<Extremes | null> {
  if (reading.knowledge(dao, -Infinity) !== 'whole') return null
  let found: Extremes | null = null
  for (const { start, prices } of await reading.candles(dao, '1d', { from: 0, to: MAX_DAYS * DAY, limit: MAX_DAYS })) {
    if (prices === null) continue
    const { high, low } = prices
    const day = dayOf(start)
    found = {
      high: found === null || comparePrices(high, found.high.price) > 0 ? { price: high, day } : found.high,
      low: found === null || comparePrices(low, found.low.price) < 0 ? { price: low, day } : found.low
    }
  }
  return found
}

/** The UTC day on which a DAO's pool began; null for a time that is no date. */
export const startDate = ({ createdAt }: Dao) => isDate(createdAt) ? dateOf(dayOf(createdAt)) : null

/** As a pool has them; null each where there is none. */
const changesOf = (pool: Pool | null): Pick<Pool, keyof typeof PRICE_CHANGES> =>
  Object.fromEntries(Object.keys(PRICE_CHANGES).map(name => [name, pool?.[name as keyof Pool] ?? null])) as never

interface DaoParts {
  /** Why it is not listed; null where it is. */
  reason: string | null
  /** Its pool as it is listed; null: it is not. */
  pool: Pool | null
  /** Unix seconds; null: not known. */
  createdAt: number | null
  extremes: Extremes | null
  /** What became of its proposals. */
  proposals: readonly ProposalState[]
  /** The one whose markets are open; null: none, or not all of it is known. */
  live: ProposalRecord | null
}

/** The record as served. */
export function daoRecord (
  { facts, state, figures }: KnownDao, { reason, pool, createdAt, extremes, proposals, live }: DaoParts
): DaoRecord {
  const { dao, details, mint, supply, launch, allocation, slot, tokens } = facts
  const [token, quote] = [state.tokens.get(dao.baseMint), state.tokens.get(dao.quoteMint)]
  const amount = (raw: bigint): string => formatUnits(raw, mint.decimals)
  const places = quote && { baseDecimals: mint.decimals, quoteDecimals: quote.decimals }
  const extreme = (which: Extremes['high'] | undefined) =>
    ifKnown(places && which, ({ price, day }) => ({ price: executedPriceText(price, places!), at: dateOf(day) }))
  const count = (wanted: ProposalState): number => proposals.filter(state => state === wanted).length
  const held = tokens.flatMap(({ mint, address, amount }) =>
    mint === dao.baseMint ? [{ kind: 'treasury' as const, address, amount, circulating: true }] : [])
  const treasury = treasuryRecord(figures)
  return {
    dao: dao.address,
    name: token?.name ?? '',
    symbol: token?.symbol ?? '',
    base_mint: dao.baseMint,
    quote_mint: dao.quoteMint,
    state: dao.state,
    listed: reason === null,
    reason,
    created_at: ifKnown(createdAt, timeText),
    startDate: startDate(dao),
    launch: launch?.dao !== dao.address
      ? null
      : { address: launch.address, launchpad: launch.version, completed_at: ifKnown(launch.completedAt, timeText) },
    multisig: details.multisig,
    team_address: details.teamAddress,
    last_price: pool?.last_price ?? null,
    price_usd: treasury.price_usd,
    ...changesOf(pool),
    market_cap_usd: figures.pool.market_cap_usd,
    fdv_usd: figures.pool.fdv_usd,
    liquidity_in_usd: pool?.liquidity_in_usd ?? null,
    ath: extreme(extremes?.high),
    atl: extreme(extremes?.low),
    supply: {
      ...supply,
      max_supply: mint.mintAuthority === null ? supply.totalSupply : null,
      mint_authority: mint.mintAuthority,
      allocation: [...allocation, ...held].map(part => ({ ...part, amount: amount(part.amount) }))
    },
    treasury,
    decisions: {
      proposals: {
        total: proposals.length,
        draft: count('draft'),
        live: count('pending'),
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
