import { type Static, Type } from '@sinclair/typebox'
import { AddressSchema, decimalSchema } from './common.js'
import { TickerSchema } from './ticker.js'

const {
  ticker_id: TickerIdSchema, pool_id: PoolIdSchema, last_price: LastPriceSchema, liquidity_in_usd: LiquiditySchema
} = TickerSchema.properties
const example = TickerSchema.examples[0]!
const nullable = (
  schema: ReturnType<typeof decimalSchema>
) => Type.Unsafe<string | null>({ ...schema, type: ['string', 'null'] })
const slotSchema = (description: string) => Type.Integer({ minimum: 0, description, examples: [400000000] })
const count = (description: string, example: number) =>
  Type.Unsafe<number | null>({ type: ['integer', 'null'], minimum: 0, description, examples: [example] })
const TIME = '2026-01-31T12:00:00.000Z'
const timeSchema = (description: string) => Type.String({ format: 'date-time', description, examples: [TIME] })
const rawSchema = (description: string) => Type.String({ pattern: '^\\d+$', description, examples: ['451234560000'] })

const TokenSchema = Type.Object({
  mint: Type.String({ ...AddressSchema, description: 'Address of the mint.' }),
  symbol: Type.String(
    {
      description: 'As its creator wrote it; empty where it has no metadata and, but for the record of one pool, ' +
        'where it has more than 32 characters.',
      examples: ['META']
    }
  ),
  name: Type.String(
    {
      description: 'As its creator wrote it; empty where it has no metadata and, but for the record of one pool, ' +
        'where it has more than 32 characters.',
      examples: ['Meta']
    }
  ),
  decimals: Type.Integer({ minimum: 0, maximum: 255, description: 'Places of a raw unit.', examples: [6] })
}, {
  description: 'A token of the pool.',
  additionalProperties: false,
  examples: [{ mint: example.base_currency, symbol: 'META', name: 'Meta', decimals: 6 }]
})

const change = (period: string) => Type.Unsafe<string | null>({
  type: ['string', 'null'],
  pattern: '^-?\\d+\\.\\d{2}$',
  description: `Percent from the newest executed price of ${period} ago or earlier to the newest one now, 2 places; ` +
    'null without a trade that old.',
  examples: ['-1.25']
})
/** Changes of the price over periods: of pools and of DAOs. */
export const PRICE_CHANGES = {
  price_change_5m: change('5 minutes'),
  price_change_1h: change('1 hour'),
  price_change_6h: change('6 hours'),
  price_change_24h: change('24 hours'),
  price_change_7d: change('7 days'),
  price_change_30d: change('30 days')
}
export const PRICE_CHANGES_EXAMPLE = {
  price_change_5m: '0.00',
  price_change_1h: '0.12',
  price_change_6h: '-0.40',
  price_change_24h: '-1.25',
  price_change_7d: '3.10',
  price_change_30d: null
}
export const startDateSchema = Type.Unsafe<string | null>({
  type: ['string', 'null'],
  format: 'date',
  description: 'UTC day on which the DAO was created.',
  examples: ['2026-01-31']
})

const POOL = {
  pool_id: PoolIdSchema,
  ticker_id: TickerIdSchema,
  base: TokenSchema,
  quote: TokenSchema,
  state: Type.Union(
    [Type.Literal('spot'), Type.Literal('proposal')],
    { description: 'proposal: half of the pool backs the markets of a live proposal.', examples: ['spot'] }
  ),
  created_at: Type.Unsafe<string | null>({
    ...timeSchema('When the DAO was created; null where no node has its first event any more.'),
    type: ['string', 'null']
  }),
  startDate: startDateSchema,
  complete_since: Type.Unsafe<string | null>({
    ...timeSchema(
      'From when on every trade of the pool is known; null: since its beginning. Later while the past is read, or ' +
        'where it is lost. ' +
      'What would count trades from before it is null.'
    ),
    type: ['string', 'null'],
    examples: [null]
  }),
  last_price: LastPriceSchema,
  ...PRICE_CHANGES,
  high_24h: nullable(
    decimalSchema('Highest executed price of the last 24 hours, to the second; null without a trade.', '0.931000000000')
  ),
  low_24h: nullable(
    decimalSchema('Lowest executed price of the last 24 hours; null without a trade.', '0.897000000000')
  ),
  vwap_24h: nullable(decimalSchema(
    'Average price of the last 24 hours by volume: quote tokens ÷ base tokens of the trades that have a price. low ≤ ' +
      'it ≤ high. null without a trade.', '0.912300000000')),
  base_volume_24h: nullable(decimalSchema(
    'Base tokens traded in the last 24 hours, as in the tickers, exact, trailing zeros trimmed.', '120345.67'
  )),
  target_volume_24h: nullable(decimalSchema(
    'Quote tokens traded in the last 24 hours, as in the tickers, exact, trailing zeros trimmed.', '109800.12'
  )),
  target_volume_7d: nullable(
    decimalSchema('Quote tokens traded in the 7 days up to the last whole minute.', '754321.5')
  ),
  target_volume_30d: nullable(
    decimalSchema('Quote tokens traded in the 30 days up to the last whole minute.', '3210987.25')
  ),
  trades_24h: count('Spot swaps of the last 24 hours.', 214),
  buys_24h: count('Those of them that bought base tokens: buys + sells = trades.', 118),
  sells_24h: count('Those that sold base tokens.', 96),
  buy_volume_24h: nullable(decimalSchema(
    'Quote tokens that these buys paid, as executed, exact: buys + sells = target_volume_24h, unless VOLUME_BASIS ' +
      'counts by fees.', '60310.02'
  )),
  sell_volume_24h: nullable(decimalSchema('Quote tokens that these sells received, likewise.', '49490.1')),
  makers_24h: count('Distinct users among them, counted exactly; null also while who traded is read.', 87),
  buyers_24h: count('Distinct users who bought; who also sold counts in both. null likewise.', 61),
  sellers_24h: count('Distinct users who sold; null likewise.', 44),
  fees_24h: nullable(decimalSchema(
    'Protocol fees of the last 24 hours in quote tokens, as charged; one in base tokens at the price of its own ' +
      'trade. At most 8 places, trailing zeros trimmed. ' +
    'null where the fee of a trade is not known.', '549.0006')),
  liquidity_in_usd: LiquiditySchema,
  priced_in_usd: Type.Boolean({
    description: 'Whether the quote token has a USD value by the settings (USD_MINTS, USD_PRICED_MINTS).',
    examples: [true]
  }),
  market_cap_usd: nullable(decimalSchema(
    'Circulating supply × price in USD, 2 places; null without a price in USD, and while no node gives the accounts ' +
      'that it takes. In the list, of the 300 deepest pools.',
    '11770000.00'
  )),
  fdv_usd: nullable(decimalSchema('Total supply × price in USD, 2 places; null likewise.', '23540000.00')),
  treasury_vault_address: Type.String(
    { ...AddressSchema, description: 'The vault of the DAO\'s multisig: its treasury.' }
  ),
  treasury_usdc_aum: nullable(
    decimalSchema(
      'Whole dollars that it holds: of the mints of USD_MINTS; in the list, in the accounts associated with it. null ' +
        'likewise.',
      '5000000'
    )
  ),
  slot: slotSchema('Slot at which the pool\'s state was read.')
}

const POOL_EXAMPLE = {
  pool_id: example.pool_id,
  ticker_id: example.ticker_id,
  base: TokenSchema.examples[0],
  quote: { mint: example.target_currency, symbol: 'USDC', name: 'USD Coin', decimals: 6 },
  state: 'spot',
  created_at: TIME,
  startDate: '2026-01-31',
  complete_since: null,
  last_price: example.last_price,
  ...PRICE_CHANGES_EXAMPLE,
  high_24h: '0.931000000000',
  low_24h: '0.897000000000',
  vwap_24h: '0.912300000000',
  base_volume_24h: '120345.67',
  target_volume_24h: '109800.12',
  target_volume_7d: '754321.5',
  target_volume_30d: '3210987.25',
  trades_24h: 214,
  buys_24h: 118,
  sells_24h: 96,
  buy_volume_24h: '60310.02',
  sell_volume_24h: '49490.1',
  makers_24h: 87,
  buyers_24h: 61,
  sellers_24h: 44,
  fees_24h: '549.0006',
  liquidity_in_usd: example.liquidity_in_usd,
  priced_in_usd: true,
  market_cap_usd: '11770000.00',
  fdv_usd: '23540000.00',
  treasury_vault_address: '6VsC8PuKkXm5xo54c2vbrAaSfQipkpGHqNuKTxXFySx6',
  treasury_usdc_aum: '5000000',
  slot: 400000000
}

export const PoolSchema = Type.Object(POOL, {
  $id: 'Pool',
  description: 'The spot pool of one DAO with what was traded on it.',
  additionalProperties: false,
  examples: [POOL_EXAMPLE]
})
export type Pool = Static<typeof PoolSchema>

export const PoolsSchema = Type.Array(PoolSchema, {
  $id: 'Pools',
  description: 'Deepest pool first, then by pool_id; pools whose quote token has no USD value come last.',
  examples: [[POOL_EXAMPLE]]
})
export type Pools = Static<typeof PoolsSchema>

const FeeRateSchema = Type.Object({
  rate: decimalSchema('The protocol\'s part of a swap\'s input.', '0.005'),
  from_slot: slotSchema('Slot of the first swap that shows it.'),
  to_slot: slotSchema('Slot of the last swap that shows it.')
}, {
  $id: 'ObservedFeeRate',
  description: 'A protocol fee rate that swaps of the pool show.',
  additionalProperties: false,
  examples: [{ rate: '0.005', from_slot: 390000000, to_slot: 400000000 }]
})

const addressSchema = (description: string) => Type.String({ ...AddressSchema, description })
const PROVENANCE_EXAMPLE = {
  slot: 400000000,
  base_reserves: '2000000000000',
  quote_reserves: '225617280000',
  base_fees: '1500000',
  quote_fees: '2500000',
  accounts: {
    dao: example.pool_id,
    base_vault: 'DizCvM3dwAGsenh58gCU4bE7J7wn23YUF7RRKVeXRERd',
    quote_vault: 'Cnyk41TDsLLWMwyxU5t6T9sEQe1DdrnX9QQX9CzQtHu2',
    base_mint: example.base_currency,
    quote_mint: example.target_currency
  },
  fee_rates: FeeRateSchema.examples,
  taker_fee_rate: '0.005',
  quote_notional: '100',
  volume_basis: 'input' as const,
  usd_priced_by: null,
  sequence_on_chain: '4711',
  sequence_indexed: '4711',
  missing_events: '0',
  windows_end: 1769860800
}
const ProvenanceSchema = Type.Object({
  slot: slotSchema('Slot at which all accounts were read.'),
  base_reserves: rawSchema('Base reserves of the spot pool, raw units.'),
  quote_reserves: rawSchema('Quote reserves of the spot pool, raw units.'),
  base_fees: rawSchema('Protocol fees in base tokens that the pool holds uncollected, raw units.'),
  quote_fees: rawSchema('Protocol fees in quote tokens that the pool holds uncollected, raw units.'),
  accounts: Type.Object({
    dao: addressSchema('The account with the reserves.'),
    base_vault: addressSchema('The token account that holds the base tokens.'),
    quote_vault: addressSchema('The token account that holds the quote tokens.'),
    base_mint: addressSchema('The mint of the base token.'),
    quote_mint: addressSchema('The mint of the quote token.')
  }, { description: 'Where all of it can be read.', additionalProperties: false }),
  fee_rates: Type.Array(FeeRateSchema, { description: 'Protocol fee rates that the swaps show, oldest first.' }),
  taker_fee_rate: decimalSchema(
    'The whole fee of a swap that bid and ask are reckoned with (TAKER_FEE_RATE).', '0.005'
  ),
  quote_notional: decimalSchema('Quote tokens of the swap that bid and ask are reckoned with (QUOTE_NOTIONAL).', '100'),
  volume_basis: Type.Union([Type.Literal('input'), Type.Literal('fees')], {
    description: 'What a swap counts for in volumes (VOLUME_BASIS): its own input and output, or its fee ÷ rate.',
    examples: ['input']
  }),
  usd_priced_by: nullable(
    addressSchema(
      'pool_id of the pool whose price values the quote token in USD (USD_PRICED_MINTS). null where it counts as 1 ' +
        'USD itself, or has no value.'
    )
  ),
  sequence_on_chain: rawSchema('Number of the DAO\'s newest event, by its account.'),
  sequence_indexed: rawSchema('Number of the newest event that is stored.'),
  missing_events: rawSchema('Numbers below it that are missing.'),
  windows_end: Type.Integer({
    minimum: 0,
    description: 'Unix second at which the windows end: a trade at t counts while end − 86,400 < t ≤ end.',
    examples: [1769860800]
  })
}, {
  $id: 'Provenance',
  description: 'What the figures are made of, so that anyone can make them again: see `npm run verify`.',
  additionalProperties: false,
  examples: [PROVENANCE_EXAMPLE]
})

export const PoolDetailSchema = Type.Object({
  ...POOL,
  provenance: ProvenanceSchema,
  other_pools: Type.Array(
    addressSchema('pool_id'), { description: 'The other listed pools of the same pair, deepest first.' }
  )
}, {
  $id: 'PoolDetail',
  description: 'One pool, and what its figures are made of.',
  additionalProperties: false,
  examples: [{ ...POOL_EXAMPLE, provenance: PROVENANCE_EXAMPLE, other_pools: [] }]
})
export type PoolDetail = Static<typeof PoolDetailSchema>

export const QuoteSchema = Type.Object({
  pool_id: PoolIdSchema,
  side: Type.Union(
    [Type.Literal('buy'), Type.Literal('sell')],
    { description: 'buy: quote tokens are paid, base tokens received.', examples: ['buy'] }
  ),
  amount: decimalSchema('What is paid, in whole tokens: quote tokens of a buy, base tokens of a sell.', '100'),
  output: decimalSchema(
    'What is received, exact, by the program\'s integer arithmetic on the reserves of the slot.', '88.6'
  ),
  exact: Type.Boolean({
    description: 'false while a proposal is live: arbitrage through its markets then adds to the output, which is at ' +
      'least what is stated.',
    examples: [true]
  }),
  average_price: nullable(decimalSchema(
    'Quote tokens paid or received ÷ base tokens, fees included; null where nothing is received.', '1.128668171557'
  )),
  price_impact: Type.String({
    pattern: '^\\d+\\.\\d{4}$',
    description: 'Percent of the spot price that the size costs, fees apart, 4 places.',
    examples: ['0.0443']
  }),
  fee: Type.Object({
    mint: addressSchema('The token paid.'), amount: decimalSchema('In whole tokens, exact.', '0.5')
  }, {
    description: 'The protocol fee, part of the amount.',
    additionalProperties: false,
    examples: [{ mint: example.target_currency, amount: '0.5' }]
  }),
  protocol_fee_rate: decimalSchema('As the pool\'s newest swaps show it; TAKER_FEE_RATE where none does.', '0.005'),
  lp_fee_rate: decimalSchema('What of TAKER_FEE_RATE is left: it stays in the pool.', '0'),
  last_price: LastPriceSchema,
  slot: slotSchema('Slot of the reserves.')
}, {
  $id: 'Quote',
  description: 'What one swap would yield.',
  additionalProperties: false,
  examples: [{
    pool_id: example.pool_id,
    side: 'buy',
    amount: '100',
    output: '88.6',
    exact: true,
    average_price: '1.128668171557',
    price_impact: '0.0443',
    fee: { mint: example.target_currency, amount: '0.5' },
    protocol_fee_rate: '0.005',
    lp_fee_rate: '0',
    last_price: example.last_price,
    slot: 400000000
  }]
})
export type Quote = Static<typeof QuoteSchema>

const SIDE = Type.Union(
  [Type.Literal('buy'), Type.Literal('sell')],
  { description: 'buy: quote tokens were paid, base tokens received.', examples: ['buy'] }
)
const TRADE_EXAMPLE = {
  trade_id: '4711',
  signature: '5VERv8NMvzbJMEkV8xnrLkEaWRtSz9CosKDYjCJjBRnbJLgp8uirBgmQpjKhoR4tjF3ZpRzrFmBV6UjKdiSZkQUW',
  slot: 400000000,
  block_index: 512,
  event_index: 131079,
  timestamp: TIME,
  side: 'buy',
  price: '0.913242009132',
  base_amount: '109.5',
  quote_amount: '100',
  fee: { mint: example.target_currency, amount: '0.5' },
  maker: 'DizCvM3dwAGsenh58gCU4bE7J7wn23YUF7RRKVeXRERd',
  base_reserve: '1999890.5',
  quote_reserve: '200099.5'
}
const TradeSchema = Type.Object({
  trade_id: Type.String({
    pattern: '^\\d+$',
    description: 'The DAO\'s sequence number of the swap: unique in its pool, rising with time.',
    examples: ['4711']
  }),
  signature: Type.String({ description: 'The transaction, base58.' }),
  slot: slotSchema('Its slot.'),
  block_index: Type.Integer({ minimum: 0, description: 'Index of the transaction in its block.', examples: [512] }),
  event_index: Type.Integer({
    minimum: 0,
    description: 'Place of the event in its transaction: outer instruction × 65,536 + place among its inner ones.',
    examples: [131079]
  }),
  timestamp: timeSchema('When it happened, by the clock of the chain.'),
  side: SIDE,
  price: nullable(decimalSchema(
    'Executed price: quote amount ÷ base amount, fee included, 12 significant digits and at least 12 places. null ' +
      'where nothing was received.', '0.912345678901')),
  base_amount: decimalSchema('Base tokens paid or received, exact.', '109.5'),
  quote_amount: decimalSchema('Quote tokens paid or received, exact.', '100'),
  fee: Type.Unsafe<{ mint: string, amount: string } | null>({
    ...Type.Object(
      { mint: addressSchema('The token paid.'), amount: decimalSchema('In whole tokens, exact.', '0.5') },
      { additionalProperties: false }
    ),
    type: ['object', 'null'],
    description: 'The protocol fee; null where no event tells it.'
  }),
  maker: addressSchema('The user of the swap.'),
  base_reserve: nullable(
    decimalSchema('Base tokens in the spot pool after it; null where the event does not say.', '1999890.5')
  ),
  quote_reserve: nullable(
    decimalSchema('Quote tokens in the spot pool after it; null where the event does not say.', '200099.5')
  )
}, { $id: 'Trade', description: 'A finalized spot swap.', additionalProperties: false, examples: [TRADE_EXAMPLE] })
export const TradesSchema = Type.Array(
  TradeSchema, { $id: 'Trades', description: 'Newest first.', examples: [[TRADE_EXAMPLE]] }
)
export type Trades = Static<typeof TradesSchema>

const PRICES = (what: string) => ({
  open: decimalSchema(`First executed price of the ${what}.`, '0.91'),
  high: decimalSchema('Highest.', '0.93'),
  low: decimalSchema('Lowest.', '0.9'),
  close: decimalSchema('Last.', '0.92')
})
const PRICES_EXAMPLE = { open: '0.91', high: '0.93', low: '0.9', close: '0.92' }
const CANDLE_EXAMPLE = {
  time: 1769860800, ...PRICES_EXAMPLE, base_volume: '1200.5', target_volume: '1100.25', trades: 12
}
const CandleSchema = Type.Object({
  time: Type.Integer(
    { minimum: 0, description: 'Unix second at which it begins, aligned to UTC.', examples: [1769860800] }
  ),
  ...PRICES('interval'),
  base_volume: decimalSchema('Base tokens traded, exact, trailing zeros trimmed.', '1200.5'),
  target_volume: decimalSchema('Quote tokens traded, exact, trailing zeros trimmed.', '1100.25'),
  trades: Type.Integer({ minimum: 0, description: 'Spot swaps.', examples: [12] })
}, {
  $id: 'Candle',
  description: 'An interval. Where no trade has a price, the last close stands for all four; until a pool has had a ' +
    'price it has no candles.',
  additionalProperties: false,
  examples: [CANDLE_EXAMPLE]
})
export const CandlesSchema = Type.Array(CandleSchema, {
  $id: 'Candles',
  description: 'Oldest first. Short intervals add up to longer ones and to the days, exactly.',
  examples: [[CANDLE_EXAMPLE]]
})
export type Candles = Static<typeof CandlesSchema>

const dateSchema = Type.String({ format: 'date', description: 'UTC day.', examples: ['2026-01-31'] })
const USD = (what: string) => decimalSchema(
  `${what} in USD at what the quote token is worth now, 2 places; "0.00" where it has no USD value.`, '123456.78'
)
const days = PRICES('day')
const POOL_DAY_EXAMPLE = {
  date: '2026-01-31',
  base_volume: '1200.5',
  target_volume: '1100.25',
  volume_usd: '1100.25',
  trades: 214,
  makers: 87,
  fees: '5.5',
  ...PRICES_EXAMPLE
}
const PoolDaySchema = Type.Object({
  date: dateSchema,
  base_volume: decimalSchema('Base tokens traded, exact, trailing zeros trimmed.', '1200.5'),
  target_volume: decimalSchema('Quote tokens traded, exact, trailing zeros trimmed.', '1100.25'),
  volume_usd: USD('Volume'),
  trades: Type.Integer({ minimum: 0, description: 'Spot swaps.', examples: [214] }),
  makers: Type.Integer({ minimum: 0, description: 'Distinct users among them, counted exactly.', examples: [87] }),
  fees: nullable(
    decimalSchema('Protocol fees in quote tokens, at most 8 places; null where the fee of a trade is not known.', '5.5')
  ),
  open: nullable(days.open),
  high: nullable(days.high),
  low: nullable(days.low),
  close: nullable(days.close)
}, { $id: 'PoolDay', description: 'A UTC day of one pool.', additionalProperties: false, examples: [POOL_DAY_EXAMPLE] })
export const PoolDaysSchema = Type.Array(
  PoolDaySchema, { $id: 'PoolDays', description: 'Days with trades, oldest first.', examples: [[POOL_DAY_EXAMPLE]] }
)
export type PoolDays = Static<typeof PoolDaysSchema>

const MARKET_DAY_POOL_EXAMPLE = {
  pool_id: example.pool_id,
  ticker_id: example.ticker_id,
  target_volume: '1100.25',
  volume_usd: '1100.25',
  fees: '5.5',
  fees_usd: '5.50',
  trades: 214
}
const MarketDayPoolSchema = Type.Object({
  pool_id: PoolIdSchema,
  ticker_id: TickerIdSchema,
  target_volume: decimalSchema('Quote tokens traded, exact, trailing zeros trimmed.', '1100.25'),
  volume_usd: USD('Volume'),
  fees: nullable(
    decimalSchema('Protocol fees in quote tokens, at most 8 places; null where the fee of a trade is not known.', '5.5')
  ),
  fees_usd: nullable(USD('Protocol fees')),
  trades: Type.Integer({ minimum: 0, description: 'Spot swaps.', examples: [214] })
}, {
  $id: 'MarketDayPool',
  description: 'One pool on a UTC day.',
  additionalProperties: false,
  examples: [MARKET_DAY_POOL_EXAMPLE]
})
export const MarketDaySchema = Type.Object({
  date: dateSchema,
  complete: Type.Boolean(
    {
      description: 'The day is over and every event of it is stored: false for today, and for the minute after it ' +
        'until its last trades are final.',
      examples: [true]
    }
  ),
  volume_usd: decimalSchema(
    'As in the breakdown of `/api/volume/aggregate`, whose days add up to its total to the cent.', '123456.78'
  ),
  fees_usd: decimalSchema('As in the breakdown of `/api/fees/aggregate`.', '617.28'),
  trades: Type.Integer({ minimum: 0, description: 'Spot swaps.', examples: [1893] }),
  pools: Type.Array(
    MarketDayPoolSchema,
    { description: 'Those with trades, largest volume first; pools whose quote token has no USD value come last.' }
  )
}, {
  $id: 'MarketDay',
  description: 'One UTC day of all pools.',
  additionalProperties: false,
  examples: [{
    date: '2026-01-31',
    complete: true,
    volume_usd: '1100.25',
    fees_usd: '5.50',
    trades: 214,
    pools: [MARKET_DAY_POOL_EXAMPLE]
  }]
})
export type MarketDay = Static<typeof MarketDaySchema>

const { pools: _pools, ...MARKET_DAY_FIGURES } = MarketDaySchema.properties
const MarketDayRowSchema = Type.Object(MARKET_DAY_FIGURES, {
  $id: 'MarketDayRow',
  description: 'One UTC day of all pools together.',
  additionalProperties: false,
  examples: [{ date: '2026-01-31', complete: true, volume_usd: '1100.25', fees_usd: '5.50', trades: 214 }]
})
export const MarketDaysSchema = Type.Array(
  MarketDayRowSchema,
  { $id: 'MarketDays', description: 'Oldest first, days without a trade too.', examples: [MarketDayRowSchema.examples] }
)
export type MarketDays = Static<typeof MarketDaysSchema>
