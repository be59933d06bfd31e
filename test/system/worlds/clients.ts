/** The clients of a world: one who looks at everything, one who follows the blocks; two in three hold what they were told and ask whether it stands. */
import { compare, parseDecimal, ratio, toFixed } from '../../../lib/decimal.js'
import { checkAggregate, checkCalm, checkDaos, checkDisk, checkReady, checkTickers, LIFETIME_MS } from './checks.js'
import { fail, time, type World } from './scene.js'
import { plain } from './truth.js'

/** An answer takes ten seconds at most; a request that comes late on a busy tick may be measured longer. */
export const DEADLINE_MS = 10_500
/** Timers and requests that may wait at once. */
const MOST_TIMERS = 400
const MOST_REQUESTS = 120

/** An answer as its client has it: status and body, what its headers say, and how old it says it is, ms. */
export interface Answer { status: number, body: any, problems: string, headers: Record<string, unknown>, age: number }

/** What an answer says of its age, ms. */
export const ageOf = (headers: Record<string, unknown>): number => headers.age === undefined
  ? LIFETIME_MS - 1000 * Number(/max-age=(\d+)/.exec(String(headers['cache-control']))?.[1] ?? 0)
  : 1000 * (Number(headers.age) + 1)

/** Asks, and checks what holds for every answer. */
export async function get ({ app, plan, held, outcome }: World, path: string): Promise<Answer> {
  const asked = time.now()
  const known = plan.seed % 3 === 0 ? undefined : held.get(path)
  const response = await time.until(app!.inject({ url: path, remoteAddress: '127.0.0.1', headers: known === undefined ? {} : { 'if-none-match': known.etag } }), DEADLINE_MS + 1000)
  const isFigure = path.startsWith('/api/')
  if (isFigure) outcome.answers++
  if (time.now() - asked > DEADLINE_MS) fail('deadline', `${path} within ${DEADLINE_MS} ms`, `after ${time.now() - asked} ms`)
  const { etag } = response.headers
  const isSame = response.statusCode === 304
  if (isSame && etag !== known?.etag) fail('entity tag', `304 for ${etag} alone`, `304 for ${known?.etag}`)
  if (response.statusCode === 200 && known !== undefined && etag === known.etag) fail('entity tag', `304 for ${etag} of ${path}`, '200')
  if (isFigure && (isSame || response.statusCode === 200)) outcome.served++
  // Who is told that it is the same has the body and what its headers said, with the new age
  const body = isSame ? known!.body : response.json() as any
  const headers = isSame ? { ...known!.headers, ...response.headers } : response.headers
  if (isFigure && response.statusCode === 200 && typeof etag === 'string') held.set(path, { etag, body, headers })
  return { status: isSame ? 200 : response.statusCode, body, problems: String(body.problems ?? body.error ?? body), headers, age: ageOf(response.headers) }
}

/** A look at everything, in which every answer is checked. */
export async function look (world: World): Promise<void> {
  const tickers = await get(world, '/api/tickers')
  if (tickers.status === 200) checkTickers(world, tickers.body, tickers.age)
  else if (![500, 502, 503].includes(tickers.status)) fail('status', '200, 500, 502 or 503', String(tickers.status))
  const daos = await get(world, '/api/daos')
  if (daos.status === 200) checkDaos(world, daos.body, daos.age)
  checkCalm(world, daos)
  const aggregate = await get(world, '/api/volume/aggregate')
  if (aggregate.status === 200) checkAggregate(world, aggregate)
  await lookAtSupply(world)
  if (world.plan.seed % 2 === 0) await followBlocks(world)
  const ready = await get(world, '/ready')
  checkReady(world, ready)
  await checkDisk(world, ready)
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
  if (status === 200 && compare(parseDecimal(body.result)!, parseDecimal(expected)!) !== 0) fail(`supply of ${base.address}`, expected, body.result)
}

/** The swaps of a range of slots, as they are told: each once. */
function swapsOf ({ ledger }: World, from: number, to: number): string[] {
  return ledger.swaps.filter(({ slot, output }) => slot >= from && slot <= to && output > 0n).map(swap => {
    const { base, quote } = ledger.daos.find(({ address }) => address === swap.dao)!
    const [bases, quotes] = swap.side === 'buy' ? [swap.output, swap.input] : [swap.input, swap.output]
    return `${swap.dao} ${swap.signature} ${plain(bases, base.decimals)} ${plain(quotes, quote.decimals)}`
  }).sort()
}

/** One who follows the blocks: each range is asked for once, holds every swap of it, and ends at a block that is final. */
async function followBlocks (world: World): Promise<void> {
  const { ledger, plan } = world
  const { status, body } = await get(world, '/dexscreener/latest-block')
  if (status !== 200) return
  const { blockNumber: newest, blockTimestamp } = body.block
  if (newest < world.toldBlock) fail('latest block', `${world.toldBlock} or more`, newest)
  if (newest > ledger.slot - plan.finalityLag) fail('latest block', `a final one, ${ledger.slot - plan.finalityLag} at most`, newest)
  if (blockTimestamp !== ledger.timeOf(newest)) fail('latest block', `${newest} at ${ledger.timeOf(newest)}`, blockTimestamp)
  world.toldBlock = newest
  const from = Math.max(world.nextBlock, newest - 9_999)
  if (newest < from) return
  const range = await get(world, `/dexscreener/events?fromBlock=${from}&toBlock=${newest}`)
  if (range.status !== 200) return
  world.nextBlock = newest + 1
  if (world.isLost) return
  const told = range.body.events.filter((event: any) => event.eventType === 'swap').map(({ pairId, txnId, asset0In, asset0Out, asset1In, asset1Out }: any) => `${pairId} ${txnId} ${asset0In ?? asset0Out} ${asset1In ?? asset1Out}`).sort()
  const real = swapsOf(world, from, newest)
  const lacking = real.find(line => !told.includes(line))
  if (lacking !== undefined) fail(`range ${from} to ${newest}`, lacking, 'without it')
  const beyond = told.find((line: string) => !real.includes(line))
  if (beyond !== undefined) fail(`range ${from} to ${newest}`, 'without it', beyond)
}
