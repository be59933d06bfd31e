/** What may be served at a moment, held against the ledger's own count. */
import { compare, parseDecimal, ratio, subtract } from '../../../lib/decimal.js'
import type { Answer } from './clients.js'
import { fail, time, type World } from './scene.js'

/** Age of a state that isn't stated: its lifetime, and what it takes to see that a node stands (20 s) or lags a little (12 s). */
export const LIFETIME_MS = 10_000
const UNSEEN_MS = 34_000
/** By how much the head of the history may be behind, as documented: STALE_IF_ERROR and a lifetime. */
const HEAD_MS = 75_000
/** A block is final so many slots after it: where it is sooner, and finality comes to stand or falls behind, a head is believed for that much longer. */
const FINAL_AFTER = 32
const SLOT_MS = 400
function headMs ({ finalityLag, events }: World['plan']): number {
  const isHeld = events.some(event => 'weather' in event && (event.weather.kind === 'finality' ||
    (event.weather.kind === 'fault' && event.weather.rule.kind === 'slot-jump-back' && event.weather.rule.method === 'getSlot')))
  return HEAD_MS + (isHeld ? (FINAL_AFTER - finalityLag) * SLOT_MS : 0)
}
/** Nodes without limits, and nothing wrong for so long: what is alive is there, and fresh. */
const CALM_MS = 30_000
/** Nothing new for STALE_IF_ERROR and a lifetime, and what an answer takes: nothing is ready. */
const READY_MS = 75_000
const CENT = ratio(1n, 100n)

/** Nothing has been wrong for a while: a node that was must not be held against what it is now. */
export function checkCalm ({ troubledAt }: World, { status, age }: Answer): void {
  const calmFor = time.now() - troubledAt
  if (calmFor > CALM_MS && (status !== 200 || age > LIFETIME_MS + 1000)) fail('calm', `a fresh list of DAOs, ${Math.round(calmFor / 1000)} s after the last trouble`, `${status}, ${Math.round(age / 1000)} s old`)
}

/** Nothing new has been shown for longer than a node may stand unseen. */
export function checkReady ({ sight }: World, { status }: Answer): void {
  const still = sight.stillFor(time.now())
  if (status === 200 && still > READY_MS) fail('ready', `503 after ${Math.round(still / 1000)} s without a new slot`, '200')
}

/** A store that has refused what was written last says so, to people and to machines, and no other does. */
export async function checkDisk ({ app, disk }: World, { status, body }: Answer): Promise<void> {
  const says = JSON.stringify(body.problems).includes('no room')
  const metric = /^history_store_refused (\d)/m.exec(await app!.metrics.text())?.[1]
  if (disk.hasNoRoom !== says) fail('disk', disk.hasNoRoom ? 'no room, among the problems of /ready' : 'no word of a disk without room', JSON.stringify(body.problems))
  if (metric !== (says ? '1' : '0')) fail('disk', `history_store_refused ${says ? 1 : 0}`, String(metric))
  if (says && status !== 200) return
  if (says) fail('disk', '503 from /ready', String(status))
}

export function checkTickers ({ ledger, truth, sight, seen, plan }: World, list: any[], age: number): void {
  const now = time.now()
  const pools = list.map(ticker => ticker.pool_id)
  if (pools.length === 0) fail('tickers', 'a pool', 'none')
  if (new Set(pools).size !== pools.length) fail('tickers', 'each pool once', JSON.stringify(pools))
  for (const pool of pools) seen.add(pool)
  const [from, to] = [now - sight.reach(now, age + UNSEEN_MS), now]
  for (const ticker of list) {
    const dao = ledger.daos.find(({ address }) => address === ticker.pool_id)
    if (dao === undefined) fail('tickers', 'DAOs of the chain', ticker.pool_id)
    const states = truth.statesBetween(dao.address, from, to)
    if (!states.some(state => !state.empty && state.price === ticker.last_price && state.liquidity === ticker.liquidity_in_usd)) {
      fail(`price of ${dao.address} at age ${Math.round(age / 1000)} s`, states.map(state => `${state.price} (${state.liquidity})`).join(' or '), `${ticker.last_price} (${ticker.liquidity_in_usd})`)
    }
    const behind = sight.reach(now, age + headMs(plan))
    const possible = truth.volumes(dao, now - behind, now, sight.blockTimeAt(now - behind) - 62, ledger.time + 62, { base: ticker.base_volume, quote: ticker.target_volume })
    if (possible !== undefined) fail(`volumes of ${dao.address} at age ${Math.round(age / 1000)} s`, possible.join(' or '), `${ticker.base_volume}/${ticker.target_volume}`)
  }
}

export function checkDaos ({ ledger, truth, sight, seen }: World, report: any, age: number): void {
  if (report.discovered !== report.daos.length || report.discovered !== report.listed + report.left_out) fail('daos', 'discovered = listed + left out', JSON.stringify({ ...report, daos: report.daos.length }))
  const known = new Set(report.daos.map((entry: any) => entry.dao))
  for (const { address } of ledger.daos) {
    if (truth.born(address)! < time.now() - sight.reach(time.now(), age + UNSEEN_MS) - 60_000 && !known.has(address)) fail('daos', `${address} with its reason`, 'not there')
  }
  for (const { dao, listed, reason } of report.daos) {
    if (!listed && reason === null) fail('daos', 'a reason', `${dao} without one`)
    if (!listed && reason === 'mint unreadable' && seen.has(dao)) fail('daos', 'what was a mint stays one', `${dao} left out: ${reason}`)
  }
}

export const isComplete = ({ headers }: Answer): boolean => headers['x-history-complete'] === 'true'

/** Trades that an aggregate has counted. */
export const tradesOf = ({ body }: Answer): number => body.dailyBreakdown.reduce((sum: number, day: any) => sum + day.trades, 0)

export function checkAggregate ({ truth, sight, plan }: World, answer: Answer): void {
  const { body: record, age } = answer
  const [low, high] = [truth.total(time.now() - sight.reach(time.now(), age + headMs(plan))), truth.total(time.now())]
  const served = parseDecimal(record.totalVolume)!
  const [trades, complete] = [tradesOf(answer), isComplete(answer)]
  const isLow = compare(served, subtract(low.usd, CENT)) < 0 || trades < low.trades
  const isHigh = compare(subtract(served, CENT), high.usd) > 0 || trades > high.trades
  if (isHigh || (complete && isLow)) fail('aggregate', `${text(low)} to ${text(high)}${complete ? '' : ' at most'}`, `${record.totalVolume}, ${trades} trades`)
}

function text ({ usd, trades }: { usd: { n: bigint, d: bigint }, trades: number }): string {
  return `${Number(usd.n * 100n / usd.d) / 100}, ${trades} trades`
}
