import { type Static, Type } from '@sinclair/typebox'
import { addressSchema, decimalSchema, list, MINT_EXAMPLE, record, VAULT_EXAMPLE } from './common.js'
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
const rawSchema = (description: string, example: string) =>
  Type.String({ pattern: '^\\d+$', description, examples: [example] })

const TokenSchema = Type.Object({
  mint: addressSchema('Address of the mint.', MINT_EXAMPLE),
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

const change = (period: string, example: string | null) => Type.Unsafe<string | null>({
  type: ['string', 'null'],
  pattern: '^-?\\d+\\.\\d{2}$',
  description: `Percent from the newest executed price of ${period} ago or earlier to the newest one now, 2 places; ` +
    'null without a trade that old.',
  examples: [example]
})
/** Changes of the price over periods: of pools and of DAOs. */
export const PRICE_CHANGES = {
  price_change_5m: change('5 minutes', '0.00'),
  price_change_1h: change('1 hour', '0.12'),
  price_change_6h: change('6 hours', '-0.40'),
  price_change_24h: change('24 hours', '-1.25'),
  price_change_7d: change('7 days', '3.10'),
  price_change_30d: change('30 days', null)
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
  treasury_vault_address: addressSchema('The vault of the DAO\'s multisig: its treasury.', VAULT_EXAMPLE),
  treasury_usdc_aum: nullable(
    decimalSchema(
      'Whole dollars that it holds: of the mints of USD_MINTS; in the list, in the accounts associated with it. null ' +
        'likewise.',
      '5000000'
    )
  ),
  slot: slotSchema('Slot at which the pool\'s state was read.')
}

export const PoolSchema = record('Pool', 'The spot pool of one DAO with what was traded on it.', POOL, {
  quote: { mint: 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v', symbol: 'USDC', name: 'USD Coin', decimals: 6 }
})
export type Pool = Static<typeof PoolSchema>

export const PoolsSchema = list(
  'Pools', 'Deepest pool first, then by pool_id; pools whose quote token has no USD value come last.', PoolSchema
)
export type Pools = Static<typeof PoolsSchema>

const FeeRateSchema = record('ObservedFeeRate', 'A protocol fee rate that swaps of the pool show.', {
  rate: decimalSchema('The protocol\'s part of a swap\'s input.', '0.005'),
  from_slot: slotSchema('Slot of the first swap that shows it.'),
  to_slot: slotSchema('Slot of the last swap that shows it.')
}, { from_slot: 390000000 })

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
const ProvenanceSchema = record('Provenance',
  'What the figures are made of, so that anyone can make them again: see `npm run verify`.', {
    slot: slotSchema('Slot at which all accounts were read.'),
    base_reserves: rawSchema('Base reserves of the spot pool, raw units.', '2000000000000'),
    quote_reserves: rawSchema('Quote reserves of the spot pool, raw units.', '225617280000'),
    base_fees: rawSchema('Protocol fees in base tokens that the pool holds uncollected, raw units.', '1500000'),
    quote_fees: rawSchema('Protocol fees in quote tokens that the pool holds uncollected, raw units.', '2500000'),
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
    quote_notional: decimalSchema(
      'Quote tokens of the swap that bid and ask are reckoned with (QUOTE_NOTIONAL).', '100'
    ),
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
    sequence_on_chain: rawSchema('Number of the DAO\'s newest event, by its account.', '4711'),
    sequence_indexed: rawSchema('Number of the newest event that is stored.', '4711'),
    missing_events: rawSchema('Numbers below it that are missing.', '0'),
    windows_end: Type.Integer({
      minimum: 0,
      description: 'Unix second at which the windows end: a trade at t counts while end − 86,400 < t ≤ end.',
      examples: [1769860800]
    })
  }, PROVENANCE_EXAMPLE)

export const PoolDetailSchema = record('PoolDetail', 'One pool, and what its figures are made of.', {
  ...POOL,
  provenance: ProvenanceSchema,
  other_pools: Type.Array(
    addressSchema('pool_id'), { description: 'The other listed pools of the same pair, deepest first.' }
  )
}, {
  quote: { mint: 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v', symbol: 'USDC', name: 'USD Coin', decimals: 6 },
  other_pools: []
})
export type PoolDetail = Static<typeof PoolDetailSchema>

export const QuoteSchema = record('Quote', 'What one swap would yield.', {
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
})
export type Quote = Static<typeof QuoteSchema>

const SIDE = Type.Union(
  [Type.Literal('buy'), Type.Literal('sell')],
  { description: 'buy: quote tokens were paid, base tokens received.', examples: ['buy'] }
)
const TradeSchema = record('Trade', 'A finalized spot swap.', {
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
}, {
  signature: '5VERv8NMvzbJMEkV8xnrLkEaWRtSz9CosKDYjCJjBRnbJLgp8uirBgmQpjKhoR4tjF3ZpRzrFmBV6UjKdiSZkQUW',
  price: '0.913242009132',
  fee: { mint: 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v', amount: '0.5' },
  maker: 'DizCvM3dwAGsenh58gCU4bE7J7wn23YUF7RRKVeXRERd'
})
export const TradesSchema = list('Trades', 'Newest first.', TradeSchema)
export type Trades = Static<typeof TradesSchema>

const PRICES = (what: string) => ({
  open: decimalSchema(`First executed price of the ${what}.`, '0.91'),
  high: decimalSchema('Highest.', '0.93'),
  low: decimalSchema('Lowest.', '0.9'),
  close: decimalSchema('Last.', '0.92')
})
const CandleSchema = record('Candle',
  'An interval. Where no trade has a price, the last close stands for all four; until a pool has had a ' +
    'price it has no candles.', {
    time: Type.Integer(
      { minimum: 0, description: 'Unix second at which it begins, aligned to UTC.', examples: [1769860800] }
    ),
    ...PRICES('interval'),
    base_volume: decimalSchema('Base tokens traded, exact, trailing zeros trimmed.', '1200.5'),
    target_volume: decimalSchema('Quote tokens traded, exact, trailing zeros trimmed.', '1100.25'),
    trades: Type.Integer({ minimum: 0, description: 'Spot swaps.', examples: [12] })
  })
export const CandlesSchema = list(
  'Candles', 'Oldest first. Short intervals add up to longer ones and to the days, exactly.', CandleSchema
)
export type Candles = Static<typeof CandlesSchema>

const dateSchema = Type.String({ format: 'date', description: 'UTC day.', examples: ['2026-01-31'] })
const USD = (what: string) => decimalSchema(
  `${what} in USD at what the quote token is worth now, 2 places; "0.00" where it has no USD value.`, '123456.78'
)
const days = PRICES('day')
const PoolDaySchema = record('PoolDay', 'A UTC day of one pool.', {
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
}, { volume_usd: '1100.25' })
export const PoolDaysSchema = list('PoolDays', 'Days with trades, oldest first.', PoolDaySchema)
export type PoolDays = Static<typeof PoolDaysSchema>
const MarketDayPoolSchema = record('MarketDayPool', 'One pool on a UTC day.', {
  pool_id: PoolIdSchema,
  ticker_id: TickerIdSchema,
  target_volume: decimalSchema('Quote tokens traded, exact, trailing zeros trimmed.', '1100.25'),
  volume_usd: USD('Volume'),
  fees: nullable(
    decimalSchema('Protocol fees in quote tokens, at most 8 places; null where the fee of a trade is not known.', '5.5')
  ),
  fees_usd: nullable(USD('Protocol fees')),
  trades: Type.Integer({ minimum: 0, description: 'Spot swaps.', examples: [214] })
}, { volume_usd: '1100.25', fees_usd: '5.50' })
export const MarketDaySchema = record('MarketDay', 'One UTC day of all pools.', {
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
}, { volume_usd: '1100.25', fees_usd: '5.50', trades: 214 })
export type MarketDay = Static<typeof MarketDaySchema>

const { pools: _pools, ...MARKET_DAY_FIGURES } = MarketDaySchema.properties
const MarketDayRowSchema = record(
  'MarketDayRow',
  'One UTC day of all pools together.', MARKET_DAY_FIGURES, { volume_usd: '1100.25', fees_usd: '5.50', trades: 214 }
)
export const MarketDaysSchema = list('MarketDays', 'Oldest first, days without a trade too.', MarketDayRowSchema)
export type MarketDays = Static<typeof MarketDaysSchema>
