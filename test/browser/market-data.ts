import type { Supply } from '../../schemas/supply.js'
import type { Ticker } from '../../schemas/ticker.js'

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

interface Row { symbol: string, name: string, price: string, volume: string, liquidity: string, bid: string, ask: string }

const ROWS: Row[] = [
  { symbol: 'META', name: 'Meta-DAO', price: '6.482913370041', volume: '1283400.12000000', liquidity: '9412880.44', bid: '6.449120000000', ask: '6.516880000000' },
  { symbol: 'HUGE', name: 'Beyond the safe integers', price: '9007199254740993.000000000000', volume: '9007199254740993.00000000', liquidity: '9007199254740993.00', bid: '9007199254740992.100000000000', ask: '9007199254740993.900000000000' },
  { symbol: 'HUGE1', name: 'One less', price: '9007199254740992.000000000000', volume: '9007199254740992.00000000', liquidity: '9007199254740992.00', bid: '9007199254740990.000000000000', ask: '9007199254740993.000000000000' },
  { symbol: 'ORE', name: 'Orchard Collective', price: '0.912345678901', volume: '109800.12000000', liquidity: '451234.56', bid: '0.907000000000', ask: '0.917000000000' },
  { symbol: 'TINY', name: 'Many zeros', price: '0.000000012345678901', volume: '12.40000000', liquidity: '830.12', bid: '0.000000012283950506', ask: '0.000000012407407295' },
  { symbol: 'DUST', name: 'Hardly anything', price: '0.0000000000000000123456789012', volume: '0.00100000', liquidity: '0.04', bid: '0.0000000000000000122000000000', ask: '0.0000000000000000124000000000' },
  { symbol: 'KELP', name: 'Kelp Forest Fund', price: '1.004200000000', volume: '48210.75000000', liquidity: '1203445.10', bid: '0.999100000000', ask: '1.009300000000' },
  { symbol: 'LUMEN', name: 'Lumen Grants', price: '0.034210000000', volume: '0.00000000', liquidity: '60211.00', bid: '0.034032000000', ask: '0.034388000000' },
  { symbol: '', name: '', price: '14.250000000000', volume: '3021.00000000', liquidity: '0.00', bid: '14.150000000000', ask: '14.350000000000' },
  { symbol: 'ÆTHER', name: 'Æther Research Guild of the Northern Lights and Affiliates', price: '241.770000000000', volume: '88120.40000000', liquidity: '2210450.00', bid: '240.560000000000', ask: '242.980000000000' },
  { symbol: SCRIPT, name: SCRIPT, price: '0.250000000000', volume: '510.00000000', liquidity: '12040.00', bid: '0.248700000000', ask: '0.251300000000' },
  { symbol: '\u202Ekcatta', name: 'Turned around \u202E', price: '0.071000000000', volume: '7.50000000', liquidity: '2210.30', bid: '0.070600000000', ask: '0.071400000000' }
]

export const TICKERS: Ticker[] = ROWS.map(({ symbol, name, price, volume, liquidity, bid, ask }, index) => ({
  ticker_id: `${address(index + 1)}_${USDC}`,
  base_currency: address(index + 1),
  target_currency: USDC,
  base_symbol: symbol,
  base_name: name,
  target_symbol: 'USDC',
  target_name: 'USD Coin',
  pool_id: address(index + 101),
  last_price: price,
  base_volume: '120345.67000000',
  target_volume: volume,
  liquidity_in_usd: liquidity,
  bid,
  ask
}))

const DAY = 86_400_000

/** Days up to today, in no order, with one missing. */
export function dailyBreakdown (count: number): Array<{ date: string, volume: string, trades: number }> {
  const today = Math.floor(Date.now() / DAY)
  const days = Array.from({ length: count }, (_, index) => {
    const wave = 1.3 + Math.sin(index / 6) + Math.sin(index / 2.3) / 3 + (index * 37 % 11) / 12
    const cents = Math.round(wave * 41_000_00 * (index === 0 ? 0.4 : 1) / (1 + index / 160))
    return { date: new Date((today - index) * DAY).toISOString().slice(0, 10), volume: (cents / 100).toFixed(2), trades: Math.round(wave * 190) }
  })
  return days.filter((_, index) => index !== 17).sort((a, b) => a.trades - b.trades)
}

export const AGGREGATE = {
  totalVolume: '38412880.44',
  dailyBreakdown: dailyBreakdown(400),
  tokens: TICKERS.map(({ base_currency: mint, base_symbol: symbol }, index) => ({ mint, symbol, totalVolume: `${(index + 1) * 98_765}.40` }))
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
