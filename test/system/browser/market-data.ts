import type { Supply } from '../../../schemas/supply.js'

/** A market such as the service answers with: ordinary pairs, and the ones a page stumbles over. */

export const USDC = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'
const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'

/** An address of 44 characters that belongs to `seed` alone. */
export function address (seed: number): string {
  let state = seed * 2_654_435_761 % 4_294_967_296
  return Array.from({ length: 44 }, () => {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296
    return ALPHABET[Math.floor(state / 4_294_967_296 * ALPHABET.length)]
  }).join('')
}

export const SCRIPT = '<img src=x onerror="globalThis.broken=1"><script>globalThis.broken=1</script>'

interface Row {
  symbol: string
  name: string
  price: string
  volume: string
  liquidity: string
  bid: string
  ask: string
}

const ROWS: Row[] = [
  {
    symbol: 'META',
    name: 'Meta-DAO',
    price: '6.482913370041',
    volume: '1283400.12000000',
    liquidity: '9412880.44',
    bid: '6.449120000000',
    ask: '6.516880000000'
  },
  {
    symbol: 'HUGE',
    name: 'Beyond the safe integers',
    price: '9007199254740993.000000000000',
    volume: '9007199254740993.00000000',
    liquidity: '9007199254740993.00',
    bid: '9007199254740992.100000000000',
    ask: '9007199254740993.900000000000'
  },
  {
    symbol: 'HUGE1',
    name: 'One less',
    price: '9007199254740992.000000000000',
    volume: '9007199254740992.00000000',
    liquidity: '9007199254740992.00',
    bid: '9007199254740990.000000000000',
    ask: '9007199254740993.000000000000'
  },
  {
    symbol: 'ORE',
    name: 'Orchard Collective',
    price: '0.912345678901',
    volume: '109800.12000000',
    liquidity: '451234.56',
    bid: '0.907000000000',
    ask: '0.917000000000'
  },
  {
    symbol: 'TINY',
    name: 'Many zeros',
    price: '0.000000012345678901',
    volume: '12.40000000',
    liquidity: '830.12',
    bid: '0.000000012283950506',
    ask: '0.000000012407407295'
  },
  {
    symbol: 'DUST',
    name: 'Hardly anything',
    price: '0.0000000000000000123456789012',
    volume: '0.00100000',
    liquidity: '0.04',
    bid: '0.0000000000000000122000000000',
    ask: '0.0000000000000000124000000000'
  },
  {
    symbol: 'KELP',
    name: 'Kelp Forest Fund',
    price: '1.004200000000',
    volume: '48210.75000000',
    liquidity: '1203445.10',
    bid: '0.999100000000',
    ask: '1.009300000000'
  },
  {
    symbol: 'LUMEN',
    name: 'Lumen Grants',
    price: '0.034210000000',
    volume: '0.00000000',
    liquidity: '60211.00',
    bid: '0.034032000000',
    ask: '0.034388000000'
  },
  {
    symbol: '',
    name: '',
    price: '14.250000000000',
    volume: '3021.00000000',
    liquidity: '0.00',
    bid: '14.150000000000',
    ask: '14.350000000000'
  },
  {
    symbol: 'ÆTHER',
    name: 'Æther Research Guild of the Northern Lights and Affiliates',
    price: '241.770000000000',
    volume: '88120.40000000',
    liquidity: '2210450.00',
    bid: '240.560000000000',
    ask: '242.980000000000'
  },
  {
    symbol: SCRIPT,
    name: SCRIPT,
    price: '0.250000000000',
    volume: '510.00000000',
    liquidity: '12040.00',
    bid: '0.248700000000',
    ask: '0.251300000000'
  },
  {
    symbol: '\u202Ekcatta',
    name: 'Turned around \u202E',
    price: '0.071000000000',
    volume: '7.50000000',
    liquidity: '2210.30',
    bid: '0.070600000000',
    ask: '0.071400000000'
  }
]

const SLOT = 400_123_456
const CHANGES = ['3.42', '-12.70', '0.00', '18.05', '-0.40', null, '1.20', null, '-4.00', '0.75', '2.00', '-9.99']

/** A pool as `/api/pools` lists it. */
export interface Pool {
  pool_id: string,
  ticker_id: string
  base: { mint: string, symbol: string, name: string, decimals: number }
  quote: { mint: string, symbol: string, name: string, decimals: number }
  state: 'spot' | 'proposal',
  created_at: string,
  last_price: string,
  price_change_5m: string | null
  price_change_1h: string | null
  price_change_6h: string | null
  price_change_24h: string | null
  price_change_7d: string | null
  price_change_30d: string | null
  treasury_usdc_aum: string | null
  market_cap_usd: string | null
  fdv_usd: string | null
  high_24h: string | null,
  low_24h: string | null,
  vwap_24h: string | null
  base_volume_24h: string,
  target_volume_24h: string,
  target_volume_7d: string,
  target_volume_30d: string
  trades_24h: number,
  buys_24h: number,
  sells_24h: number,
  buy_volume_24h: string,
  sell_volume_24h: string,
  makers_24h: number,
  buyers_24h: number,
  sellers_24h: number,
  fees_24h: string,
  liquidity_in_usd: string,
  priced_in_usd: boolean,
  slot: number
}

/** Deepest first, the one that nothing prices last, as the service orders them. */
export const POOLS: Pool[] = ROWS.map(({ symbol, name, price, volume, liquidity }, index) => ({
  pool_id: address(index + 101),
  ticker_id: `${address(index + 1)}_${USDC}`,
  base: { mint: address(index + 1), symbol, name, decimals: 6 },
  quote: { mint: USDC, symbol: 'USDC', name: 'USD Coin', decimals: 6 },
  state: index === 3 ? 'proposal' as const : 'spot' as const,
  created_at: '2026-01-31T12:00:00.000Z',
  last_price: price,
  price_change_5m: null,
  price_change_1h: '-0.25',
  price_change_6h: '1.50',
  price_change_24h: CHANGES[index]!,
  price_change_7d: '8.10',
  price_change_30d: null,
  treasury_usdc_aum: index === 0 ? '5000000' : null,
  market_cap_usd: index === 0 ? '64829133.70' : null,
  fdv_usd: index === 0 ? '129658267.40' : null,
  high_24h: price,
  low_24h: price,
  vwap_24h: volume === '0.00000000' ? null : price,
  base_volume_24h: '120345.67000000',
  target_volume_24h: volume,
  target_volume_7d: volume,
  target_volume_30d: volume,
  trades_24h: volume === '0.00000000' ? 0 : 1_200 - index * 97,
  buys_24h: volume === '0.00000000' ? 0 : 700 - index * 50,
  sells_24h: volume === '0.00000000' ? 0 : 500 - index * 47,
  buy_volume_24h: index === 0 ? '783400.12' : '0',
  sell_volume_24h: index === 0 ? '500000' : volume,
  makers_24h: 31,
  buyers_24h: 20,
  sellers_24h: 16,
  fees_24h: '549.00060000',
  liquidity_in_usd: liquidity,
  priced_in_usd: liquidity !== '0.00',
  slot: SLOT
})).toSorted(
  (a, b) => Number(b.priced_in_usd) - Number(a.priced_in_usd) || Number(b.liquidity_in_usd) - Number(a.liquidity_in_usd)
)

/** The rows above by their symbols; HUGE and HUGE1 differ by less than a number tells. */
export const poolOf = (symbol: string): Pool => POOLS.find(({ base }) => base.symbol === symbol)!

/** The same as `/api/pools/{pool_id}` tells it: with reserves that give its price. */
export function detailOf (id: string) {
  const pool = POOLS.find(({ pool_id: wanted }) => wanted === id)!
  const places = pool.last_price.split('.')[1]!.length
  const accounts = {
    dao: id, base_vault: address(601), quote_vault: address(602), base_mint: pool.base.mint, quote_mint: USDC
  }
  return {
    ...pool,
    provenance: {
      slot: SLOT,
      base_reserves: String(10n ** BigInt(places)),
      quote_reserves: String(BigInt(pool.last_price.replace('.', ''))),
      base_fees: '1234567',
      quote_fees: '7654321',
      accounts,
      fee_rates: [
        { rate: '0.0025', from_slot: SLOT - 900, to_slot: SLOT - 500 },
        { rate: '0.005', from_slot: SLOT - 499, to_slot: SLOT }
      ],
      taker_fee_rate: '0.005',
      quote_notional: '100',
      volume_basis: 'input',
      usd_priced_by: null,
      sequence_on_chain: '4711',
      sequence_indexed: '4711',
      missing_events: '0',
      windows_end: 1_769_860_800
    },
    other_pools: []
  }
}

export const quotesOf = (tickerId: string) => {
  const index = POOLS.findIndex(pool => pool.ticker_id === tickerId)
  const row = ROWS.find(({ symbol }) => symbol === POOLS[index]?.base.symbol)!
  return { pool_id: POOLS[index]!.pool_id, bid: row.bid, ask: row.ask }
}

const wave = (index: number): number => 6 + Math.sin(index / 9) + Math.sin(index / 2.7) / 4 + (index * 7919 % 13) / 40

/** Candles that end now. */
export function candlesOf (seconds: number, count = 300) {
  const last = Math.floor(Date.now() / 1000 / seconds)
  return Array.from({ length: count }, (_, index) => {
    const [open, close] = [wave(index), wave(index + 1)]
    return {
      time: (last - count + 1 + index) * seconds,
      open: open.toFixed(12),
      high: (Math.max(open, close) + 0.11).toFixed(12),
      low: (Math.min(open, close) - 0.09).toFixed(12),
      close: close.toFixed(12),
      base_volume: (900 + index * 31 % 400).toFixed(6),
      target_volume: (4_000 + index * 137 % 3_000).toFixed(6),
      trades: 3 + index % 9
    }
  })
}

export const tradesOf = (count: number, newest = 5_000) => Array.from({ length: count }, (_, index) => ({
  trade_id: String(newest - index),
  signature: address(newest - index + 900) + address(newest - index + 901),
  slot: SLOT - index * 20,
  block_index: index,
  event_index: 0,
  timestamp: new Date(Date.now() - index * 41_000 - 2_000).toISOString(),
  side: index * 7 % 3 === 0 ? 'sell' : 'buy',
  price: wave(300 - index).toFixed(12),
  base_amount: (20 + index * 53 % 700 + 0.25).toFixed(6),
  quote_amount: (120 + index * 331 % 4_000 + 0.5).toFixed(6),
  fee: { mint: USDC, amount: '0.6' },
  maker: address(index % 7 + 700),
  base_reserve: '1000000',
  quote_reserve: '6000000'
}))

const DAY = 86_400_000

/** Days up to today, in no order, with one missing. */
export function dailyBreakdown (count: number): Array<{ date: string, volume: string, trades: number }> {
  const today = Math.floor(Date.now() / DAY)
  const days = Array.from({ length: count }, (_, index) => {
    const wave = 1.3 + Math.sin(index / 6) + Math.sin(index / 2.3) / 3 + (index * 37 % 11) / 12
    const cents = Math.round(wave * 41_000_00 * (index === 0 ? 0.4 : 1) / (1 + index / 160))
    return {
      date: new Date((today - index) * DAY).toISOString().slice(0, 10),
      volume: (cents / 100).toFixed(2),
      trades: Math.round(wave * 190)
    }
  })
  return days.filter((_, index) => index !== 17).sort((a, b) => a.trades - b.trades)
}

export const AGGREGATE = {
  totalVolume: '38412880.44',
  dailyBreakdown: dailyBreakdown(400),
  tokens: POOLS.map(
    ({ base: { mint, symbol } }, index) => ({ mint, symbol, totalVolume: `${(index + 1) * 98_765}.40` })
  )
}

/** 50 % locked, 7.11 % and 2.76 % in the pools. */
export const supplyOf = (mint: string): { result: string, data: Supply } => ({
  result: '25800000',
  data: {
    mint,
    totalSupply: '25800000',
    circulatingSupply: '12900000',
    teamPerformancePackage: '12900000',
    protocolAmmLiquidity: '1834200.5',
    externalLpLiquidity: '712345.123456',
    decimals: 6,
    rawTotalSupply: '25800000000000'
  }
})

export const DAYS = Array.from({ length: 31 }, (_, index) => ({
  date: new Date((Math.floor(Date.now() / DAY) - index) * DAY).toISOString().slice(0, 10),
  base_volume: '1000',
  target_volume: '6000',
  volume_usd: '6000.00',
  trades: 40,
  makers: 12,
  fees: '30',
  open: '6.1',
  high: '7.5',
  low: '5.25',
  close: index === 7 ? '6' : '6.2'
}))

/** What the server itself knows of the same pools. */
export const SNAPSHOT = {
  slot: SLOT,
  discovered: [{ address: address(999), dao: undefined, leftOut: 'no reserves' as const }],
  pairs: new Map(POOLS.map(({ pool_id: pool, base, quote }) => [pool, {
    address: pool,
    baseMint: base.mint,
    quoteMint: quote.mint,
    baseSymbol: base.symbol,
    baseName: base.name,
    quoteSymbol: quote.symbol,
    quoteName: quote.name,
    baseDecimals: 6,
    quoteDecimals: 6,
    baseReserves: 1_000_000_000_000n,
    quoteReserves: 6_482_913_370_041n,
    dao: { state: 'spot' }
  }])),
  tokens: new Map()
}

/** A week of each pool but the fifth, which has not traded. */
export const SPARKLINES = {
  pools: Object.fromEntries(POOLS.filter((_, index) => index !== 4).map(({ pool_id: pool }, index) =>
    [pool, candlesOf(14_400, 43).map((_, at) => index % 3 === 0 ? 99 - at * 7 % 100 : at * 7 % 100)]))
}

/** What is known of treasuries: of META's alone. */
export const TREASURIES = [
  { dao: address(101), nav_usd: '84200000.00', nav_per_token: '4.210000000000', premium: '0.5399' }
]
export const treasuryOf = (dao: string) =>
  TREASURIES.find(treasury => treasury.dao === dao) ?? { dao, nav_usd: null, nav_per_token: null, premium: null }

export const READY = {
  ready: true,
  problems: [] as string[],
  chain: {
    utc: '2026-11-23T12:00:00.000Z', clock_offset_seconds: 0.2, drift_seconds: 0, halted: null as string | null
  },
  snapshot: { slot: SLOT, age_seconds: 3.2 },
  history: {
    phase: 'following',
    last_day_covered: true,
    complete: true,
    head_age_seconds: 1.5,
    head_slot: SLOT,
    missing_events: 0,
    losses: 0,
    leads: true,
    last_day: null as { left: number, total: number, seconds_left: number | null } | null
  }
}

/** More proposals than one answer holds, newest first: the first is live, the rest is decided. */
export const PROPOSALS = Array.from({ length: 450 }, (_, index) => ({
  proposal: address(index + 5_001),
  dao: POOLS[index % POOLS.length]!.pool_id,
  number: 450 - index,
  state: index === 0 ? 'pending' : index % 3 === 0 ? 'failed' : 'passed',
  created_at: '2026-03-01T12:00:00.000Z',
  launched_at: '2026-03-02T12:00:00.000Z',
  ends_at: '2026-03-05T12:00:00.000Z',
  finalized_at: index === 0 ? null : '2026-03-05T12:01:00.000Z',
  decision: index === 0
    ? null
    : { pass_twap: '1.2345', fail_twap: '1.2', threshold: '1.236', outcome: index % 3 === 0 ? 'fail' : 'pass' }
}))
export const proposalOf = (id: string) => ({
  ...PROPOSALS.find(({ proposal }) => proposal === id)!,
  pass_threshold_bps: 300,
  pass: null,
  fail: null,
  spot_price: null,
  as_of: '2026-03-05T11:30:00.000Z'
})
