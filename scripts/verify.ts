/** Makes a pool's figures again with a JSON-RPC node alone: `npm run verify -- --url http://… --rpc https://… --pool ADDRESS`. */
import { PublicKey } from '@solana/web3.js'
import bs58 from 'bs58'
import { messageOf } from '../lib/errors.js'
import { readCommandLine, refuse } from './command-line.js'

const USAGE = 'npm run verify -- --pool ADDRESS [--url http://127.0.0.1:3000] [--rpc https://api.mainnet-beta.solana.com]'
const { values: { url = 'http://127.0.0.1:3000', rpc = 'https://api.mainnet-beta.solana.com', pool = '' } } =
  readCommandLine(USAGE, { url: { type: 'string' }, rpc: { type: 'string' }, pool: { type: 'string' } })
if (!/^[1-9A-HJ-NP-Za-km-z]{32,44}$/.test(pool) || ![url, rpc].every(place => URL.canParse(place))) refuse(USAGE)
const DAY = 86_400
const TAG = 'e445a52e51cb9a1d1dfd79ff523c94c3' // a self-call that emits an event, and SpotSwap

async function ask<T> (where: string, body?: object): Promise<T> {
  const answer = await fetch(where, body && { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) })
    .catch((error: Error) => refuse(`${new URL(where).origin} can't be asked: ${messageOf(error.cause ?? error)}`))
  if (!answer.ok) return refuse(`${new URL(where).host}: ${answer.status} ${await answer.text()}`)
  return await answer.json() as T
}
async function call<T> (method: string, ...params: unknown[]): Promise<T> {
  const { result, error } = await ask<{ result: T, error?: { message: string } }>(rpc, { jsonrpc: '2.0', id: 1, method, params })
  if (error !== undefined) return refuse(`${method}: ${error.message}`)
  return result
}
const account = async (address: string) => (await call<{ value: { data: [string], owner: string } }>('getAccountInfo', address, { encoding: 'base64', commitment: 'confirmed' })).value
/** n ÷ d with 12 significant digits and at least 12 places. */
function text (n: bigint, d: bigint, round: 'down' | 'nearest' | 'up' = 'nearest', least = 12): string {
  let places = least
  if (least === 12) for (let scaled = n * 10n; scaled < d; scaled *= 10n) places++
  const [up, over] = [n * 10n ** BigInt(places), { down: 0n, nearest: d / 2n, up: d - 1n }[round]]
  const digits = ((up + over) / d).toString().padStart(places + 1, '0')
  return `${digits.slice(0, -places)}.${digits.slice(-places)}`
}
const parse = (decimal: string) => { const [a = '', b = ''] = decimal.split('.'); return { n: BigInt(a + b), d: 10n ** BigInt(b.length) } }

interface Served { liquidity_in_usd: string, priced_in_usd: boolean, base_volume_24h: string, target_volume_24h: string, last_price: string, provenance: { base_reserves: string, quote_reserves: string, windows_end: number, taker_fee_rate: string, quote_notional: string, accounts: { base_mint: string, quote_mint: string } } }
const served = await ask<Served>(`${url}/api/pools/${pool}`)
const ticker = (await ask<Array<{ pool_id: string, bid: string, ask: string }>>(`${url}/api/tickers`)).find(({ pool_id: id }) => id === pool)
const { provenance } = served
const dao = await account(pool)
const [q, b] = [109, 117].map(at => Buffer.from(dao.data[0], 'base64').readBigUInt64LE(at)) as [bigint, bigint]
const decimals = async (mint: string) => BigInt(Buffer.from((await account(mint)).data[0], 'base64')[44]!)
const [baseDecimals, quoteDecimals] = [await decimals(provenance.accounts.base_mint), await decimals(provenance.accounts.quote_mint)]
const [bScale, qScale, fee, notional] = [10n ** baseDecimals, 10n ** quoteDecimals, parse(provenance.taker_fee_rate), parse(provenance.quote_notional)]
const swap = (input: bigint, from: bigint, to: bigint) => { const net = input * (fee.d - fee.n) / fee.d; return net * to / (from + net) }
const quoteIn = [notional.n * qScale / notional.d, q / 100n].reduce((a, c) => a < c ? a : c)
const baseIn = quoteIn * b / q
const sums = { base: 0n, quote: 0n }
const authority = PublicKey.findProgramAddressSync([Buffer.from('__event_authority')], new PublicKey(dao.owner))[0].toBase58()
interface Transaction { transaction: { message: { accountKeys: string[] } }, meta: { innerInstructions: Array<{ instructions: Array<{ programIdIndex: number, accounts: number[], data: string }> }>, loadedAddresses?: { writable: string[], readonly: string[] } } }
for (let before: string | undefined, more = true; more;) {
  const page = await call<Array<{ signature: string, err: unknown, blockTime: number | null }>>('getSignaturesForAddress', pool, { limit: 1000, commitment: 'finalized', ...(before && { before }) })
  for (const { signature, err, blockTime } of page) {
    more = blockTime === null || blockTime > provenance.windows_end - DAY - 600
    if (!more) break
    if (err !== null) continue
    const { transaction, meta } = await call<Transaction>('getTransaction', signature, { encoding: 'json', commitment: 'finalized', maxSupportedTransactionVersion: 1 })
    const keys = [...transaction.message.accountKeys, ...meta.loadedAddresses?.writable ?? [], ...meta.loadedAddresses?.readonly ?? []]
    for (const { programIdIndex, accounts, data } of meta.innerInstructions.flatMap(({ instructions }) => instructions)) {
      if (keys[programIdIndex] !== dao.owner || accounts.length !== 1 || keys[accounts[0]!] !== authority) continue
      const event = Buffer.from(bs58.decode(data))
      const at = event.length > 121 && event.toString('hex', 0, 16) === TAG && bs58.encode(event.subarray(40, 72)) === pool ? Number(event.readBigInt64LE(24)) : -1
      if (at <= provenance.windows_end - DAY || at > provenance.windows_end) continue
      const [isBuy, input, output] = [event[104] === 0, event.readBigUInt64LE(105), event.readBigUInt64LE(113)]
      sums.base += isBuy ? output : input
      sums.quote += isBuy ? input : output
    }
  }
  before = page.at(-1)?.signature
  more &&= page.length > 0
}
const units = (raw: bigint, places: bigint) => text(raw, 10n ** places, 'down', Number(places)).replace(/\.?0+$/, '')
const rows: Array<[string, string | undefined, string]> = [
  ['last_price', served.last_price, text(q * bScale, b * qScale)],
  ['bid', ticker?.bid, text(swap(baseIn, b, q) * bScale, baseIn * qScale, 'down')],
  ['ask', ticker?.ask, text(quoteIn * bScale, swap(quoteIn, q, b) * qScale, 'up')],
  ['liquidity_in_usd', served.liquidity_in_usd, served.priced_in_usd ? text(2n * q, qScale, 'nearest', 2) : '0.00'],
  ['base_volume_24h', served.base_volume_24h, units(sums.base, baseDecimals)],
  ['target_volume_24h', served.target_volume_24h, units(sums.quote, quoteDecimals)]
]
const different = rows.filter(([, theirs, ours]) => theirs !== ours)
for (const [name, theirs, ours] of different) console.log(`${name}: served ${String(theirs)}, the node says ${ours}`)
if (different.length === 0) console.log('equal')
else process.exitCode = 1
