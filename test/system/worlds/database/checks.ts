/** Holds what a process has answered against the ledger's own count. Each check throws a Violation. */
import { compare, parseDecimal, ratio, subtract, toFixed } from '../../../../lib/decimal.js'
import type { Dao } from '../../../../simulator/index.js'
import { ageText, LIFETIME_MS, type Shown } from '../shown.js'
import { plain } from '../truth.js'
import type { Lateness } from './machine.js'
import type { DatabasePlan, Setting } from './plan.js'
import type { Scene, Truth } from './scene.js'
import type { Process } from './service.js'
import { fail } from './violation.js'

export interface Answer {
  path: string
  /** Moments of the world, ms. */
  asked: number
  answered: number
  status: number
  body: any
  headers: Headers
  /** How old it may be, by its headers. */
  shown: Shown
}

/** On the way to a process and back, on a machine that is never late, ms. */
const LATE_MS = 500
/** Between two looks of a process at what another has written, ms. */
const LOOK_MS = 2_250
/** A DAO that is older must be named, ms. */
const NAMED_MS = 15_000
/** What has happened is final after so long, ms. */
const FINAL_MS = 45_000
const CENT = ratio(1n, 100n)

type Total = ReturnType<Truth['total']>

export type Checks = ReturnType<typeof createChecks>

export function createChecks (plan: DatabasePlan, { ledger, now, truth }: Scene, lateness: Lateness) {
  const daoOf = (address: string): Dao => ledger.daos.find(dao => dao.address === address) ?? fail(
    'tickers', 'DAOs of the chain', address
  )
  const staleMs = LIFETIME_MS + 1000 * plan.stale

  /** The oldest moment of the chain of which the prices of an answer may be. */
  const since = ({ asked, shown }: Answer): number => asked - shown.prices - LATE_MS - lateness.ms()
  /** The slots at one of which the history of an answer may end. */
  function heads ({ asked, answered, shown }: Answer, basis: Setting['basis']): readonly [number, number] {
    const { slotAt, finalAt } = truth(basis)
    return [slotAt(asked - shown.volumes - LATE_MS - lateness.ms()), finalAt(answered)]
  }

  function tickers (process: Process, answer: Answer): void {
    const list = answer.body as any[]
    const age = ageText(answer.shown)
    const pools = list.map(ticker => ticker.pool_id)
    if (new Set(pools).size !== pools.length) fail('tickers', 'each pool once', pools.join())
    if (list.length === 0) fail('tickers', 'a pool', 'none')
    const { basis } = process.life.setting
    const counted = truth(basis)
    for (const ticker of list) {
      const dao = daoOf(ticker.pool_id)
      const states = counted.statesBetween(dao.address, since(answer), answer.answered)
      if (!states.some(
        state => !state.empty && state.price === ticker.last_price && state.liquidity === ticker.liquidity_in_usd
      )) {
        fail(
          `price of ${dao.address} ${age}`,
          states.map(state => `${state.price} (${state.liquidity})`).join(' or '),
          `${ticker.last_price} (${ticker.liquidity_in_usd})`
        )
      }
      const possible = counted.volumes(
        dao, heads(answer, basis), { base: ticker.base_volume, quote: ticker.target_volume }
      )
      if (possible !== undefined) {
        fail(`volumes of ${dao.address} ${age}`, possible.join(' or '), `${ticker.base_volume}/${ticker.target_volume}`)
      }
    }
  }

  function daos (answer: Answer): void {
    const report = answer.body
    if (report.discovered !== report.daos.length || report.discovered !== report.listed + report.left_out) {
      fail('daos', 'discovered = listed + left out', JSON.stringify({ ...report, daos: report.daos.length }))
    }
    const known = new Set(report.daos.map((entry: any) => entry.dao))
    const from = since(answer)
    for (const { address } of ledger.daos) {
      if (truth('input').born(address)! < from - NAMED_MS - lateness.ms() && !known.has(address)) {
        fail('daos', `${address} with its reason`, 'not there')
      }
    }
    for (const { dao, listed, reason } of report.daos) {
      if (!listed && reason === null) fail('daos', 'a reason', `${dao} without one`)
    }
  }

  function aggregate (process: Process, answer: Answer): void {
    const record = answer.body
    const { basis } = process.life.setting
    const [low, high] = heads(answer, basis).map(truth(basis).total) as [Total, Total]
    const served = parseDecimal(record.totalVolume)!
    const trades = record.dailyBreakdown.reduce((sum: number, day: any) => sum + day.trades, 0)
    const isWhole = answer.headers.get('x-history-complete') === 'true'
    const isLow = compare(served, subtract(low.usd, CENT)) < 0 || trades < low.trades
    const isHigh = compare(subtract(served, CENT), high.usd) > 0 || trades > high.trades
    const text = ({ usd, trades }: Total) => `${toFixed(usd, 2)}, ${trades} trades`
    if (isHigh || (isWhole && isLow)) {
      fail(
        'aggregate',
      `${text(low)} to ${text(high)}${isWhole ? '' : ' at most'}`,
      `${record.totalVolume}, ${trades} trades`
      )
    }
  }

  /**
   * The newest trades of a pool: those that were the newest final ones at some moment; while the past is read, of the
   * time that is stated.
   */
  function trades (process: Process, answer: Answer, dao: Dao, limit: number): void {
    const { basis } = process.life.setting
    const all = ledger.swaps.filter(swap => swap.dao === dao.address)
    const lineOf = (signature: string, base: string, quote: string) => `${signature} ${base} ${quote}`
    const lines = all.map(({ signature, side, input, output }) => {
      const [base, quote] = side === 'buy' ? [output, input] : [input, output]
      return lineOf(signature, plain(base, dao.base.decimals), plain(quote, dao.quote.decimals))
    })
    const served = (answer.body as any[]).map(
      trade => lineOf(trade.signature, trade.base_amount, trade.quote_amount)
    ).reverse().join('\n')
    const [from, to] = heads(answer, basis).map(slot => truth(basis).swapsUpTo(dao.address, slot)) as [number, number]
    const stated = answer.headers.get('x-history-complete') === 'true' ? null : answer.headers.get('x-history-since')
    const known = stated === null ? 0 : all.filter(({ time }) => time * 1000 < Date.parse(stated)).length
    for (let count = from; count <= to; count++) {
      if (lines.slice(Math.max(0, count - limit, known), count).join('\n') === served) return
    }
    fail(
      `trades of ${dao.address}`,
      `the last ${limit} up to one of those from ${from} to ${to}${stated === null ? '' : `, since ${stated}`}`,
      served.split('\n').map(line => lines.indexOf(line) + 1).join()
    )
  }

  /** The total of a mint never changes here. */
  function supply ({ body }: Answer, { base }: Dao): void {
    const expected = toFixed(ratio(base.supply, 10n ** BigInt(base.decimals)), base.decimals)
    if (compare(
      parseDecimal(body.result)!, parseDecimal(expected)!
    ) !== 0) fail(`supply of ${base.address}`, expected, body.result)
  }

  function ready (process: Process, answer: Answer): void {
    const { history, snapshot } = answer.body
    const final = ledger.slot - plan.finalityLag
    if (history.head_slot > final) fail('head slot', `a final one, ${final} at most`, history.head_slot)
    if (snapshot.slot > ledger.slot) fail('snapshot slot', `${ledger.slot} at most`, snapshot.slot)
    const away = process.away === undefined ? 0 : answer.asked - process.away
    if (answer.status === 200 && away > staleMs + LOOK_MS + LATE_MS + lateness.ms()) {
      fail('ready', `503 after ${Math.round(away / 1000)} s without a database`, '200')
    }
  }

  /** Nothing moves any more and nothing is wrong: what is not as it must be, empty: nothing. */
  function wholeTickers (process: Process, list: any[], basis: Setting['basis']): string {
    const listed = new Map(list.map(ticker => [ticker.pool_id, ticker]))
    const counted = truth(basis)
    for (const dao of ledger.daos) {
      const [state] = counted.statesBetween(dao.address, now(), now())
      const ticker = listed.get(dao.address)
      if (state === undefined || state.empty) continue
      if (ticker === undefined) return `${dao.address} is not listed`
      if (ticker.last_price !== state.price) return `${dao.address} at ${ticker.last_price} instead of ${state.price}`
      const possible = counted.volumes(
        dao,
        [counted.slotAt(now() - FINAL_MS), counted.finalAt(now())],
        { base: ticker.base_volume, quote: ticker.target_volume }
      )
      if (possible !== undefined) {
        return `${dao.address} with ${ticker.base_volume}/${ticker.target_volume} instead of ${possible.join(' or ')}`
      }
    }
    return ''
  }

  function wholeAggregate (record: any, headers: Headers, basis: Setting['basis']): string {
    if (headers.get(
      'x-history-complete'
    ) !== 'true') return `the history is incomplete, ${headers.get('x-history-missing')} missing`
    const { usd, trades } = truth(basis).total(ledger.slot)
    const served = record.dailyBreakdown.reduce((sum: number, day: any) => sum + day.trades, 0)
    if (served !== trades) return `${served} trades of ${trades}`
    const apart = subtract(parseDecimal(record.totalVolume)!, usd)
    return compare(apart, CENT) > 0 || compare(apart, ratio(-1n, 100n)) < 0
      ? `a total of ${record.totalVolume} instead of ${toFixed(usd, 2)}`
      : ''
  }

  return { tickers, daos, aggregate, trades, supply, ready, wholeTickers, wholeAggregate }
}
