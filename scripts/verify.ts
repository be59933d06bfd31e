/**
 * Makes a pool's figures again with a JSON-RPC node alone: `npm run verify -- --url http://… --rpc https://… --pool ADDRESS`. Price, bid, ask and liquidity come
 * from the DAO's account, volumes from each transaction of the last 24 hours. None of the service's code takes part.
 */
import { PublicKey } from '@solana/web3.js'
import type { PoolDetail } from '../schemas/pools.js'
import type { Ticker } from '../schemas/ticker.js'
import { readCommandLine, refuse } from './command-line.js'
import { amount, fraction, price, text } from './verify/decimal.js'
import { ask, nodeAt } from './verify/node.js'

const USAGE = 'npm run verify -- --pool ADDRESS [--url http://127.0.0.1:3000] [--rpc https://api.mainnet-beta.solana.com]'
const option = { type: 'string' } as const
const { values: { url = 'http://127.0.0.1:3000', rpc = 'https://api.mainnet-beta.solana.com', pool = '' } } = readCommandLine(USAGE, { url: option, rpc: option, pool: option })
if (!/^[1-9A-HJ-NP-Za-km-z]{32,44}$/.test(pool) || ![url, rpc].every(place => URL.canParse(place))) refuse(USAGE)
const node = nodeAt(rpc)
const served = await ask<PoolDetail>(`${url}/api/pools/${pool}`)
const { taker_fee_rate: feeRate, quote_notional: notional, windows_end: end, usd_priced_by: pricedBy, volume_basis: basis } = served.provenance
const ticker = (await ask<Ticker[]>(`${url}/api/tickers`)).find(({ pool_id: id }) => id === pool)

// Now, and what the quote token is worth: the price of a pool that the settings name, or else a dollar
const { program, baseMint, quoteMint, quote, base, quoteUnit, baseUnit, quoteDecimals, baseDecimals } = await node.pool(pool)
const pricing = pricedBy === null ? undefined : await node.pool(pricedBy)
const usd = pricing === undefined ? { n: 1n, d: 1n } : { n: pricing.quote * pricing.baseUnit, d: pricing.base * pricing.quoteUnit }
const worth = pricing?.quoteMint === quoteMint ? { n: usd.d, d: usd.n } : usd

// Bid and ask: what a swap for QUOTE_NOTIONAL, at most 1 % of the pool, yields; where that is nothing, the price less or plus the fee
const [fee, asked] = [fraction(feeRate), fraction(notional)]
const kept = fee.d - fee.n
const swap = (input: bigint, from: bigint, to: bigint) => (input * kept / fee.d) * to / (from + input * kept / fee.d)
const quoteIn = [asked.n * quoteUnit / asked.d, quote / 100n].reduce((a, b) => a < b ? a : b)
const baseIn = quoteIn * base / quote
const [sold, bought] = [swap(baseIn, base, quote), swap(quoteIn, quote, base)]
const inTokens = (paid: bigint, received: bigint, round?: 'down' | 'up') => price(paid * baseUnit, received * quoteUnit, round)

// The window: the event of a swap begins with a tag; its time stands at 24, the DAO at 40, the side at 104, input and output behind it
const SPOT_SWAP = 'e445a52e51cb9a1d1dfd79ff523c94c3'
const volume = { base: 0n, quote: 0n }
for (const signature of basis === 'input' ? await node.signatures(pool, end - 86_400 - 600) : []) {   // a block's time may differ a little from its events'
  for (const event of await node.events(signature, program)) {
    if (event.toString('hex', 0, 16) !== SPOT_SWAP || !new PublicKey(event.subarray(40, 72)).equals(new PublicKey(pool))) continue
    const [at, isBuy, input, output] = [Number(event.readBigInt64LE(24)), event[104] === 0, event.readBigUInt64LE(105), event.readBigUInt64LE(113)]
    if (at <= end - 86_400 || at > end) continue
    volume.base += isBuy ? output : input
    volume.quote += isBuy ? input : output
  }
}

const rows: Array<[name: string, theirs: string | undefined, ours: string]> = [
  ['base.mint', served.base.mint, baseMint], ['quote.mint', served.quote.mint, quoteMint], ['last_price', served.last_price, inTokens(quote, base)],
  ['bid', ticker?.bid, sold > 0n ? inTokens(sold, baseIn, 'down') : inTokens(quote * kept, base * fee.d, 'down')],
  ['ask', ticker?.ask, bought > 0n ? inTokens(quoteIn, bought, 'up') : inTokens(quote * fee.d, base * kept, 'up')],
  ['liquidity_in_usd', served.liquidity_in_usd, served.priced_in_usd ? text(2n * quote * worth.n, quoteUnit * worth.d, 2) : '0.00']
]
if (basis === 'input') rows.push(['base_volume_24h', served.base_volume_24h, amount(volume.base, baseDecimals)], ['target_volume_24h', served.target_volume_24h, amount(volume.quote, quoteDecimals)])
const different = rows.filter(([, theirs, ours]) => theirs !== ours)
for (const [name, theirs, ours] of different) console.log(`${name}: served ${String(theirs)}, the node says ${ours}`)
if (different.length === 0) console.log('equal')
else process.exitCode = 1
if (basis !== 'input') console.log('not made again: volumes, which VOLUME_BASIS has counted by fees')
