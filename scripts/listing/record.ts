import { multiply, ONE, powerOfTen } from '../../lib/decimal.js'
import { bidAndAsk, hasRate, priceOf } from '../checks/swaps.js'
import type { Checking } from './check.js'
import { APART, type OwnPool, type OwnTrades, rawOf, tokens } from './market.js'
import {
  ADDRESS, compareFields, decimal, fields, isRow, isWithin, type Json, listOf, number, type Refuse, type Row
} from './rules.js'

/** What is one setting for all pools is the same in each record. */
export async function checkSettings ({ market, refuse }: Checking): Promise<void> {
  const said = new Map<string, string>()
  for (const { id } of await market.lookedAt()) {
    const provenance = await market.provenance(id)
    for (const key of ['taker_fee_rate', 'quote_notional', 'volume_basis'] as const) {
      const value = JSON.stringify(provenance[key])
      if (value === undefined) continue
      if ((said.get(key) ?? value) !== value) {
        refuse(`/api/pools/${id}: ${key} is ${value}, other records have ${said.get(key)}`)
      }
      said.set(key, value)
    }
  }
}

const wholeText = (value: Json | undefined): bigint | undefined =>
  typeof value === 'string' && /^\d+$/.test(value) ? BigInt(value) : undefined
/** Longest symbol and name of a list; a pool's own record has them whole. */
const LONGEST = { symbol: 32, name: 64 } as const

/** What the list tells of the deepest pools alone, and a record of every pool. */
const OF_THE_DEEPEST = new Set(['market_cap_usd', 'fdv_usd', 'treasury_vault_address', 'treasury_usdc_aum'])

/** The record of one pool, held against the list, its reserves and its trades. */
export async function checkDetail (
  { market, refuse, doubt, now, reader }: Checking, pool: OwnPool, pools: OwnPool[]
): Promise<void> {
  const where = `/api/pools/${pool.id}`
  const detail = await market.detail(pool.id)
  const provenance = detail?.provenance
  if (detail === undefined || !isRow(provenance) || !isRow(provenance.accounts)) {
    return refuse(`${where}: no record with its provenance`)
  }
  const { base: _, quote: __, ...row } = pool.pool
  compareFields(where, detail, 'the list', row, doubt,
    Object.keys(row).filter(key => row[key] !== null || !OF_THE_DEEPEST.has(key)))
  for (const side of ['base', 'quote'] as const) {
    const token = detail[side]
    if (!isRow(token)) return refuse(`${where}: no ${side}`)
    compareFields(`${where} ${side}`, token, 'the list', pool[side], doubt, ['mint', 'decimals'])
    for (const key of ['symbol', 'name'] as const) {
      const isLong = typeof token[key] === 'string' && token[key].length > LONGEST[key]
      if (!isLong) compareFields(`${where} ${side}`, token, 'the list', pool[side], doubt, [key])
    }
  }
  const { accounts } = provenance
  compareFields(`${where} accounts`, accounts, 'the list', {
    dao: pool.id, base_mint: pool.base.mint, quote_mint: pool.quote.mint
  }, refuse)
  fields(accounts, `${where} accounts`, refuse, { base_vault: ADDRESS, quote_vault: ADDRESS })
  compareFields(where, detail, 'its provenance', provenance, refuse, ['slot'])
  const others = pools.filter(({ pair, id }) => pair === pool.pair && id !== pool.id).map(({ id }) => id)
  if (JSON.stringify(detail.other_pools) !== JSON.stringify(others)) {
    doubt(`${where}: other_pools are not those of the pair`)
  }

  if (provenance.usd_priced_by !== null && !ADDRESS.test(String(provenance.usd_priced_by))) {
    refuse(`${where}: usd_priced_by ${JSON.stringify(provenance.usd_priced_by)}`)
  }
  const end = provenance.windows_end
  const age = reader.ageOf(where) * 1000
  if (typeof end !== 'number' || end * 1000 > now + APART * 1000 || end * 1000 < now - APART * 1000 - age) {
    refuse(`${where}: windows_end ${JSON.stringify(end)} is not now`)
  }
  const [base, quote, onChain, indexed, missing] = [
    'base_reserves', 'quote_reserves', 'sequence_on_chain', 'sequence_indexed', 'missing_events', 'base_fees',
    'quote_fees'
  ].map(key => wholeText(provenance[key]) ?? refuse(`${where}: ${key} is no whole number`))
  if (onChain !== undefined && indexed !== undefined && missing !== undefined && missing > indexed) {
    refuse(`${where}: more events are missing than there are`)
  }
  if (base === undefined || quote === undefined || base === 0n || quote === 0n) return
  compareFields(where, detail, 'its reserves', { last_price: priceOf({ base, quote }, pool) }, refuse)
  const [fee, notional] = [decimal(provenance.taker_fee_rate), decimal(provenance.quote_notional)]
  if (fee === undefined || notional === undefined || fee.n <= 0n || fee.n >= fee.d) {
    return refuse(`${where}: taker_fee_rate or quote_notional is none`)
  }
  const word = { takerFeeRate: String(provenance.taker_fee_rate), quoteNotional: String(provenance.quote_notional) }
  compareFields(`${where}, /api/tickers`, pool.ticker, 'its reserves', bidAndAsk({ base, quote }, word, pool), doubt)
  checkLiquidity(where, detail, quote, pool, pools, provenance.usd_priced_by, doubt)
  await checkNewest({ market, doubt }, pool, detail, { base, quote, onChain })
  checkRates(where, provenance, end, await market.trades(pool), doubt)
}

/** Each fee is that of a rate which is said to have held, from its first swap to its last. */
function checkRates (
  where: string, { fee_rates: given }: Row, end: Json | undefined, { trades, reach }: OwnTrades, doubt: Refuse
): void {
  const rates = listOf(given).map(
    ({ rate, from_slot: from, to_slot: to }) => ({ rate: number(rate), from: Number(from), to: Number(to) })
  )
  if (rates.some(({ from, to }, at) => from > to || from < (rates[at - 1]?.from ?? 0))) {
    doubt(`${where}: fee_rates are not oldest first`)
  }
  for (const trade of trades) {
    if (typeof end === 'number' && trade.at < end - APART && !hasRate(trade, rates)) {
      doubt(`${where}: the fee of trade ${trade.seq} is none of its fee_rates`)
    }
  }
  const first = trades[0]?.slot ?? Infinity
  for (const slot of rates.flatMap(({ from, to }) => [from, to])) {
    if (reach !== undefined && (reach === -Infinity || slot > first) && !trades.some(trade => trade.slot === slot)) {
      doubt(`${where}: a fee rate begins or ends at slot ${slot}, where there is no trade`)
    }
  }
}

/** Twice the quote reserves at what the quote token is worth: a dollar, or the price of the pool that is named. */
function checkLiquidity (
  where: string, detail: Row, quote: bigint, pool: OwnPool, pools: OwnPool[], pricedBy: Json | undefined, doubt: Refuse
): void {
  const pricing = pools.find(({ id }) => id === pricedBy)
  const named = pricing === undefined ? undefined : decimal(pricing.ticker.last_price)
  if (detail.priced_in_usd !== true || (pricedBy !== null && named === undefined)) return
  const worth = named === undefined
    ? ONE
    : pricing!.quote.mint === pool.quote.mint ? { n: named.d, d: named.n } : named
  const [given, expected] = [decimal(detail.liquidity_in_usd), multiply(tokens(2n * quote, pool.quote), worth)]
  if (given === undefined || !isWithin(given, expected, powerOfTen(-2))) {
    doubt(`${where}: liquidity_in_usd ${detail.liquidity_in_usd} is not twice its quote reserves`)
  }
}

/** Where the newest event of the pool is a trade, the reserves after it are those of the pool. */
async function checkNewest (
  { market, doubt }: Pick<Checking, 'market' | 'doubt'>, pool: OwnPool, detail: Row,
  { base, quote, onChain }: { base: bigint, quote: bigint, onChain: bigint | undefined }
): Promise<void> {
  const newest = (await market.trades(pool)).trades.at(-1)
  if (newest === undefined || onChain === undefined || detail.state !== 'spot') return
  if (newest.seq > onChain) {
    return doubt(`/api/pools/${pool.id}: sequence_on_chain ${onChain}, and there is a trade ${newest.seq}`)
  }
  if (newest.seq < onChain) return
  for (const [side, reserve] of [['base', base], ['quote', quote]] as const) {
    const after = rawOf(newest.row[`${side}_reserve`], pool[side].decimals)
    if (after !== undefined && after !== reserve) {
      doubt(`/api/pools/${pool.id}: ${side}_reserves ${reserve}, and ${after} after its newest event`)
    }
  }
}
