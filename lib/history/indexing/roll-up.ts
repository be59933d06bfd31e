import type { VolumeRule } from '../../market/volume.js'
import { DAY, dayOf } from '../../time.js'
import { feeRatesOf } from '../rules/fee-rates.js'
import { addCandles, hoursIn, minutesIn } from '../rules/kept-candles.js'
import { createTally, minutesFromOf } from '../rules/tally.js'
import type { Trade } from '../rules/types.js'
import { NEVER_ROLLED } from '../store/conditions.js'
import type { Store } from '../store/store.js'
import type { StepWriter } from './step-writer.js'

/** Trades read at a time, and so about what one turn costs. */
const PAGE = 2000

/**
 * Makes the candles of trades that were stored without: by version 1.0, or under another valuation. DAO by DAO, the newest days first, in turns that
 * a step can come between; a stop loses nothing that was made. The function makes one turn's worth and says whether there is more to do.
 */
export function createRollUp (store: Store, writer: StepWriter, valuation: VolumeRule): () => Promise<boolean> {
  const { state } = writer

  /** The newest whole days before `rolledFrom`, and from when on they are whole; 0: nothing is older. */
  async function read (dao: string, rolledFrom: number): Promise<{ trades: Trade[], from: number }> {
    const trades: Trade[] = []
    for (let before: bigint | undefined; ;) {
      const page = await store.trades({ dao, limit: PAGE, ...(rolledFrom !== NEVER_ROLLED && { until: rolledFrom - 1 }), ...(before !== undefined && { before }) })
      trades.push(...page)
      if (page.length < PAGE) return { trades, from: 0 }
      const last = page.at(-1)!
      const from = (dayOf(last.at) + 1) * DAY
      const whole = trades.filter(({ at }) => at >= from)
      // A day of more trades than a page has is read to its beginning
      if (whole.length > 0) return { trades: whole, from }
      before = last.seq
    }
  }

  async function minutesFrom (): Promise<number> {
    let newest = 0
    for (const dao of state.rolledFrom.keys()) newest = Math.max(newest, (await store.trades({ dao, limit: 1 }))[0]?.at ?? 0)
    return minutesFromOf(state.minutesFrom, newest)
  }

  return async () => await writer.alone(async state => {
    const [next] = state.rolledFrom
    if (next === undefined) return false
    const [dao, rolledFrom] = next
    const { trades, from } = await read(dao, rolledFrom)
    const kept = state.minutesFrom ?? await minutesFrom()
    const tally = createTally(valuation, { rolledFrom: () => 0, minutesFrom: kept })
    for (const { swap, ...rest } of trades) tally.count({ ...swap, ...rest })
    const { days, minutes, makers } = tally.rows()
    await store.writeRolled({
      dao,
      from,
      minutesFrom: kept,
      // Whole days, and so whole rows
      days: days.map(row => ({ ...row, hours: addCandles(null, row.hours, hoursIn(row.day)) })),
      minutes: minutes.map(row => ({ ...row, candles: addCandles(null, row.candles, minutesIn(row.start)) })),
      makers,
      feeRates: feeRatesOf(trades)
    })
    state.minutesFrom = kept
    if (from === 0) state.rolledFrom.delete(dao)
    else state.rolledFrom.set(dao, from)
    return state.rolledFrom.size > 0
  })
}
