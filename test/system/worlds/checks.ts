/** What may be served at a moment, held against the ledger's own count. */
import type { FastifyInstance } from 'fastify'
import { compare, parseDecimal, ratio, subtract } from '../../../lib/decimal.js'
import { createMetrics } from '../../../lib/responses/metrics.js'
import type { Answer } from './clients.js'
import { fail, time, type World } from './scene.js'
import { ageText, LIFETIME_MS } from './shown.js'
import { AGREEING_MS } from './witnesses.js'

/**
 * Nodes without limits, nothing wrong with them and a chain that goes on for so long: what is alive is there, and
 * fresh; ms.
 */
const CALM_MS = 30_000
const GOING_MS = 15_000
/** A process reads the head of the history as it starts, from one node after the other. */
const STARTING_MS = 5_000
const CENT = ratio(1n, 100n)
/** What may be served when nothing younger is to be had: its lifetime, and STALE_IF_ERROR as it is by default. */
const OLDEST_MS = LIFETIME_MS + 60_000
/** What is ahead of UTC by less is taken for it. */
const FUTURE_MS = 30_000

/** Nothing has been wrong for a while: a node that was must not be held against what it is now. */
export function checkCalm ({ troubledAt, haltedAt }: World, { status, shown }: Answer): void {
  const calmFor = time.now() - troubledAt
  if (calmFor <= CALM_MS || time.now() - haltedAt <= GOING_MS || (status === 200 && !shown.isStale)) return
  fail(
    'calm',
    `a fresh list of DAOs, ${Math.round(calmFor / 1000)} s after the last trouble`,
    `${status}, ${ageText(shown)}`
  )
}

/**
 * An age may not be more than that of the moment that is told with it, whatever clocks say; that it is not less shows
 * in what is served.
 */
export function checkAge ({ ledger, plan }: World, { shown, headers }: Answer): void {
  const told = headers['x-chain-time']
  if (!shown.isStale || typeof told !== 'string') return
  // witnesses of UTC that differ by less than a minute agree, and the latest of them is believed
  const ahead = time.epoch() - 1000 * ledger.utc
  // a halted chain's Clock that is told too late comes near UTC as the halt goes on
  const isClaimed = plan.events.some(event =>
    'weather' in event && event.weather.kind === 'fault' && event.weather.rule.kind === 'clock-ahead')
  const allowed = Math.max(ahead > 0 && ahead <= AGREEING_MS ? ahead : 0, isClaimed ? FUTURE_MS : 0)
  const most = 1000 * ledger.utc - Date.parse(told) + allowed
  if (shown.least > most) fail('age', `that of ${told}, ${most / 1000} s`, ageText(shown))
}

/**
 * An old answer is no older than it may be, a halt of the chain aside, which two nodes or more can tell, and the drift
 * that its clock had: while the chain halts nobody may know it. By the younger of what it says and what is true, as UTC
 * is what the witnesses say.
 */
export function checkOldest (
  { ledger, nodes, silences, drifts }: World, path: string, { status, shown, headers }: Answer
): void {
  const told = headers['x-chain-time']
  if (status !== 200 || !shown.isStale || typeof told !== 'string') return
  const since = Date.parse(told) / 1000
  const silence = nodes.length === 1
    ? 0
    : silences.reduce((sum, { from, to }) => sum + Math.max(0, to - Math.max(from, since)), 0)
  const { seconds: drift } = drifts.findLast(({ from }) => from <= since) ?? drifts[0]!
  const age = Math.min(shown.least, 1000 * (ledger.utc - since)) - 1000 * (silence + drift)
  if (age > OLDEST_MS) {
    const aside = `${silence} s of a halt and ${drift} s of drift aside`
    fail('oldest', `${path} no older than ${OLDEST_MS / 1000} s, ${aside}`, ageText(shown))
  }
}

/** Whether the world's troubles may hide nothing now. */
const mustServe = ({ startedAt, plan: { serves = Infinity } }: World): boolean =>
  time.now() >= Math.max(serves * 1000, startedAt + STARTING_MS)

/** In a world whose troubles may hide nothing, all is served. */
export function checkServed (world: World, path: string, answer: Answer): void {
  if (!mustServe(world)) return
  const { status, problems, headers } = answer
  if (status !== 200) fail('served', `200 from ${path}`, `${status}: ${problems}`)
  if ('x-history-complete' in headers && !isComplete(answer)) {
    fail('served', `${path} of a whole history`, `${String(headers['x-history-missing'])} missing`)
  }
}

/** What needs no history does not wait for it. */
export function checkListed ({ plan: { lists = Infinity } }: World, { status, problems }: Answer): void {
  if (time.now() >= lists * 1000 && status !== 200) {
    fail('listed', 'a list of DAOs while the past is read', `${status}: ${problems}`)
  }
}

/** In such a world no transaction is listed and can't be read. */
export async function checkRead (world: World): Promise<void> {
  if (!mustServe(world)) return
  const missing = await metricOf(world.app!, 'history_missing_transactions')
  if (missing !== '0') fail('served', 'no transaction that can\'t be read', String(missing))
}

const registries = new WeakMap<FastifyInstance, ReturnType<typeof createMetrics>['registry']>()

/** One metric of a process, as its metrics tell it. */
async function metricOf (app: FastifyInstance, name: string): Promise<string | undefined> {
  const registry = registries.get(app) ?? createMetrics(app).registry
  registries.set(app, registry)
  return new RegExp(`^${name} (\\d+)`, 'm').exec(await registry.getSingleMetricAsString(name))?.[1]
}

/** Asked at one moment: whoever may come in finds tickers. */
export function checkReady (ready: Answer, tickers: Answer): void {
  const expected = tickers.status === 200 ? 200 : 503
  if (ready.status !== expected) {
    fail('ready', `${expected} beside tickers of ${tickers.status}`, `${ready.status}: ${ready.problems}`)
  }
  if (ready.body.ready !== (expected === 200) || (ready.body.problems.length === 0) !== (expected === 200)) {
    fail(
      'ready',
      `a reason beside tickers of ${tickers.status}, and none beside those that are there`,
      JSON.stringify(ready.body)
    )
  }
}

/** A store that has refused what was written last says so, to people and to machines, and no other does. */
export async function checkDisk ({ app, disk: { hasNoRoom } }: World, { status, body }: Answer): Promise<void> {
  const says = JSON.stringify(body.problems).includes('no room')
  const metric = await metricOf(app!, 'history_store_refused')
  if (metric !== (hasNoRoom ? '1' : '0')) fail('disk', `history_store_refused ${hasNoRoom ? 1 : 0}`, String(metric))
  // while there are tickers nothing stands in the way of being ready
  if (says !== (hasNoRoom && status !== 200)) {
    fail(
      'disk',
      hasNoRoom ? 'no room, among the problems of /ready' : 'no word of a disk without room',
      JSON.stringify(body.problems)
    )
  }
}

/** Whether a node leaves out accounts of which nobody has told, nor an event that had been stored by its list. */
function mayBeUnknown ({ app, nodes, told, learnt }: World, dao: string): boolean {
  const isShort = nodes.some(({ service: { faults } }) => faults.active.some(({ kind }) => kind === 'short-accounts'))
  if (told.has(dao) || !isShort) return false
  if (app?.history.report().get(dao)?.firstSlot == null) return true
  if (!learnt.has(dao)) learnt.set(dao, time.now())
  return time.now() - learnt.get(dao)! <= LIFETIME_MS
}

const datedText = ({ shown, headers }: Answer): string => `${ageText(shown)}, as of ${String(headers['x-chain-time'])}`

/** The newest slot up to which an answer has all: it is no older than promised, nor than it says of itself. */
const leastSlot = ({ truth }: World, { shown, headers }: Answer): number => Math.max(
  truth.slotAt(time.now() - shown.volumes), truth.tradedBefore(Date.parse(String(headers['x-chain-time'])) / 1000)
)

export function checkTickers (world: World, answer: Answer): void {
  const { body, shown } = answer
  const { ledger, truth, seen } = world
  const list = body as any[]
  const now = time.now()
  const pools = list.map(ticker => ticker.pool_id)
  if (pools.length === 0 && !ledger.daos.every(({ address }) => mayBeUnknown(world, address))) {
    fail('tickers', 'a pool', 'none')
  }
  if (new Set(pools).size !== pools.length) fail('tickers', 'each pool once', JSON.stringify(pools))
  for (const pool of pools) seen.add(pool)
  for (const ticker of list) {
    const dao = ledger.daos.find(({ address }) => address === ticker.pool_id)
    if (dao === undefined) fail('tickers', 'DAOs of the chain', ticker.pool_id)
    const states = truth.statesBetween(dao.address, now - shown.prices, now)
    if (!states.some(
      state => !state.empty && state.price === ticker.last_price && state.liquidity === ticker.liquidity_in_usd
    )) {
      fail(
        `price of ${dao.address}, ${ageText(shown)}`,
        states.map(state => `${state.price} (${state.liquidity})`).join(' or '),
        `${ticker.last_price} (${ticker.liquidity_in_usd})`
      )
    }
    const served = { base: ticker.base_volume, quote: ticker.target_volume }
    const possible = truth.volumes(dao, [leastSlot(world, answer), truth.finalAt(now)], served)
    if (possible !== undefined) {
      fail(`volumes of ${dao.address}, ${datedText(answer)}`, possible.join(' or '), `${served.base}/${served.quote}`)
    }
  }
}

export function checkDaos (world: World, { body: report, shown }: Answer): void {
  const { ledger, truth, seen, told } = world
  if (report.discovered !== report.daos.length || report.discovered !== report.listed + report.left_out) {
    fail('daos', 'discovered = listed + left out', JSON.stringify({ ...report, daos: report.daos.length }))
  }
  const known = new Set(report.daos.map((entry: any) => entry.dao))
  for (const { address } of ledger.daos) {
    if (known.has(address)) told.add(address)
    else if (truth.born(address)! < time.now() - shown.prices && !mayBeUnknown(world, address)) {
      fail('daos', `${address} with its reason`, 'not there')
    }
  }
  for (const { dao, listed, reason } of report.daos) {
    if (!listed && reason === null) fail('daos', 'a reason', `${dao} without one`)
    if (!listed && reason === 'mint unreadable' && seen.has(dao)) {
      fail('daos', 'what was a mint stays one', `${dao} left out: ${reason}`)
    }
  }
}

export const isComplete = ({ headers }: Answer): boolean => headers['x-history-complete'] === 'true'

/** Trades that an aggregate has counted. */
export const tradesOf = ({ body }: Answer): number => body.dailyBreakdown.reduce(
  (sum: number, day: any) => sum + day.trades, 0
)

export function checkAggregate (world: World, answer: Answer): void {
  const { truth } = world
  const { body: record } = answer
  const [low, high] = [truth.total(leastSlot(world, answer)), truth.total(truth.finalAt(time.now()))]
  const served = parseDecimal(record.totalVolume)!
  const [trades, complete] = [tradesOf(answer), isComplete(answer)]
  const isLow = compare(served, subtract(low.usd, CENT)) < 0 || trades < low.trades
  const isHigh = compare(subtract(served, CENT), high.usd) > 0 || trades > high.trades
  if (isHigh || (complete && isLow)) {
    fail(
    `aggregate, ${datedText(answer)}`,
    `${text(low)} to ${text(high)}${complete ? '' : ' at most'}`,
    `${record.totalVolume}, ${trades} trades`
    )
  }
}

function text ({ usd, trades }: { usd: { n: bigint, d: bigint }, trades: number }): string {
  return `${Number(usd.n * 100n / usd.d) / 100}, ${trades} trades`
}
