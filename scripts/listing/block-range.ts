import { multiply, powerOfTen, type Rational, ratio, subtract } from '../../lib/decimal.js'
import { ADDRESS, amount, type Get, isRow, type Json, near, readJson, type Refuse, type Row, SIGNATURE, text } from './rules.js'

/** The rules of a block-range indexer: DEX Screener's adapter 1.1, and GeckoTerminal's variant of it. */

const MAX_BLOCKS = 10_000
/** Ranges of the newest blocks that are walked, and pairs and assets that are looked at. */
const RANGES = 5
const LOOKED_AT = 5
/** 10^11 seconds: a time beyond is one in milliseconds. */
const MILLISECONDS = 100_000_000_000

/** Where an event stands: block, transaction, event; its time; and the transaction's signature. */
interface Place { place: number[], time: number, transaction: Json | undefined }
interface Followed { asset0: Rational, asset1: Rational, isSpot: boolean }

export async function checkBlockRange (get: Get, form: 'dexscreener' | 'geckoterminal', refuse: Refuse): Promise<void> {
  const root = `/${form}`
  const first = await latestBlock(get, root, refuse)
  if (first === undefined) return
  const pools = new Map<string, number>()
  const followed = new Map<string, Followed>()
  const from = Math.max(0, first - RANGES * MAX_BLOCKS + 1)
  let last: Place = { place: [-1, -1, -1], time: 0, transaction: undefined }
  for (let start = from; start <= first; start += MAX_BLOCKS) {
    const end = Math.min(start + MAX_BLOCKS - 1, first)
    const path = `${root}/events?fromBlock=${start}&toBlock=${end}`
    const given = await readJson(get, path, refuse)
    if (!isRow(given) || !Array.isArray(given.events)) return refuse(`${path}: no { events: [] }`)
    for (const [at, event] of given.events.entries()) {
      const where = `${path} ${at}`
      if (!isRow(event)) return refuse(`${where}: no object`)
      last = checkPlace(event, where, [start, end], last, refuse)
      checkEvent(event, where, form, refuse)
      if (!pools.has(String(event.pairId))) pools.set(String(event.pairId), last.place[0]!)
      follow(event, where, followed, refuse)
    }
    if (given.events.length > 0 && JSON.stringify(await readJson(get, path, refuse)) !== JSON.stringify(given)) refuse(`${path}: it changes`)
  }
  // as far as one range goes: more than an hour of what is yet to come
  const beyond = await get(`${root}/events?fromBlock=${first}&toBlock=${first + MAX_BLOCKS - 1}`)
  if (beyond.status === 200) refuse('events are given beyond the latest block')
  const second = await latestBlock(get, root, refuse)
  if (second !== undefined && second < first) refuse(`latest-block went back from ${first} to ${second}`)
  for (const [pool, block] of [...pools].slice(0, LOOKED_AT)) await checkPair(get, root, { pool, block }, form, refuse)
}

async function latestBlock (get: Get, root: string, refuse: Refuse): Promise<number | undefined> {
  const path = `${root}/latest-block`
  const given = await readJson(get, path, refuse)
  if (!isRow(given) || !isRow(given.block)) return refuse(`${path}: no { block: {} }`)
  const { blockNumber, blockTimestamp } = given.block
  if (typeof blockNumber !== 'number' || !Number.isSafeInteger(blockNumber)) return refuse(`${path}: blockNumber is no number`)
  if (typeof blockTimestamp !== 'number' || blockTimestamp > MILLISECONDS || blockTimestamp < 1_500_000_000) refuse(`${path}: blockTimestamp is not in Unix seconds`)
  return blockNumber
}

function checkPlace (event: Row, where: string, [from, to]: [number, number], last: Place, refuse: Refuse): Place {
  if (!isRow(event.block)) {
    refuse(`${where}: no block`)
    return last
  }
  const place = [event.block.blockNumber, event.txnIndex, event.eventIndex].map(value => typeof value === 'number' && Number.isSafeInteger(value) ? value : NaN)
  if (place.some(Number.isNaN)) refuse(`${where}: blockNumber, txnIndex and eventIndex are not all whole numbers`)
  if (place[0]! < from || place[0]! > to) refuse(`${where}: of a block outside of the range`)
  const differs = place.findIndex((value, at) => value !== last.place[at])
  if (differs === -1) refuse(`${where}: at the place of the event before it`)
  else if (place[differs]! < last.place[differs]!) refuse(`${where}: out of order`)
  const time = Number(event.block.blockTimestamp)
  if (!Number.isSafeInteger(time) || time > MILLISECONDS) refuse(`${where}: blockTimestamp is not in Unix seconds`)
  if (time < last.time) refuse(`${where}: blockTimestamp goes back`)
  if (place[0] === last.place[0] && time !== last.time) refuse(`${where}: another blockTimestamp of the same block`)
  const isSame = place[0] === last.place[0] && place[1] === last.place[1]
  if (isSame !== (event.txnId === last.transaction)) refuse(`${where}: ${isSame ? 'another txnId at the same txnIndex' : 'another txnIndex of the same txnId'}`)
  return { place, time, transaction: event.txnId }
}

const LEGS = [['asset0In', 'asset1Out'], ['asset1In', 'asset0Out']] as const

function checkEvent (event: Row, where: string, form: string, refuse: Refuse): void {
  text(event, 'txnId', where, refuse, SIGNATURE)
  text(event, 'maker', where, refuse, ADDRESS)
  text(event, 'pairId', where, refuse, ADDRESS)
  if (event.maker === event.pairId) refuse(`${where}: the maker is the pool`)
  const positive = { isPositive: true }
  if (isRow(event.reserves)) {
    for (const asset of ['asset0', 'asset1']) amount(event.reserves, asset, `${where} reserves`, refuse, event.eventType === 'exit' ? {} : positive)
  } else if (form === 'geckoterminal' || event.reserves !== undefined) refuse(`${where}: no reserves`)
  if (event.eventType === 'swap') {
    const given = LEGS.flat().filter(leg => event[leg] !== undefined)
    const legs = LEGS.find(pair => pair.every(leg => given.includes(leg)))
    if (legs === undefined || given.length !== 2) return refuse(`${where}: a swap of ${given.join(', ') || 'nothing'}`)
    const [paid, received] = [amount(event, legs[0], where, refuse, positive), amount(event, legs[1], where, refuse, positive)]
    const price = amount(event, 'priceNative', where, refuse, positive)
    if (paid === undefined || received === undefined || price === undefined || received.n === 0n || paid.n === 0n) return
    const [asset0, asset1] = legs[0] === 'asset0In' ? [paid, received] : [received, paid]
    if (!near(multiply(price, asset0), asset1, 10_000_000n)) refuse(`${where}: priceNative is not asset1 per asset0`)
  } else if (event.eventType === 'join' || event.eventType === 'exit') {
    const amounts = ['amount0', 'amount1'].map(side => amount(event, side, where, refuse))
    if (amounts.every(one => one?.n === 0n)) refuse(`${where}: a ${event.eventType} of nothing`)
  } else refuse(`${where}: eventType ${JSON.stringify(event.eventType)}`)
}

const part = (row: Row, key: string): Rational => row[key] === undefined ? ratio(0n) : amount(row, key, '', () => undefined) ?? ratio(0n)
const sum = (...parts: Rational[]): Rational => parts.reduce((total, one) => ({ n: total.n * one.d + one.n * total.d, d: total.d * one.d }))
const minus = ({ n, d }: Rational): Rational => ({ n: -n, d })

/** Reserves follow from the events, while no proposal is live: the program's own arbitrage then moves more than they tell. */
function follow (event: Row, where: string, pools: Map<string, Followed>, refuse: Refuse): void {
  const { reserves, metadata } = event
  if (!isRow(reserves)) return
  const after = { asset0: part(reserves, 'asset0'), asset1: part(reserves, 'asset1') }
  const pool = String(event.pairId)
  const before = pools.get(pool)
  const cause = isRow(metadata) ? metadata.cause : undefined
  const fee = isRow(metadata) ? part(metadata, 'protocolFee') : ratio(0n)
  const sign = event.eventType === 'exit' ? minus : (value: Rational) => value
  const moved = event.eventType === 'swap'
    ? {
        asset0: sum(part(event, 'asset0In'), minus(part(event, 'asset0Out')), event.asset0In === undefined ? ratio(0n) : minus(fee)),
        asset1: sum(part(event, 'asset1In'), minus(part(event, 'asset1Out')), event.asset1In === undefined ? ratio(0n) : minus(fee))
      }
    : { asset0: sign(part(event, 'amount0')), asset1: sign(part(event, 'amount1')) }
  // Between its launch and its end a proposal may be live; liquidity comes and goes only while none is
  const isSpot = cause === 'proposal-ended' || cause === 'provide' || cause === 'withdraw' || (cause !== 'proposal-launched' && before?.isSpot === true)
  if (before?.isSpot === true) {
    for (const asset of ['asset0', 'asset1'] as const) {
      const expected = sum(before[asset], moved[asset])
      const scale = expected.n > 0n ? expected : ratio(1n, powerOfTen(6).n)
      // swaps that give nothing move a few units, and are in no event
      if (!near(after[asset], scale, 1_000_000n)) refuse(`${where}: the reserves of ${asset} do not follow from the events, off by ${subtractText(after[asset], expected)}`)
    }
  }
  pools.set(pool, { ...after, isSpot })
}

const subtractText = (a: Rational, b: Rational): string => {
  const { n, d } = subtract(a, b)
  return String(Number(n) / Number(d))
}

/** `block`: the first of an event of the pool. */
async function checkPair (get: Get, root: string, { pool, block }: { pool: string, block: number }, form: string, refuse: Refuse): Promise<void> {
  const path = `${root}/pair?id=${pool}`
  const given = await readJson(get, path, refuse)
  if (!isRow(given) || !isRow(given.pair)) return refuse(`${path}: no { pair: {} }`)
  const { pair } = given
  if (pair.id !== pool) refuse(`${path}: another id`)
  text(pair, 'dexKey', path, refuse)
  const { createdAtBlockNumber: number, createdAtBlockTimestamp: time } = pair
  if (number !== undefined && (typeof number !== 'number' || !Number.isSafeInteger(number) || number > block)) refuse(`${path}: createdAtBlockNumber ${JSON.stringify(number)}, and the pool has an event of ${block}`)
  if (time !== undefined && (typeof time !== 'number' || !Number.isSafeInteger(time) || time > MILLISECONDS)) refuse(`${path}: createdAtBlockTimestamp is not in Unix seconds`)
  if (pair.createdAtTxnId !== undefined) text(pair, 'createdAtTxnId', path, refuse, SIGNATURE)
  if (pair.creator !== undefined) text(pair, 'creator', path, refuse, ADDRESS)
  if (pair.asset0Id === pair.asset1Id) refuse(`${path}: both assets are the same`)
  if (pair.feeBps !== undefined) refuse(`${path}: feeBps, which may change`)
  for (const key of ['asset0Id', 'asset1Id']) {
    const mint = text(pair, key, path, refuse, ADDRESS)
    const way = `${root}/asset?id=${mint}`
    const found = await readJson(get, way, refuse)
    if (!isRow(found) || !isRow(found.asset)) return refuse(`${way}: no { asset: {} }`)
    const { asset } = found
    if (asset.id !== mint) refuse(`${way}: another id`)
    for (const name of ['name', 'symbol']) text(asset, name, way, refuse)
    for (const supply of ['totalSupply', 'circulatingSupply']) amount(asset, supply, way, refuse, form === 'geckoterminal' ? { form: 'text' } : {})
    if (form === 'geckoterminal' && (typeof asset.decimals !== 'number' || !Number.isInteger(asset.decimals))) refuse(`${way}: no decimals`)
  }
}
