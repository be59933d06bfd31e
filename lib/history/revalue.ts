import type { Valuation } from '../market/volume.js'
import type { OnFact } from './facts.js'
import { createTally } from './record.js'
import type { Store } from './store.js'
import { fractionText, sameValuation } from './sums.js'

const PAGE = 5000

/**
 * Makes all day sums anew when they were made with another rate or basis: the swaps themselves hold input, output and fee, so nothing is
 * read from the chain. A stop in between leaves the old sums with their note, and the next start begins again.
 */
export async function revalueIfNeeded (store: Store, valuation: Valuation, onFact: OnFact): Promise<void> {
  const noted = await store.valuation()
  if (noted !== null && sameValuation(noted, valuation)) return
  const tally = createTally(valuation)
  let swaps = 0
  for (let after = 0; ;) {
    const { change, rows } = await store.swapsPage(after, PAGE)
    if (rows.length === 0) break
    for (const row of rows) tally.count(row)
    swaps += rows.length
    after = change
    await new Promise(resolve => setImmediate(resolve))
  }
  await store.revalue(valuation, tally.days.values(), tally.rates)
  if (noted === null) return
  onFact({
    level: 'info',
    code: 'revalued',
    message: `day sums of ${swaps} swaps made anew: basis ${noted.basis} at ${fractionText(noted.rate)} is now ${valuation.basis} at ${fractionText(valuation.rate)}`
  })
}
