/** Every field of a pool's answers beside what the chain says, for `npm run verify`. */
import { daoOf, type Holdings, liquidityOf, quotedOf } from './beyond.js'
import { amount, fraction, text } from '../checks/decimal.js'
import {
  bidAndAsk, candleOf, changeOf, dayFigures, feesOf, hasPrice, hasRate, priceOf, type Rate, sumOf, volumesOf,
  windowFigures
} from '../checks/swaps.js'
import { type Past, type Pool, type State, stateAt, type Swap, type Token } from './chain.js'

export type Json = any   // answers of the service: whatever they are, they are compared with texts

/** What the operator says of his service: its settings. */
export interface Word {
  takerFeeRate: string
  quoteNotional: string
  usdMints: string[]
  pricedBy: Map<string, string>
  usdMinDepth: string
  basis: string
}
export interface Served {
  detail: Json
  rows: Json
  tickers: Json
  trades: Json
  candles: Json
  days: Json
  /** Each with the second that it is asked for. */
  prices: Json[]
  dao: Json
  liquidity: Json
  /** Each with what is asked. */
  quotes: Array<{ asked: { side: string, amount: string }, quote: Json }>
}
export interface Chain {
  pool: Pool
  past: Past
  pricing: { pool: Pool, past: Past } | undefined
  holdings: Holdings
  /** Since when all of its swaps were read, Unix s. */
  since: number
  /** Before the service was asked: the finalized slot, and the newest one's time. */
  finalized: number
  time: number
}

export interface Group { what: string, different: string[], compared: number }

export const DAY = 86_400
export const HOUR = 3_600
const PERIODS = [
  ['5m', 300], ['1h', HOUR], ['6h', 6 * HOUR], ['24h', DAY], ['7d', 7 * DAY], ['30d', 30 * DAY]
] as const
/** Slots within which a trade may not have been stored yet when the service was asked. */
const JUST_NOW = 300
/** How far the service's clock and the state it shows may be from the chain's: a stale answer's age, s and slots. */
const LATE = 150
const LATE_SLOTS = 750

/** Pools of a list whose supply and treasury it tells; the others have null. */
const MOST_TOLD = 300
const NOT_TOLD = { market_cap_usd: null, fdv_usd: null, treasury_usdc_aum: null }

const iso = (seconds: number): string => new Date(seconds * 1000).toISOString()
export const dateOf = (seconds: number): string => iso(seconds).slice(0, 10)

/** USD per raw unit of the quote token; undefined: it has no value. */
export type Worth = { n: bigint, d: bigint } | undefined

/** By the operator's word and the state of the pool that prices it. */
function worthOf (
  { pool: { quote } }: Chain, word: Word, pricing: { pool: Pool, state: State } | undefined
): Worth {
  if (word.usdMints.includes(quote.mint)) return { n: 1n, d: quote.unit }
  if (pricing === undefined) return undefined
  const { pool, state } = pricing
  const isBase = pool.base.mint === quote.mint && word.usdMints.includes(pool.quote.mint)
  if (!isBase && !(pool.quote.mint === quote.mint && word.usdMints.includes(pool.base.mint))) return undefined
  const [dollars, others, dollar] = isBase
    ? [state.quote, state.base, pool.quote]
    : [state.base, state.quote, pool.base]
  const depth = fraction(word.usdMinDepth)
  return others === 0n || dollars * depth.d < depth.n * dollar.unit
    ? undefined
    : { n: dollars, d: others * dollar.unit }
}

/** One part of the answers: fields that were compared, and those that differ. */
export function group (what: string) {
  const found: Group = { what, different: [], compared: 0 }
  return {
    found,
    field (name: string, served: Json, ours: Json) {
      found.compared++
      const [theirs, own] = [served, ours].map(value => JSON.stringify(value))
      if (theirs !== own) found.different.push(`${name}: served ${theirs}, ${own} by the chain`)
    },
    fields (name: string, served: Json, ours: Record<string, Json>) {
      for (const [key, value] of Object.entries(ours)) {
        this.field(name === '' ? key : `${name}.${key}`, served?.[key], value)
      }
    },
    /** A value that is one of a range. */
    holds (name: string, served: Json, isOne: boolean, expected: string) {
      found.compared++
      if (!isOne) found.different.push(`${name}: served ${JSON.stringify(served)}, it should be ${expected}`)
    }
  }
}

/** Compares the answers with the chain. What moved while they were read is told apart by its slot. */
export function compareAll (served: Served, chain: Chain, word: Word): { groups: Group[], notes: string[] } {
  const { pool, past, finalized, time, since } = chain
  const { detail } = served
  const provenance = detail?.provenance
  const notes: string[] = []
  const slot = Number(provenance?.slot)
  const end = Number(provenance?.windows_end)
  const state = stateAt(pool, past, slot)

  const place = group('the moment that is shown')
  place.holds('provenance.slot', slot, slot <= pool.state.slot && slot > pool.state.slot - LATE_SLOTS,
    `one of the last ${LATE_SLOTS}, the node is at ${pool.state.slot}`)
  place.holds('provenance.windows_end', end, Math.abs(end - time) <= LATE, `about ${time}, the chain's time`)
  place.field('slot', detail?.slot, slot)
  const inTickers = served.tickers?.find?.((row: Json) => row.pool_id === pool.address)
  const inPools = served.rows?.find?.((row: Json) => row.pool_id === pool.address)
  if (state === undefined) {
    place.holds('reserves', slot, false, 'of a state that the node still has: the pool moved since, ask again')
    return { groups: [place.found], notes }
  }
  const moved = past.states.filter(({ slot: at }) => at > slot && at <= pool.state.slot)
  if (moved.length > 0) {
    notes.push(
      `the pool moved at slot ${moved.map(({ slot: at }) => at).join(', ')}, after the ${slot} that is shown: ` +
        'compared with its state before'
    )
  }

  const now = group('identity, price, bid, ask and liquidity')
  const ticker = `${pool.base.mint}_${pool.quote.mint}`
  const token = ({ mint, symbol, name, decimals }: Token): Json => ({ mint, symbol, name, decimals })
  const pricingState = chain.pricing && stateAt(chain.pricing.pool, chain.pricing.past, slot)
  const worth = worthOf(chain, word, chain.pricing && pricingState && { pool: chain.pricing.pool, state: pricingState })
  const isDollar = word.usdMints.includes(pool.quote.mint)
  now.fields('', detail, {
    pool_id: pool.address,
    ticker_id: ticker,
    base: token(pool.base),
    quote: token(pool.quote),
    state: state.isLive ? 'proposal' : 'spot',
    created_at: iso(pool.createdAt),
    last_price: priceOf(state, pool),
    liquidity_in_usd: worth === undefined ? '0.00' : text(2n * state.quote * worth.n, worth.d, 2),
    priced_in_usd: worth !== undefined
  })
  now.fields('provenance', provenance, {
    base_reserves: String(state.base),
    quote_reserves: String(state.quote),
    base_fees: String(state.baseFees),
    quote_fees: String(state.quoteFees),
    accounts: {
      dao: pool.address,
      base_vault: pool.baseVault,
      quote_vault: pool.quoteVault,
      base_mint: pool.base.mint,
      quote_mint: pool.quote.mint
    },
    taker_fee_rate: word.takerFeeRate,
    quote_notional: word.quoteNotional,
    volume_basis: word.basis,
    usd_priced_by: isDollar || worth === undefined ? null : chain.pricing!.pool.address,
    sequence_on_chain: String(state.seq)
  })
  now.fields('/api/tickers', inTickers, {
    ticker_id: ticker,
    base_currency: pool.base.mint,
    target_currency: pool.quote.mint,
    base_symbol: pool.base.symbol,
    base_name: pool.base.name,
    target_symbol: pool.quote.symbol,
    target_name: pool.quote.name,
    last_price: detail?.last_price,
    liquidity_in_usd: detail?.liquidity_in_usd,
    ...bidAndAsk(state, word, pool)
  })
  const { provenance: _, other_pools: others, ...row } = detail ?? {}
  // the list tells these of the deepest pools
  const isTold = served.rows.indexOf(inPools) < MOST_TOLD
  now.fields('/api/pools', inPools, isTold ? row : { ...row, ...NOT_TOLD })
  const ofPair = served.tickers.filter((one: Json) => one.ticker_id === ticker).map((one: Json) => one.pool_id)
  now.field('other_pools', others, ofPair.filter((id: string) => id !== pool.address))

  const groups = [place.found, now.found]
  // What is final and was so some time before is in; of what came since, as much as is served
  const known = past.swaps.filter(({ slot: at }) => at <= pool.state.slot)
  const sure = known.filter(({ slot: at }) => at <= Math.min(finalized - JUST_NOW, slot)).length
  const isIn = (swaps: Swap[], from: number): Swap[] => swaps.filter(({ at }) => at > from && at <= end)
  const isServed = (some: Swap[]): boolean =>
    volumesOf(some, pool).target_volume === detail?.target_volume_24h && some.length === detail?.trades_24h
  let count = known.length
  while (count > sure && !isServed(isIn(known.slice(0, count), end - DAY))) count--
  const swaps = known.slice(0, count)
  const window = isIn(swaps, end - DAY)

  const day = group(`24 hours from ${past.transactions} transactions`)
  if (word.basis === 'input') {
    const { base_volume: sold, target_volume: paid } = volumesOf(window, pool)
    day.fields('', detail, { base_volume_24h: sold, target_volume_24h: paid })
    day.fields('/api/tickers', inTickers, {
      base_volume: text(sumOf(window, 'base'), pool.base.unit, 8),
      target_volume: text(sumOf(window, 'quote'), pool.quote.unit, 8)
    })
  } else notes.push('not made again: volumes, which VOLUME_BASIS has counted by fees')
  day.fields('', detail, windowFigures(window, pool))
  const newest = swaps.findLast(swap => hasPrice(swap) && swap.at <= end)
  for (const [name, seconds] of PERIODS) {
    const before = swaps.findLast(swap => hasPrice(swap) && swap.at <= end - seconds)
    // how it was before all that was read nobody has told
    if (before === undefined && end - seconds < since && detail?.[`price_change_${name}`] !== null) continue
    day.field(`price_change_${name}`, detail?.[`price_change_${name}`], changeOf(before, newest))
  }
  const fees = feesOf(window, pool)
  if (fees === undefined) notes.push('not made again: fees_24h, a fee of which no event before it tells')
  else day.field('fees_24h', detail?.fees_24h, fees)
  for (const [name, days] of [['target_volume_7d', 7], ['target_volume_30d', 30]] as const) {
    const from = end - end % 60 - days * DAY
    if (detail?.[name] === null) notes.push(`not made again: ${name}, which the service has not read yet`)
    else if (word.basis !== 'input' || from < since) {
      notes.push(`not made again: ${name}, for which --days ${days} reads the transactions`)
    } else {
      const { target_volume: volume } = volumesOf(swaps.filter(({ at }) => at >= from && at < end - end % 60), pool)
      day.field(name, detail?.[name], volume)
    }
  }
  const indexed = BigInt(/^\d+$/.test(provenance?.sequence_indexed) ? provenance.sequence_indexed : -1)
  const [lowest, highest] = [known[sure - 1]?.seq ?? 0n, state.seq > pool.state.seq ? state.seq : pool.state.seq]
  day.holds('provenance.sequence_indexed', String(indexed), indexed >= lowest && indexed <= highest,
    `from ${lowest} to ${highest}`)
  // the node has all that were read
  day.field('provenance.missing_events', provenance?.missing_events, '0')
  checkRates(day, provenance?.fee_rates ?? [], window, known)
  groups.push(
    day.found,
    tradesOf(served.trades, known, window, pool),
    pricesOf(served, known, chain, word),
    candlesOf(served, swaps, chain, end, word, worth),
    daoOf(served, chain, word),
    liquidityOf(served, chain, worth),
    quotedOf(served, chain, word)
  )
  return { groups, notes }
}

/** Each fee that the events tell is of a rate that is said to have held then. */
function checkRates (day: ReturnType<typeof group>, told: Json[], window: Swap[], known: Swap[]): void {
  const rates = told.map(({ rate, from_slot: from, to_slot: to }): Rate => ({ rate: fraction(String(rate)), from, to }))
  for (const slot of rates.flatMap(({ from, to }) => [from, to])) {
    const isOld = slot < (known[0]?.slot ?? Infinity)
    day.holds('fee_rates', slot, isOld || known.some(swap => swap.slot === slot), 'the slot of a swap')
  }
  for (const swap of window) {
    day.holds(`fee_rates at trade ${swap.seq}`, told, hasRate(swap, rates), `one by which ${swap.fee} was charged`)
  }
}

function tradesOf (served: Json[], known: Swap[], window: Swap[], pool: Pool): Group {
  const own = group(`${window.length} trades`)
  const { base, quote } = pool
  const bySeq = new Map(known.map(swap => [String(swap.seq), swap]))
  for (const row of served) {
    const swap = bySeq.get(row.trade_id)
    if (swap === undefined) {
      // older than what was read
      if (known[0] !== undefined && BigInt(row.trade_id) >= known[0].seq) {
        own.holds(`trade ${row.trade_id}`, row.signature, false, 'a swap of the pool')
      }
      continue
    }
    const { seq, signature, slot, blockIndex, eventIndex, at, isBuy, fee, maker, after } = swap
    const paid = isBuy ? quote : base
    own.fields(`trade ${seq}`, row, {
      signature,
      slot,
      ...blockIndex !== undefined && { block_index: blockIndex },
      event_index: eventIndex,
      timestamp: iso(at),
      side: isBuy ? 'buy' : 'sell',
      price: hasPrice(swap) ? priceOf(swap, pool) : null,
      base_amount: amount(swap.base, base.decimals),
      quote_amount: amount(swap.quote, quote.decimals),
      ...fee !== undefined && { fee: { mint: paid.mint, amount: amount(fee, paid.decimals) } },
      maker,
      base_reserve: amount(after.base, base.decimals),
      quote_reserve: amount(after.quote, quote.decimals)
    })
  }
  const ids = new Set(served.map(row => row.trade_id))
  const missing = window.filter(({ seq }) => !ids.has(String(seq)))
  own.holds('trades', served.length, missing.length === 0, `with ${missing.map(({ seq }) => String(seq)).join(', ')}`)
  return own.found
}

/** Prices at seconds of the past, where this is the pool that its token's price is taken from. */
function pricesOf ({ prices, tickers }: Served, known: Swap[], { pool, since }: Chain, word: Word): Group {
  const own = group('prices at seconds of the past')
  const { address, base, quote } = pool
  // listed deepest first
  if (tickers.find((one: Json) => one.base_currency === base.mint)?.pool_id !== address) return own.found
  const isDollar = word.usdMints.includes(quote.mint)
  for (const { at, price: row } of prices) {
    const swap = known.findLast(swap => hasPrice(swap) && swap.at <= at)
    if (swap === undefined || at < since) continue
    const ours = priceOf(swap, pool)
    own.fields(`price at ${at}`, row, {
      price: ours, quote_mint: quote.mint, pool_id: address, timestamp: swap.at, ...isDollar && { price_usd: ours }
    })
  }
  return own.found
}

/** Candles of whole hours within the window, and the day that is going on. */
function candlesOf (
  { candles, days }: Served, swaps: Swap[], { since, pool }: Chain, end: number, word: Word, worth: Worth
): Group {
  const own = group('candles of an hour, and today')
  if (word.basis !== 'input') return own.found
  const last = end - LATE
  for (let hour = Math.ceil(since / HOUR) * HOUR; hour + HOUR <= last; hour += HOUR) {
    const inHour = swaps.filter(({ at }) => at >= hour && at < hour + HOUR)
    const row = candles.find((one: Json) => one.time === hour)
    if (inHour.some(hasPrice)) own.fields(`candle ${hour}`, row, { time: hour, ...candleOf(inHour, pool) })
    else if (inHour.length === 0) own.holds(`candle ${hour}`, row, row === undefined, 'none: nothing was traded')
  }
  for (const row of candles) own.holds(`candle ${row.time}`, row.time, row.time % HOUR === 0, 'the start of an hour')
  const today = swaps.filter(({ at }) => at >= end - end % DAY && at <= end)
  const row = days.find((one: Json) => one.date === dateOf(end))
  if (!today.some(hasPrice) || end - end % DAY < since) return own.found
  // trades of the last seconds may have come between the answers
  if (row !== undefined && row.trades !== today.length &&
    Math.abs(row.trades - today.length) <= today.filter(({ at }) => at > last).length) {
    return own.found
  }
  const fees = feesOf(today, pool)
  own.fields(`day ${dateOf(end)}`, row, {
    date: dateOf(end),
    ...dayFigures(today, pool),
    ...fees !== undefined && { fees },
    volume_usd: worth === undefined ? '0.00' : text(sumOf(today, 'quote') * worth.n, worth.d, 2)
  })
  return own.found
}
