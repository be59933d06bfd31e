/**
 * Fair weather: nothing is wrong any more, and all must be whole, and equal, within the time that the nodes' limits
 * allow.
 */
import { compare, parseDecimal, ratio, subtract } from '../../../lib/decimal.js'
import type { Dao } from '../../../simulator/index.js'
import { checkAggregate, checkDaos, checkTickers, isComplete, tradesOf } from './checks.js'
import { get } from './clients.js'
import { fail, time, type World } from './scene.js'
import { calmAll } from './weather.js'

/** Within this all must be whole again. The longest rest of the service is one of ten minutes. */
const FAIR_MS = 900_000
/** What a limited node needs for one transaction, ms, and what may be added to it. */
const MS_EACH = { own: 0, plan: 20, small: 100, documented: 250, public: 1000 } as const
const MARGIN = 1.3
const CENT = ratio(1n, 100n)

export async function fairWeather (world: World): Promise<void> {
  const { ledger, plan } = world
  calmAll(world)
  if (ledger.slotMs === null) ledger.slotMs = 200
  const begun = time.now()
  const allowed = FAIR_MS + MARGIN * MS_EACH[plan.kind] * ledger.history.length
  for (let problem = 'not asked yet'; problem !== '';) {
    await time.advance(10_000)
    problem = await lacking(world)
    if (problem !== '' && time.now() - begun > allowed) {
      fail('whole in fair weather', `within ${Math.round(allowed / 1000)} s`, problem)
    }
  }
}

/** What is not yet as it must be; empty: nothing. */
async function lacking (world: World): Promise<string> {
  const { ledger, truth, unjudged } = world
  const ready = await get(world, '/ready')
  const [tickers, aggregate, daos] = [
    await get(world, '/api/tickers'), await get(world, '/api/volume/aggregate'), await get(world, '/api/daos')
  ]
  if (world.isLost) {
    // The last day stays unknown until it has passed; all else is told, and says that something is missing
    if (tickers.status === 200) checkTickers(world, tickers)
    if (aggregate.status !== 200) return `aggregate ${aggregate.status}: ${aggregate.problems}`
    checkAggregate(world, aggregate)
    const { trades } = truth.total(ledger.slot)
    return isComplete(aggregate) && tradesOf(aggregate) !== trades
      ? `${tradesOf(aggregate)} trades of ${trades}, and complete`
      : ''
  }
  for (const [name, { status }] of Object.entries({ aggregate, daos })) {
    if (status !== 200) return `${name} ${status}: ${ready.problems}`
  }
  checkDaos(world, daos)
  checkAggregate(world, aggregate)
  const reasons = new Map(daos.body.daos.map((entry: any) => [entry.dao, entry.reason]))
  const alive = ledger.daos.filter(dao => dao.reserves.base > 0n && dao.reserves.quote > 0n)
  const isHidden = ({ address }: Dao): boolean => unjudged.has(address) && reasons.get(address) === 'history incomplete'
  // A list that could hold none of them is none
  if (tickers.status !== 200) return alive.every(isHidden) ? '' : `tickers ${tickers.status}: ${ready.problems}`
  checkTickers(world, tickers)
  const listed = new Set(tickers.body.map((ticker: any) => ticker.pool_id))
  const unlisted = alive.filter(({ address }) => !listed.has(address))
  if (unlisted.length > 0 && unlisted.every(isHidden)) return ''
  if (unlisted.length > 0) {
    return `tickers lack ${unlisted.map(({ address }) => `${address} (${String(reasons.get(address))})`).join()}`
  }
  if (!isComplete(
    aggregate
  )) return `the history is incomplete, ${String(aggregate.headers['x-history-missing'])} missing`
  const { usd, trades } = truth.total(ledger.slot)
  if (tradesOf(aggregate) !== trades) return `${tradesOf(aggregate)} trades of ${trades}`
  const apart = subtract(parseDecimal(aggregate.body.totalVolume)!, usd)
  if (compare(apart, CENT) > 0 ||
    compare(apart, ratio(-1n, 100n)) < 0) return `a total of ${aggregate.body.totalVolume}`
  return ''
}
