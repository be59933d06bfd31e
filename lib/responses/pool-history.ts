import { warmingUp } from '../errors.js'
import {
  executedPrice, type ExecutedPrice, INTERVALS, type MarketKey, type Reading, SCALE, sumOf, type TimedCandle,
  type Trade
} from '../history/history.js'
import type { Kept, Part } from '../live/fresh.js'
import type { PoolTokens } from '../live/snapshot.js'
import { multiply, wholeTokens } from '../decimal.js'
import { amountText, exactUnits, ifKnown, textsOf } from '../market/pool-figures.js'
import { usdText } from '../market/ticker.js'
import type { Turn } from '../line.js'
import { DAY, dateOf, dayOf, timeText } from '../time.js'
import { type CachedResponse, jsonResponse } from '../http/cached-response.js'
import { type Asked, type Bounds, rangeOf } from '../query.js'
import type { Candles, PoolDays, Trades } from '../../schemas/traded.js'
import type { CANDLES, DAYS, TRADES } from './parameters.js'
import { ALL_DAYS, checkTold, extentOf, headOf, knownTrades } from './known-history.js'
import { keep, type Sources } from './sources.js'

/** A pool, or a market of a proposal of its DAO. */
export type Traded = PoolTokens & { address: string, market?: MarketKey }

/** A candle's sum in whole tokens. */
export const exactSum = (sum: bigint, decimals: number) => exactUnits({ n: sum, d: SCALE }, decimals)

/**
 * What was traded on a pool, made in the client's turn. `check` gives what an id stands for. Each throws what that
 * throws, and OVERLOADED.
 */
export function createPoolHistory<K> (sources: Sources, check: (id: K) => Promise<Traded>) {
  const { history } = sources

  /** Answers by question, kept. `before` is read first: no step of the history may wait for a node. */
  function kept<A extends Pick<Bounds, 'from' | 'to'>, T, S = void> (
    make: (pair: Traded, asked: A, reading: Reading, state: S) => Promise<CachedResponse<T>>,
    before?: Kept<S>
  ) {
    const get = keep(sources, async (parts, pair: Traded, asked: A, turn: Turn) => {
      headOf(sources, parts)
      const state = await before?.(parts) as S
      return await turn(() => history.read(async reading => {
        if (pair.market !== undefined) await checkTold(reading, pair.address)
        return await make(pair, asked, reading, state)
      }))
    }, {
      keyOf: ([{ address, market }, asked]) =>
        [address, ...Object.values(market ?? {}), ...Object.values(asked)].join()
    })
    return async (parts: Part[], id: K, asked: A & Bounds, turn: Turn) => {
      const range = rangeOf(asked)
      return await get(parts, await check(id), range, turn)
    }
  }

  const trades = kept<Asked<typeof TRADES>, Trades>(async (pair, { from: since, to: until, ...asked }, reading) => {
    const { address: dao, market } = pair
    const question = { ...asked, dao, market, since, until }
    const { trades, headers } = await knownTrades(reading, question)
    // an empty page would pass for the end of all trades
    if (asked.before !== undefined && trades.length === 0) await knownTrades(reading, question, true)
    return jsonResponse(trades.map(trade => tradeRow(trade, pair)), headers)
  })

  const candles = kept<Asked<typeof CANDLES>, Candles>(async (pair, asked, reading) => {
    const { interval, from, to, limit } = asked
    const empty = asked.empty === 'true'
    const width = INTERVALS[interval]
    const down = (at: number) => at - at % width
    const end = down(Math.min(to ?? Infinity, history.head().time)) + width
    const begin = Math.max(down(from ?? 0), empty ? end - limit * width : 0)
    const found = await reading.candles(pair.address, interval, { from: begin, to: end, limit }, pair.market)
    const oldest = found.length === limit ? found[0]!.start : begin
    const since = oldest === 0 ? -Infinity : oldest - 1
    const { after, isWhole, headers } = extentOf(reading, pair.address, since, { until: end - 1 })
    const known = found.filter(({ start }) => start > after)
    const first = Math.max(begin, Math.ceil((after + 1) / width) * width)
    const byStart = new Map(known.map(candle => [candle.start, candle]))
    const filled = Array.from({ length: empty ? (end - first) / width : 0 }, (_, at): Interval => {
      const start = first + at * width
      return byStart.get(start) ?? { start, base: 0n, quote: 0n, trades: 0, prices: null }
    })
    const told = empty ? filled : known
    const [opening] = told
    if (opening === undefined || opening.prices !== null) return jsonResponse(candleRows(told, null, pair), headers)
    // it begins with the last price before, so the answer covers what happened since
    const last = await reading.lastPrice(pair.address, opening.start - 1, pair.market)
    const before = extentOf(reading, pair.address, (last?.at ?? -Infinity) - 1, { until: opening.start })
    const close = last !== null && last.at > before.after ? last : null
    return jsonResponse(candleRows(told, close, pair), isWhole ? before.headers : headers)
  })

  const days = kept(async (pair, { from, to }: Asked<typeof DAYS>, reading, { usd }) => {
    const worth = usd(pair.quoteMint)
    const today = dayOf(history.head().time)
    const [first, last] = [dayOf(from ?? 0), to === undefined ? today : Math.min(dayOf(to), today)]
    const begin = first === 0 ? -Infinity : first * DAY - 1
    const { after, headers } = extentOf(reading, pair.address, begin, { until: (last + 1) * DAY - 1 })
    const whole = Math.max(first, Math.ceil((after + 1) / DAY))
    const rows = await reading.daysOf(pair.address, { ...ALL_DAYS, from: whole * DAY, to: (last + 1) * DAY })
    const { price } = textsOf(pair)
    return jsonResponse<PoolDays>(rows.map(({ start, base, quote, trades, makers, fees, unknownFees, prices }) => {
      if (makers === null) throw warmingUp('makers of those days are still being read')
      return {
        date: dateOf(dayOf(start)),
        base_volume: exactSum(base, pair.baseDecimals),
        target_volume: exactSum(quote, pair.quoteDecimals),
        volume_usd: worth === undefined
          ? '0.00'
          : usdText(multiply(worth, wholeTokens(sumOf(quote, trades), pair.quoteDecimals))),
        trades,
        makers,
        fees: unknownFees > 0 ? null : amountText(sumOf(fees, trades), pair.quoteDecimals),
        open: ifKnown(prices?.open, price),
        high: ifKnown(prices?.high, price),
        low: ifKnown(prices?.low, price),
        close: ifKnown(prices?.close, price)
      }
    }), headers)
  }, sources.priced)

  return { trades, candles, days }
}

export function tradeRow (trade: Trade, pair: Traded): Trades[number] {
  const { seq, signature, slot, at, eventIndex, blockIndex, maker, swap, reserves } = trade
  if (maker === null || blockIndex === null) throw warmingUp('makers and places in the block are still being read')
  const { side, input, output, fee } = swap
  const isBuy = side === 'buy'
  const { base, quote, price } = textsOf(pair)
  return {
    trade_id: seq.toString(),
    signature,
    slot,
    block_index: blockIndex,
    event_index: eventIndex,
    timestamp: timeText(at),
    side,
    price: ifKnown(executedPrice(swap), price),
    base_amount: base(isBuy ? output : input),
    quote_amount: quote(isBuy ? input : output),
    fee: ifKnown(fee, raw => isBuy
      ? { mint: pair.quoteMint, amount: quote(raw) }
      : { mint: pair.baseMint, amount: base(raw) }),
    maker,
    base_reserve: ifKnown(reserves?.base, base),
    quote_reserve: ifKnown(reserves?.quote, quote)
  }
}

type Interval = Omit<TimedCandle, 'fees' | 'unknownFees'>

/** `close`: the last price before them, which candles without a price repeat; before any price there are none. */
function candleRows (candles: readonly Interval[], close: ExecutedPrice | null, pair: Traded): Candles {
  const rows: Candles = []
  const { price } = textsOf(pair)
  let last = close
  for (const { start, base, quote, trades, prices } of candles) {
    const flat = last && { open: last, high: last, low: last, close: last }
    const told = prices ?? flat
    if (told === null) continue
    rows.push({
      time: start,
      open: price(told.open),
      high: price(told.high),
      low: price(told.low),
      close: price(told.close),
      base_volume: exactSum(base, pair.baseDecimals),
      target_volume: exactSum(quote, pair.quoteDecimals),
      trades
    })
    last = told.close
  }
  return rows
}
