import { isDeepStrictEqual } from 'node:util'
import { multiply } from '../../lib/decimal.js'
import type { Checking } from './check.js'
import { checkFollows, checkMembers } from './follow.js'
import { checkKnown } from './reader.js'
import {
  ADDRESS, compareFields, fields, isRow, type Json, listOf, near, type Refuse, type Row, rowOf, shown, SIGNATURE, SOME,
  tokenTexts
} from './rules.js'
import { compareSupply } from './supply.js'

const MAX_BLOCKS = 20_000
/** Ranges of the newest blocks that are walked. */
const RANGES = 5
/** A latest block may be as far behind: finality, and a first question that wakes what follows it, s. */
const MAX_BEHIND = 300
/** 10^11 seconds: a time beyond is one in milliseconds. */
const MILLISECONDS = 100_000_000_000

/** Of an event: block, transaction and event; time; the transaction's signature. */
interface Place { place: number[], time: number, transaction: Json | undefined }

type DexForm = 'dexscreener' | 'geckoterminal'
const OTHER = { dexscreener: 'geckoterminal', geckoterminal: 'dexscreener' } as const

/** The rules of a block-range indexer: DEX Screener's adapter 1.1, and GeckoTerminal's variant of it. */
export async function checkBlockRange (checking: Checking, form: DexForm): Promise<void> {
  const { reader, market, refuse, compared } = checking
  const root = `/${form}`
  const first = await latestBlock(checking, root)
  if (first === undefined) return
  await compareLatest(checking, form, first)
  const from = Math.max(0, first.number - RANGES * MAX_BLOCKS + 1)
  const events: Row[] = []
  let last: Place = { place: [-1, -1, -1], time: 0, transaction: undefined }
  for (let start = from; start <= first.number; start += MAX_BLOCKS) {
    const end = Math.min(start + MAX_BLOCKS - 1, first.number)
    const range = `events?fromBlock=${start}&toBlock=${end}`
    const path = `${root}/${range}`
    const given = await reader.row(path)
    if (!Array.isArray(given?.events)) return refuse(`${path}: no { events: [] }`)
    for (const [at, event] of given.events.entries()) {
      const where = `${path} ${at}`
      if (!isRow(event)) return refuse(`${where}: no object`)
      last = checkPlace(event, where, [start, end], last, refuse)
      checkEvent(event, where, form, refuse)
      events.push(event)
    }
    if (given.events.length > 0 && !isDeepStrictEqual(await reader.json(path), given)) {
      refuse(`${path}: it changes`)
    }
    const other = await reader.row(`/${OTHER[form]}/${range}`)
    if (other !== undefined) compareRanges(path, given.events, listOf(other.events), OTHER[form], refuse)
  }
  if (last.time > first.time) refuse(`${root}/latest-block: of ${first.time}, and there is an event of ${last.time}`)
  const pools = await market.pools()
  checkFollows(events, pools, refuse)
  for (const pool of await market.lookedAt()) await checkMembers(checking, root, pool, events, [from, first.number])
  // as far as one range goes: more than an hour of what is yet to come
  const beyond = await reader.raw(`${root}/events?fromBlock=${first.number}&toBlock=${first.number + MAX_BLOCKS - 1}`)
  if (beyond.status === 200) refuse(`${root}: events are given beyond the latest block`)
  const second = await latestBlock(checking, root)
  if (second !== undefined && second.number < first.number) {
    refuse(`${root}: latest-block went back from ${first.number} to ${second.number}`)
  }
  const looked = new Set([...events.map(({ pairId }) => String(pairId)), ...pools.map(({ id }) => id)])
  const asked = [...looked].slice(0, checking.pools)
  for (const pool of asked) {
    const { blockNumber = Infinity } = rowOf(events.find(({ pairId }) => pairId === pool)?.block)
    await checkPair(checking, form, pool, Number(blockNumber))
  }
  await checkKnown(reader, `${root}/pair?id=${asked[0]}`, refuse)
  compared(
    `${events.length} events of blocks ${from} to ${first.number}: reserves from one to the next, with ` +
      `/${OTHER[form]} and with the trades of ${(await market.lookedAt()).length} pools`
  )
  compared(`${asked.length} pairs and their assets with /api/pools, /api/supply and /${OTHER[form]}`)
}

interface Latest { number: number, time: number }

async function latestBlock ({ reader, refuse, now }: Checking, root: string): Promise<Latest | undefined> {
  const path = `${root}/latest-block`
  const block = await reader.row(path, 'block')
  if (block === undefined) return undefined
  const { blockNumber, blockTimestamp } = block
  if (typeof blockNumber !== 'number' || !Number.isSafeInteger(blockNumber)) {
    return refuse(`${path}: blockNumber is no number`)
  }
  if (typeof blockTimestamp !== 'number' || blockTimestamp > MILLISECONDS || blockTimestamp < 1_500_000_000) {
    refuse(`${path}: blockTimestamp is not in Unix seconds`)
    return { number: blockNumber, time: Infinity }
  }
  const behind = Math.floor(now / 1000) - blockTimestamp
  if (behind > MAX_BEHIND || behind < -MAX_BEHIND) refuse(`${path}: ${behind} s behind the clock`)
  return { number: blockNumber, time: blockTimestamp }
}

/** Both forms are of one chain: the same block has the same time, a later one no earlier. */
async function compareLatest ({ reader, refuse }: Checking, form: DexForm, { number, time }: Latest): Promise<void> {
  const block = await reader.row(`/${OTHER[form]}/latest-block`, 'block')
  if (block === undefined) return
  const [blocks, seconds] = [Number(block.blockNumber) - number, Number(block.blockTimestamp) - time]
  // asked afterwards; blocks take 200 ms at least, and their times differ by a second from what they take
  if (blocks < 0 || (blocks === 0 && seconds !== 0) || seconds < Math.floor(blocks * 0.15) - 1 ||
    seconds > blocks * 10) {
    refuse(`/${form}/latest-block: ${number} at ${time}, /${OTHER[form]} has ${blocks} blocks and ${seconds} s more`)
  }
}

/** The same events in both forms; one of them has none without reserves. */
function compareRanges (path: string, given: Json[], others: Json[], other: string, refuse: Refuse): void {
  const [here, there] = [given, others].map(
    list => listOf(list).filter(event => event.reserves !== undefined)
  ) as [Row[], Row[]]
  if (here.length !== there.length) {
    refuse(`${path}: ${here.length} events with reserves, /${other} has ${there.length}`)
  }
  for (const [at, event] of here.entries()) {
    if (there[at] !== undefined && !isDeepStrictEqual(event, there[at])) {
      refuse(`${path} ${at}: /${other} has ${shown(there[at])}`)
    }
  }
}

function checkPlace (event: Row, where: string, [from, to]: [number, number], last: Place, refuse: Refuse): Place {
  if (!isRow(event.block)) {
    refuse(`${where}: no block`)
    return last
  }
  const place = [event.block.blockNumber, event.txnIndex, event.eventIndex].map(
    value => typeof value === 'number' && Number.isSafeInteger(value) ? value : NaN
  )
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
  if (isSame !== (event.txnId === last.transaction)) {
    refuse(`${where}: ${isSame ? 'another txnId at the same txnIndex' : 'another txnIndex of the same txnId'}`)
  }
  return { place, time, transaction: event.txnId }
}

/** What a swap moves of asset0, and of asset1. */
const LEGS = [['asset0In', 'asset1Out'], ['asset0Out', 'asset1In']] as const

function checkEvent (event: Row, where: string, form: string, refuse: Refuse): void {
  fields(event, where, refuse, { txnId: SIGNATURE, maker: ADDRESS, pairId: ADDRESS })
  if (event.maker === event.pairId) refuse(`${where}: the maker is the pool`)
  const positive = { isPositive: true }
  if (isRow(event.reserves)) {
    const reserve = { isPositive: event.eventType !== 'exit' }
    fields(event.reserves, `${where} reserves`, refuse, { asset0: reserve, asset1: reserve })
  } else if (form === 'geckoterminal' || event.reserves !== undefined) refuse(`${where}: no reserves`)
  if (event.eventType === 'swap') {
    const given = LEGS.flat().filter(leg => event[leg] !== undefined)
    const legs = LEGS.find(pair => pair.every(leg => given.includes(leg)))
    if (legs === undefined || given.length !== 2) return refuse(`${where}: a swap of ${given.join(', ') || 'nothing'}`)
    const { [legs[0]]: asset0, [legs[1]]: asset1, priceNative: price } =
      fields(event, where, refuse, { [legs[0]]: positive, [legs[1]]: positive, priceNative: positive })
    if (price !== undefined && asset0 !== undefined && asset1 !== undefined && asset1.n > 0n &&
      !near(multiply(price, asset0), asset1, 10_000_000n)) {
      refuse(`${where}: priceNative is not asset1 per asset0`)
    }
  } else if (event.eventType === 'join' || event.eventType === 'exit') {
    const { amount0, amount1 } = fields(event, where, refuse, { amount0: {}, amount1: {} })
    if (amount0?.n === 0n && amount1?.n === 0n) refuse(`${where}: a ${event.eventType} of nothing`)
  } else refuse(`${where}: eventType ${shown(event.eventType)}`)
}

/** `block`: the first of an event of the pool. */
async function checkPair (checking: Checking, form: DexForm, pool: string, block: number): Promise<void> {
  const { reader, market, refuse } = checking
  const path = `/${form}/pair?id=${pool}`
  const pair = await reader.row(path, 'pair')
  if (pair === undefined) return
  if (pair.id !== pool) refuse(`${path}: another id`)
  if (pair.dexKey !== 'futarchy') refuse(`${path}: dexKey ${shown(pair.dexKey)}`)
  const { createdAtBlockNumber: number, createdAtBlockTimestamp: time } = pair
  if (number !== undefined && (typeof number !== 'number' || !Number.isSafeInteger(number) || number > block)) {
    refuse(`${path}: createdAtBlockNumber ${shown(number)}, and the pool has an event of ${block}`)
  }
  if (time !== undefined && (typeof time !== 'number' || !Number.isSafeInteger(time) || time > MILLISECONDS)) {
    refuse(`${path}: createdAtBlockTimestamp is not in Unix seconds`)
  }
  const { asset0Id, asset1Id } = fields(pair, path, refuse, {
    asset0Id: ADDRESS,
    asset1Id: ADDRESS,
    ...pair.createdAtTxnId !== undefined && { createdAtTxnId: SIGNATURE },
    ...pair.creator !== undefined && { creator: ADDRESS }
  })
  if (asset0Id === asset1Id) refuse(`${path}: both assets are the same`)
  if (pair.feeBps !== undefined) refuse(`${path}: feeBps, which may change`)
  const own = (await market.pools()).find(({ id }) => id === pool)
  if (own !== undefined) {
    const { created_at: createdAt } = own.pool
    compareFields(path, pair, '/api/pools', {
      asset0Id: own.base.mint,
      asset1Id: own.quote.mint,
      ...typeof createdAt === 'string' && { createdAtBlockTimestamp: Date.parse(createdAt) / 1000 }
    }, refuse)
  }
  const other = await reader.row(`/${OTHER[form]}/pair?id=${pool}`, 'pair')
  if (other !== undefined) {
    compareFields(path, pair, `/${OTHER[form]}`, other, refuse, Object.keys({ ...pair, ...other }))
  }
  for (const mint of [asset0Id, asset1Id]) await checkAsset(checking, form, mint)
}

async function checkAsset (checking: Checking, form: string, mint: string): Promise<void> {
  const { reader, market, refuse, doubt } = checking
  const path = `/${form}/asset?id=${mint}`
  const asset = await reader.row(path, 'asset')
  if (asset === undefined) return
  if (asset.id !== mint) refuse(`${path}: another id`)
  const supply = form === 'geckoterminal' ? { form: 'text' } as const : {}
  fields(asset, path, refuse, { name: SOME, symbol: SOME, totalSupply: supply, circulatingSupply: supply })
  if (form === 'geckoterminal' && (typeof asset.decimals !== 'number' || !Number.isInteger(asset.decimals))) {
    refuse(`${path}: no decimals`)
  }
  await compareSupply(checking, mint, path, asset)
  const [token] = await market.tokens(mint)
  if (token === undefined) return
  compareFields(path, asset, '/api/pools', tokenTexts(token), doubt)
  if (asset.decimals !== undefined && asset.decimals !== token.decimals) {
    refuse(`${path}: decimals ${shown(asset.decimals)}, /api/pools has ${shown(token.decimals)}`)
  }
}
