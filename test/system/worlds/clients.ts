/**
 * The clients of a world: one who looks at everything, one who follows the blocks; two in three hold what they were
 * told and ask whether it stands.
 */
import type { LightMyRequestResponse } from 'fastify'
import { compare, parseDecimal, ratio, toFixed } from '../../../lib/decimal.js'
import {
  checkAge, checkAggregate, checkCalm, checkDaos, checkDisk, checkListed, checkOldest, checkRead, checkReady,
  checkServed, checkTickers
} from './checks.js'
import { fail, type Held, time, type World } from './scene.js'
import { type Shown, shownBy } from './shown.js'
import { plain, significant } from './truth.js'

/** An answer takes ten seconds at most; a request that comes late on a busy tick may be measured longer. */
export const DEADLINE_MS = 10_500
/** Slots of one block range. */
const RANGE_SLOTS = 20_000
/** Timers and requests that may wait at once. */
const MOST_TIMERS = 400
const MOST_REQUESTS = 120
/** So far back a price is asked for, s. */
const PAST = 100

/** An answer as its client has it: status and body, what its headers say, and how old it may be by them. */
export interface Answer { status: number, body: any, problems: string, headers: Record<string, unknown>, shown: Shown }

/** How old an answer may be by its headers. */
export const shownOf = (headers: Record<string, unknown>): Shown => shownBy(headers.age, headers['cache-control'])

/** Asks, and checks what holds for every answer. */
export async function get (world: World, path: string): Promise<Answer> {
  const [answer] = await getAll(world, [path])
  return answer!
}

/** Asks for several at one moment. */
export async function getAll (world: World, paths: readonly string[]): Promise<Answer[]> {
  const { app, plan, held, outcome } = world
  const asked = time.now()
  const known = paths.map(path => plan.seed % 3 === 0 ? undefined : held.get(path))
  const responses = await time.until(Promise.all(paths.map(async (path, at) => {
    const response = await app!.inject({
      url: path, remoteAddress: '127.0.0.1', headers: known[at] === undefined ? {} : { 'if-none-match': known[at].etag }
    })
    if (time.now() - asked > DEADLINE_MS) {
      fail('deadline', `${path} within ${DEADLINE_MS} ms`, `after ${time.now() - asked} ms`)
    }
    return response
  })), DEADLINE_MS + 1000)
  const answers = responses.map((response, at) => answerOf({ held, outcome }, paths[at]!, response, known[at]))
  for (const [at, answer] of answers.entries()) {
    checkAge(world, answer)
    checkOldest(world, paths[at]!, answer)
  }
  return answers
}

function answerOf (
  { held, outcome }: Pick<World, 'held' | 'outcome'>, path: string, response: LightMyRequestResponse,
  known: Held | undefined
): Answer {
  const isFigure = path.startsWith('/api/')
  if (isFigure) outcome.answers++
  const { etag } = response.headers
  const isSame = response.statusCode === 304
  if (isSame && etag !== known?.etag) fail('entity tag', `304 for ${etag} alone`, `304 for ${known?.etag}`)
  if (response.statusCode === 200 && known !== undefined && etag === known.etag) {
    fail('entity tag', `304 for ${etag} of ${path}`, '200')
  }
  if (isFigure && (isSame || response.statusCode === 200)) outcome.served++
  // Who is told that it is the same has the body and what its headers said, with the new age
  const body = isSame ? known!.body : response.json() as any
  const headers = isSame ? { ...known!.headers, ...response.headers } : response.headers
  if (isFigure && response.statusCode === 200 && typeof etag === 'string') held.set(path, { etag, body, headers })
  return {
    status: isSame ? 200 : response.statusCode,
    body,
    problems: String(body.problems ?? body.error ?? body),
    headers,
    shown: shownOf(response.headers)
  }
}

/** A look at everything, in which every answer is checked. */
export async function look (world: World): Promise<void> {
  const { hasNoRoom } = world.disk
  const [tickers, ready] = await getAll(world, ['/api/tickers', '/ready']) as [Answer, Answer]
  if (tickers.status === 200) checkTickers(world, tickers)
  else if (![500, 502, 503].includes(tickers.status)) fail('status', '200, 500, 502 or 503', String(tickers.status))
  checkServed(world, '/api/tickers', tickers)
  checkReady(ready, tickers)
  // what a write has changed since `/ready` answered is held by the next look
  if (world.disk.hasNoRoom === hasNoRoom) await checkDisk(world, ready)
  const daos = await get(world, '/api/daos')
  if (daos.status === 200) checkDaos(world, daos)
  checkServed(world, '/api/daos', daos)
  checkListed(world, daos)
  checkCalm(world, daos)
  const aggregate = await get(world, '/api/volume/aggregate')
  if (aggregate.status === 200) checkAggregate(world, aggregate)
  checkServed(world, '/api/volume/aggregate', aggregate)
  await checkRead(world)
  await lookAtSupply(world)
  if (world.plan.seed % 2 === 0) await followBlocks(world)
  else await askPrices(world)
  if ((await get(world, '/health')).status !== 200) fail('health', '200', 'another status')
  checkBounds(world)
}

/** Nothing piles up. */
export function checkBounds ({ network }: World): void {
  if (time.waiting() > MOST_TIMERS) fail('timers', `at most ${MOST_TIMERS}`, String(time.waiting()))
  if (network.open() > MOST_REQUESTS) fail('requests on their way', `at most ${MOST_REQUESTS}`, String(network.open()))
}

/** The total of a mint never changes here. */
async function lookAtSupply (world: World): Promise<void> {
  const { ledger, random } = world
  const { base } = ledger.daos[random.int(ledger.daos.length)]!
  const { status, body } = await get(world, `/api/supply/${base.address}`)
  const expected = toFixed(ratio(base.supply, 10n ** BigInt(base.decimals)), base.decimals)
  if (status === 200 && compare(
    parseDecimal(body.result)!, parseDecimal(expected)!
  ) !== 0) fail(`supply of ${base.address}`, expected, body.result)
}

/**
 * One who asks for the price of a token, now and before, and for what its DAO owns: prices are those of a state that
 * may be shown, and of the last trade by then.
 */
async function askPrices (world: World): Promise<void> {
  const { ledger, truth } = world
  const [slot, now] = [truth.finalAt(time.now()), time.now()]
  const { base, quote, address } = ledger.daos[Math.abs(slot) % ledger.daos.length]!
  const at = ledger.timeOf(slot) - PAST
  const [present, past, owned] = await getAll(world, [
    `/api/prices?mints=${base.address}`, `/api/prices?mints=${base.address}&at=${at}`, `/api/daos/${address}/treasury`
  ]) as [Answer, Answer, Answer]
  const isState = (dao: string, price: string, { shown }: Answer): boolean =>
    truth.statesBetween(dao, now - shown.prices, time.now()).some(state => state.price === price)
  const told = present.status === 200 ? present.body.prices[base.address] : null
  if (told !== null && !isState(told.pool_id, told.price, present)) {
    fail(`price of ${base.address}`, `a state of ${told.pool_id}`, told.price)
  }
  if (past.status === 200 && past.headers['x-history-complete'] === 'true') {
    const before = past.body.prices[base.address]
    const pool = before === null ? address : before.pool_id
    const last = ledger.swaps.findLast(({ dao, time, input, output }) =>
      dao === pool && time <= at && input > 0n && output > 0n)
    const [quotes, bases] = last?.side === 'buy' ? [last.input, last.output] : [last?.output, last?.input]
    const expected = last === undefined
      ? null
      : significant(ratio(quotes! * 10n ** BigInt(base.decimals), bases! * 10n ** BigInt(quote.decimals)))
    // without one the deepest pool has none, or no pool of it is listed
    if (before !== null && (before.price !== expected || before.timestamp !== last!.time)) {
      fail(`price of ${base.address} at ${at}`, String(expected), `${before.price} of ${before.timestamp}`)
    }
  }
  if (owned.status === 200 && owned.body.price_usd !== null && !isState(address, owned.body.price_usd, owned)) {
    fail(`price_usd of the treasury of ${address}`, 'a state of its pool', owned.body.price_usd)
  }
}

/** The swaps of a range of slots, as they are told: each once. */
function swapsOf ({ ledger }: World, from: number, to: number): string[] {
  return ledger.swaps.filter(({ slot, output }) => slot >= from && slot <= to && output > 0n).map(swap => {
    const { base, quote } = ledger.daos.find(({ address }) => address === swap.dao)!
    const [bases, quotes] = swap.side === 'buy' ? [swap.output, swap.input] : [swap.input, swap.output]
    return `${swap.dao} ${swap.signature} ${plain(bases, base.decimals)} ${plain(quotes, quote.decimals)}`
  }).sort()
}

/**
 * One who follows the blocks: each range is asked for once, holds every swap of it, and ends at a block that is final.
 */
async function followBlocks (world: World): Promise<void> {
  const { ledger, truth } = world
  const { status, body } = await get(world, '/dexscreener/latest-block')
  if (status !== 200) return
  const { blockNumber: newest, blockTimestamp } = body.block
  if (newest < world.toldBlock) fail('latest block', `${world.toldBlock} or more`, newest)
  const final = truth.finalAt(time.now())
  if (newest > final) fail('latest block', `a final one, ${final} at most`, newest)
  if (blockTimestamp !== ledger.timeOf(newest)) {
    fail('time of the latest block', `${newest} at ${ledger.timeOf(newest)}`, blockTimestamp)
  }
  world.toldBlock = newest
  const from = Math.max(world.nextBlock, newest + 1 - RANGE_SLOTS)
  if (newest < from) return
  const range = await get(world, `/dexscreener/events?fromBlock=${from}&toBlock=${newest}`)
  if (range.status !== 200) return
  world.nextBlock = newest + 1
  if (world.isLost) return
  const told = range.body.events.filter((event: any) => event.eventType === 'swap').map((
    { pairId, txnId, asset0In, asset0Out, asset1In, asset1Out }: any
  ) => `${pairId} ${txnId} ${asset0In ?? asset0Out} ${asset1In ?? asset1Out}`).sort()
  const real = swapsOf(world, from, newest)
  const lacking = real.find(line => !told.includes(line))
  if (lacking !== undefined) fail(`range ${from} to ${newest}`, lacking, 'without it')
  const beyond = told.find((line: string) => !real.includes(line))
  if (beyond !== undefined) fail(`range ${from} to ${newest}`, 'without it', beyond)
}
