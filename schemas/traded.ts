import { type Static, Type } from '@sinclair/typebox'
import { DAY_FIELD } from './aggregate.js'
import {
  ACCOUNT_EXAMPLE, address, boolean, decimal, digits, eventIndex, integer, list, nullable, oneOf, record,
  SECOND_EXAMPLE, slot, text, time
} from './common.js'
import { FEE } from './pools.js'
import { TickerSchema } from './ticker.js'

/** What was traded, one by one and over spans of time: of a pool, and of all on a day. */

const { ticker_id: TICKER_ID, pool_id: POOL_ID } = TickerSchema.properties

const BASE_TRADED = decimal('Base tokens traded, exact, trailing zeros trimmed.', '1200.5')
const QUOTE_TRADED = decimal('Quote tokens traded, exact, trailing zeros trimmed.', '1100.25')
const swaps = (example: number) => integer('Spot swaps.', example)
const reserve = (token: string, example: string) => nullable(decimal(
  `${token} tokens in the spot pool after it; null where the event does not say.`, example
))
const TradeSchema = record('Trade', 'A finalized spot swap.', {
  trade_id: digits('The DAO\'s sequence number of the swap: unique in its pool, rising with time.', '4711'),
  signature: text(
    'The transaction, base58.',
    '5VERv8NMvzbJMEkV8xnrLkEaWRtSz9CosKDYjCJjBRnbJLgp8uirBgmQpjKhoR4tjF3ZpRzrFmBV6UjKdiSZkQUW'
  ),
  slot: slot('Its slot.'),
  block_index: integer('Index of the transaction in its block.', 512),
  event_index: eventIndex(131079),
  timestamp: time('When it happened, by the clock of the chain.'),
  side: oneOf(['buy', 'sell'], 'buy: quote tokens were paid, base tokens received.'),
  price: nullable(decimal(
    'Executed price: quote amount ÷ base amount, fee included, 12 significant digits and at least 12 places. null ' +
      'where nothing was received.', '0.913242009132')),
  base_amount: decimal('Base tokens paid or received, exact.', '109.5'),
  quote_amount: decimal('Quote tokens paid or received, exact.', '100'),
  fee: nullable({ ...FEE, description: 'The protocol fee; null where no event tells it.' }),
  maker: address('The user of the swap.', ACCOUNT_EXAMPLE),
  base_reserve: reserve('Base', '1999890.5'),
  quote_reserve: reserve('Quote', '200099.5')
})
export const TradesSchema = list('Trades', 'Newest first.', TradeSchema)
export type Trades = Static<typeof TradesSchema>

const prices = (what: string) => ({
  open: decimal(`First executed price of the ${what}.`, '0.91'),
  high: decimal('Highest.', '0.93'),
  low: decimal('Lowest.', '0.9'),
  close: decimal('Last.', '0.92')
})
const CandleSchema = record('Candle',
  'An interval. Where no trade has a price, the last close stands for all four; until a pool has had a price it has ' +
    'no candles.', {
    time: integer('Unix second at which it begins, aligned to UTC.', SECOND_EXAMPLE),
    ...prices('interval'),
    base_volume: BASE_TRADED,
    target_volume: QUOTE_TRADED,
    trades: swaps(12)
  })
export const CandlesSchema = list(
  'Candles', 'Oldest first. Short intervals add up to longer ones and to the days, exactly.', CandleSchema
)
export type Candles = Static<typeof CandlesSchema>

const usd = (what: string, example: string) => decimal(
  `${what} in USD at what the quote token is worth now, 2 places; "0.00" where it has no USD value.`, example
)
const FEES = nullable(
  decimal('Protocol fees in quote tokens, at most 8 places; null where the fee of a trade is not known.', '5.5')
)
const { open, high, low, close } = prices('day')
const PoolDaySchema = record('PoolDay', 'A UTC day of one pool.', {
  date: DAY_FIELD,
  base_volume: BASE_TRADED,
  target_volume: QUOTE_TRADED,
  volume_usd: usd('Volume', '1100.25'),
  trades: swaps(214),
  makers: integer('Distinct users among them, counted exactly.', 87),
  fees: FEES,
  open: nullable(open),
  high: nullable(high),
  low: nullable(low),
  close: nullable(close)
})
export const PoolDaysSchema = list('PoolDays', 'Days with trades, oldest first.', PoolDaySchema)
export type PoolDays = Static<typeof PoolDaysSchema>

const MarketDayPoolSchema = record('MarketDayPool', 'One pool on a UTC day.', {
  pool_id: POOL_ID,
  ticker_id: TICKER_ID,
  target_volume: QUOTE_TRADED,
  volume_usd: usd('Volume', '1100.25'),
  fees: FEES,
  fees_usd: nullable(usd('Protocol fees', '5.50')),
  trades: swaps(214)
})
const MARKET_DAY = {
  date: DAY_FIELD,
  complete: boolean(
    'The day is over and every event of it is stored: false for today, and for the minute after it until its last ' +
      'trades are final.'),
  volume_usd: decimal(
    'As in the breakdown of `/api/volume/aggregate`, whose days add up to its total to the cent.', '1100.25'
  ),
  fees_usd: decimal('As in the breakdown of `/api/fees/aggregate`.', '5.50'),
  trades: swaps(214)
}
export const MarketDaySchema = record('MarketDay', 'One UTC day of all pools.', {
  ...MARKET_DAY,
  pools: Type.Array(
    MarketDayPoolSchema,
    { description: 'Those with trades, largest volume first; pools whose quote token has no USD value come last.' }
  )
})
export type MarketDay = Static<typeof MarketDaySchema>

const MarketDayRowSchema = record('MarketDayRow', 'One UTC day of all pools together.', MARKET_DAY)
export const MarketDaysSchema = list('MarketDays', 'Oldest first, days without a trade too.', MarketDayRowSchema)
export type MarketDays = Static<typeof MarketDaysSchema>
