import type { VolumeRule } from '../../market/volume.js'
import type { OnLog } from '../log-events.js'
import { createTally } from '../rules/tally.js'
import type { Store } from '../store/store.js'
import { fractionText, sameValuation } from '../rules/fixed-point.js'

const PAGE = 5000

/**
 * Makes all day sums anew from the stored swaps, which hold input, output and fee: nothing is read from the chain. The candles go with the old sums,
 * in the same transaction, and are made anew afterwards by `createRollUp`. A stop in between leaves all as it was. Gives the number of swaps. Throws
 * HISTORY_UNAVAILABLE, and what the signal was aborted with.
 */
export async function recomputeDays (store: Store, valuation: VolumeRule, signal?: AbortSignal): Promise<number> {
  // Volumes alone: see above
  const tally = createTally(valuation, { rolledFrom: () => Infinity, minutesFrom: Infinity })
  let swaps = 0
  for (let after = 0; ;) {
    signal?.throwIfAborted()
    const { revision, rows } = await store.swapsPage(after, PAGE)
    if (rows.length === 0) break
    for (const row of rows) tally.count(row)
    swaps += rows.length
    after = revision
    await new Promise(resolve => setImmediate(resolve))
  }
  await store.revalue(valuation, tally.rows().days, tally.rates)
  return swaps
}

/** As `recomputeDays`, where the sums were made with another rate or basis; the next start begins again what a stop has ended. */
export async function recomputeDaysIfNeeded (store: Store, valuation: VolumeRule, onLog: OnLog): Promise<void> {
  const noted = await store.valuation()
  if (noted !== null && sameValuation(noted, valuation)) return
  const swaps = await recomputeDays(store, valuation)
  if (noted === null) return
  onLog({
    level: 'info',
    code: 'days-recomputed',
    message: `day sums of ${swaps} swaps made anew: basis ${noted.basis} at ${fractionText(noted.rate)} is now ${valuation.basis} at ${fractionText(valuation.rate)}`
  })
}
