import { type Static, Type } from '@sinclair/typebox'
import {
  ACCOUNT_EXAMPLE, address, boolean, DAO_EXAMPLE, date, decimal, decimals, digits, integer, list, MINT_EXAMPLE, name,
  nullable, object, oneOf, QUOTE_EXAMPLE, record, SECOND_EXAMPLE, slot, symbol, time, VAULT_EXAMPLE
} from './common.js'
import { DEEPEST_FIRST, TickerSchema } from './ticker.js'

const {
  ticker_id: TICKER_ID, pool_id: POOL_ID, last_price: LAST_PRICE, liquidity_in_usd: LIQUIDITY
} = TickerSchema.properties

const WHOLE = '; the record of one pool has it whole'
const token = (mint: string, itsSymbol: string, itsName: string) => object({
  mint: address('Address of the mint.', mint),
  symbol: symbol('token', itsSymbol, WHOLE),
  name: name('token', itsName, WHOLE),
  decimals: decimals('Places of a raw unit.')
}, 'A token of the pool.')

const change = (period: string, example: string | null) => nullable(Type.String({
  pattern: '^-?\\d+\\.\\d{2}$',
  description: `Percent from the newest executed price of ${period} ago or earlier to the newest one now, 2 places; ` +
    'null without a trade that old.'
}), [example])
/** Changes of the price over periods: of pools and of DAOs. */
export const PRICE_CHANGES = {
  price_change_5m: change('5 minutes', '0.00'),
  price_change_1h: change('1 hour', '0.12'),
  price_change_6h: change('6 hours', '-0.40'),
  price_change_24h: change('24 hours', '-1.25'),
  price_change_7d: change('7 days', '3.10'),
  price_change_30d: change('30 days', null)
}
export const START_DATE = nullable(date('UTC day on which the DAO was created.'))

const traded24h = (what: string, example: string) => nullable(decimal(
  `${what} tokens traded in the last 24 hours, as in the tickers, exact, trailing zeros trimmed.`, example
))
const tradedIn = (days: number, example: string) => nullable(decimal(
  `Quote tokens traded in the ${days} days up to the last whole minute.`, example
))

const POOL = {
  pool_id: POOL_ID,
  ticker_id: TICKER_ID,
  base: token(MINT_EXAMPLE, 'META', 'Meta'),
  quote: token(QUOTE_EXAMPLE, 'USDC', 'USD Coin'),
  state: oneOf(['spot', 'proposal'], 'proposal: half of the pool backs the markets of a live proposal.'),
  created_at: nullable(time('When the DAO was created; null where no node has its first event any more.')),
  startDate: START_DATE,
  complete_since: nullable(time(
    'From when on every trade of the pool is known; null: since its beginning. Later while the past is read, or ' +
      'where it is lost. What would count trades from before it is null.'), [null]),
  last_price: LAST_PRICE,
  ...PRICE_CHANGES,
  high_24h: nullable(
    decimal('Highest executed price of the last 24 hours, to the second; null without a trade.', '0.931000000000')
  ),
  low_24h: nullable(decimal('Lowest executed price of the last 24 hours; null without a trade.', '0.897000000000')),
  vwap_24h: nullable(decimal(
    'Average price of the last 24 hours by volume: quote tokens ÷ base tokens of the trades that have a price. low ≤ ' +
      'it ≤ high. null without a trade.', '0.912300000000')),
  base_volume_24h: traded24h('Base', '120345.67'),
  target_volume_24h: traded24h('Quote', '109800.12'),
  target_volume_7d: tradedIn(7, '754321.5'),
  target_volume_30d: tradedIn(30, '3210987.25'),
  trades_24h: nullable(integer('Spot swaps of the last 24 hours.', 214)),
  buys_24h: nullable(integer('Those of them that bought base tokens: buys + sells = trades.', 118)),
  sells_24h: nullable(integer('Those that sold base tokens.', 96)),
  buy_volume_24h: nullable(decimal(
    'Quote tokens that these buys paid, as executed, exact: buys + sells = target_volume_24h, unless VOLUME_BASIS ' +
      'counts by fees.', '60310.02')),
  sell_volume_24h: nullable(decimal('Quote tokens that these sells received, likewise.', '49490.1')),
  makers_24h: nullable(
    integer('Distinct users among them, counted exactly; null also while who traded is read.', 87)
  ),
  buyers_24h: nullable(integer('Distinct users who bought; who also sold counts in both. null likewise.', 61)),
  sellers_24h: nullable(integer('Distinct users who sold; null likewise.', 44)),
  fees_24h: nullable(decimal(
    'Protocol fees of the last 24 hours in quote tokens, as charged; one in base tokens at the price of its own ' +
      'trade. At most 8 places, trailing zeros trimmed. null where the fee of a trade is not known.', '549.0006')),
  liquidity_in_usd: LIQUIDITY,
  priced_in_usd: boolean('Whether the quote token has a USD value by the settings (USD_MINTS, USD_PRICED_MINTS).'),
  market_cap_usd: nullable(decimal(
    'Circulating supply × price in USD, 2 places; null without a price in USD, and while no node gives the accounts ' +
      'that it takes. In the list, of the 300 deepest pools.', '11770000.00')),
  fdv_usd: nullable(decimal('Total supply × price in USD, 2 places; null likewise.', '23540000.00')),
  treasury_vault_address: address('The vault of the DAO\'s multisig: its treasury.', VAULT_EXAMPLE),
  treasury_usdc_aum: nullable(decimal(
    'Whole dollars that it holds: of the mints of USD_MINTS; in the list, in the accounts associated with it. null ' +
      'likewise.', '5000000')),
  slot: slot('Slot at which the pool\'s state was read.')
}

export const PoolSchema = record('Pool', 'The spot pool of one DAO with what was traded on it.', POOL)
export type Pool = Static<typeof PoolSchema>
export const PoolsSchema = list('Pools', DEEPEST_FIRST, PoolSchema)
export type Pools = Static<typeof PoolsSchema>

const FeeRateSchema = record('ObservedFeeRate', 'A protocol fee rate that swaps of the pool show.', {
  rate: decimal('The protocol\'s part of a swap\'s input.', '0.005'),
  from_slot: slot('Slot of the first swap that shows it, of those that have been read.', 390000000),
  to_slot: slot('Slot of the last swap that shows it.')
})

const held = (token: string, example: string) =>
  digits(`Protocol fees in ${token} tokens that the pool holds uncollected, raw units.`, example)
const ProvenanceSchema = record('Provenance',
  'What the figures are made of, so that anyone can make them again: see `npm run verify`.', {
    slot: slot('Slot at which all accounts were read.'),
    base_reserves: digits('Base reserves of the spot pool, raw units.', '2000000000000'),
    quote_reserves: digits('Quote reserves of the spot pool, raw units.', '225617280000'),
    base_fees: held('base', '1500000'),
    quote_fees: held('quote', '2500000'),
    accounts: object({
      dao: address('The account with the reserves.', DAO_EXAMPLE),
      base_vault: address('The token account that holds the base tokens.', ACCOUNT_EXAMPLE),
      quote_vault: address(
        'The token account that holds the quote tokens.', 'Cnyk41TDsLLWMwyxU5t6T9sEQe1DdrnX9QQX9CzQtHu2'
      ),
      base_mint: address('The mint of the base token.', MINT_EXAMPLE),
      quote_mint: address('The mint of the quote token.')
    }, 'Where all of it can be read.'),
    fee_rates: Type.Array(FeeRateSchema, { description: 'Protocol fee rates that the swaps show, oldest first.' }),
    taker_fee_rate: decimal('The whole fee of a swap that bid and ask are reckoned with (TAKER_FEE_RATE).', '0.005'),
    quote_notional: decimal('Quote tokens of the swap that bid and ask are reckoned with (QUOTE_NOTIONAL).', '100'),
    volume_basis: oneOf(
      ['input', 'fees'],
      'What a swap counts for in volumes (VOLUME_BASIS): its own input and output, or its fee ÷ rate.'
    ),
    usd_priced_by: nullable(address(
      'pool_id of the pool whose price values the quote token in USD (USD_PRICED_MINTS). null where it counts as 1 ' +
        'USD itself, or has no value.'), [null]),
    sequence_on_chain: digits('Number of the DAO\'s newest event, by its account.', '4711'),
    sequence_indexed: digits('Number of the newest event that is stored.', '4711'),
    missing_events: digits('Numbers below it that are missing.', '0'),
    windows_end: integer(
      'Unix second at which the windows end: a trade at t counts while end − 86,400 < t ≤ end; later blocks of the ' +
        'second itself may not be in yet.', SECOND_EXAMPLE
    )
  })

export const PoolDetailSchema = record('PoolDetail', 'One pool, and what its figures are made of.', {
  ...POOL,
  provenance: ProvenanceSchema,
  other_pools: Type.Array(
    address('pool_id'), { description: 'The other listed pools of the same pair, deepest first.', examples: [[]] }
  )
})
export type PoolDetail = Static<typeof PoolDetailSchema>

/** A fee in the token that was paid. */
export const FEE = object({ mint: address('The token paid.'), amount: decimal('In whole tokens, exact.', '0.5') })

export const QuoteSchema = record('Quote', 'What one swap would yield.', {
  pool_id: POOL_ID,
  side: oneOf(['buy', 'sell'], 'buy: quote tokens are paid, base tokens received.'),
  amount: decimal('What is paid, in whole tokens: quote tokens of a buy, base tokens of a sell.', '100'),
  output: decimal(
    'What is received, exact, by the program\'s integer arithmetic on the reserves of the slot.', '88.6'
  ),
  exact: boolean(
    'false while a proposal is live: arbitrage through its markets then adds to the output, which is at least what ' +
      'is stated.'),
  average_price: nullable(decimal(
    'Quote tokens paid or received ÷ base tokens, fees included; null where nothing is received.', '1.128668171557'
  )),
  price_impact: Type.String({
    pattern: '^\\d+\\.\\d{4}$',
    description: 'Percent of the spot price that the size costs, fees apart, 4 places.',
    examples: ['0.0443']
  }),
  fee: { ...FEE, description: 'The protocol fee, part of the amount.' },
  protocol_fee_rate: decimal('As the newest swap of any pool shows it; TAKER_FEE_RATE where none does.', '0.005'),
  lp_fee_rate: decimal('What of TAKER_FEE_RATE is left: it stays in the pool.', '0'),
  last_price: LAST_PRICE,
  slot: slot('Slot of the reserves.')
})
export type Quote = Static<typeof QuoteSchema>
