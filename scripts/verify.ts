/**
 * Makes a pool's figures again with a JSON-RPC node alone: `npm run verify -- --url http://… --rpc https://… --pool ADDRESS`. Price, bid, ask and liquidity come
 * from the DAO's account, volumes (as VOLUME_BASIS=input counts them) from each transaction of the last 24 hours. None of the service's code takes part.
 */
import { PublicKey } from '@solana/web3.js'
import type { PoolDetail } from '../schemas/pools.js'
import type { Ticker } from '../schemas/ticker.js'
import { readCommandLine, refuse } from './command-line.js'
import { ask, nodeAt } from './verify/node.js'

const USAGE = 'npm run verify -- --pool ADDRESS [--url http://127.0.0.1:3000] [--rpc https://api.mainnet-beta.solana.com]'
const option = { type: 'string' } as const
const { values: { url = 'http://127.0.0.1:3000', rpc = 'https://api.mainnet-beta.solana.com', pool = '' } } = readCommandLine(USAGE, { url: option, rpc: option, pool: option })
if (!/^[1-9A-HJ-NP-Za-km-z]{32,44}$/.test(pool) || ![url, rpc].every(place => URL.canParse(place))) refuse(USAGE)
const node = nodeAt(rpc)
const served = await ask<PoolDetail>(`${url}/api/pools/${pool}`)
const ticker = (await ask<Ticker[]>(`${url}/api/tickers`)).find(({ pool_id: id }) => id === pool)

const fraction = (decimal: string) => ({ n: BigInt(decimal.replace('.', '')), d: 10n ** BigInt(decimal.split('.')[1]?.length ?? 0) })
function text (n: bigint, d: bigint, places: number, round: 'down' | 'nearest' | 'up' = 'nearest'): string {
  const digits = ((n * 10n ** BigInt(places) + { down: 0n, nearest: d / 2n, up: d - 1n }[round]) / d).toString().padStart(places + 1, '0')
  return places === 0 ? digits : `${digits.slice(0, -places)}.${digits.slice(-places)}`
}

// Now: reserves stand at fixed places of the DAO's account, decimals at one of the mints'
const { owner: program, data: dao } = await node.account(pool)
const [quote, base] = [dao.readBigUInt64LE(109), dao.readBigUInt64LE(117)]
const [baseDecimals, quoteDecimals] = [(await node.account(served.base.mint)).data[44]!, (await node.account(served.quote.mint)).data[44]!]
const [baseUnit, quoteUnit] = [10n ** BigInt(baseDecimals), 10n ** BigInt(quoteDecimals)]
/** In whole tokens, with 12 places, and more where 12 significant digits need them. */
function price (paid: bigint, received: bigint, round?: 'down' | 'up'): string {
  let [n, d, places] = [paid * baseUnit, received * quoteUnit, 12]
  for (let scaled = n * 10n; scaled < d; scaled *= 10n) places++
  return text(n, d, places, round)
}

// Bid and ask: what a swap for QUOTE_NOTIONAL, at most 1 % of the pool, yields; where that is nothing, the price less or plus the fee
const [fee, asked] = [fraction(served.provenance.taker_fee_rate), fraction(served.provenance.quote_notional)]
const kept = fee.d - fee.n
const swap = (input: bigint, from: bigint, to: bigint) => (input * kept / fee.d) * to / (from + input * kept / fee.d)
const quoteIn = [asked.n * quoteUnit / asked.d, quote / 100n].reduce((a, b) => a < b ? a : b)
const baseIn = quoteIn * base / quote
const [sold, bought] = [swap(baseIn, base, quote), swap(quoteIn, quote, base)]

// The window: the event of a swap begins with a tag; its time stands at 24, the DAO at 40, the side at 104, input and output behind it
const SPOT_SWAP = 'e445a52e51cb9a1d1dfd79ff523c94c3'
const end = served.provenance.windows_end
const volume = { base: 0n, quote: 0n }
for (const signature of await node.signatures(pool, end - 86_400 - 600)) {   // a block's time may differ a little from its events'
  for (const event of await node.events(signature, program)) {
    if (event.toString('hex', 0, 16) !== SPOT_SWAP || !new PublicKey(event.subarray(40, 72)).equals(new PublicKey(pool))) continue
    const [at, input, output] = [Number(event.readBigInt64LE(24)), event.readBigUInt64LE(105), event.readBigUInt64LE(113)]
    if (at <= end - 86_400 || at > end) continue
    const isBuy = event[104] === 0
    volume.base += isBuy ? output : input
    volume.quote += isBuy ? input : output
  }
}

// What a quote token other than USDC and USDT is worth is the operator's setting, which the record does not name
const DOLLARS = ['EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v', 'Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB']
const isDecided = !served.priced_in_usd || DOLLARS.includes(served.quote.mint)
const amount = (raw: bigint, decimals: number) => decimals === 0 ? raw.toString() : text(raw, 10n ** BigInt(decimals), decimals).replace(/\.?0+$/, '')
const rows: Array<[name: string, theirs: string | undefined, ours: string]> = [
  ['last_price', served.last_price, price(quote, base)],
  ['bid', ticker?.bid, sold > 0n ? price(sold, baseIn, 'down') : price(quote * kept, base * fee.d, 'down')],
  ['ask', ticker?.ask, bought > 0n ? price(quoteIn, bought, 'up') : price(quote * fee.d, base * kept, 'up')],
  ['liquidity_in_usd', served.liquidity_in_usd, !isDecided ? served.liquidity_in_usd : served.priced_in_usd ? text(2n * quote, quoteUnit, 2) : '0.00'],
  ['base_volume_24h', served.base_volume_24h, amount(volume.base, baseDecimals)],
  ['target_volume_24h', served.target_volume_24h, amount(volume.quote, quoteDecimals)]
]
const different = rows.filter(([, theirs, ours]) => theirs !== ours)
for (const [name, theirs, ours] of different) console.log(`${name}: served ${String(theirs)}, the node says ${ours}`)
if (different.length === 0) console.log('equal')
else process.exitCode = 1
if (!isDecided) console.log(`not decided: liquidity_in_usd ${served.liquidity_in_usd}, since what ${served.quote.mint} is worth is a setting (USD_MINTS, USD_PRICED_MINTS)`)
