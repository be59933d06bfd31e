import { shortText } from '../decimal.js'
import type { VolumeRule } from '../market/volume.js'
import { withStored } from './indexing/commit.js'
import type { Context } from './indexing/context.js'
import { feeRatesOf, createTally } from './rules/tally.js'
import { sameValuation } from './rules/fixed-point.js'
import type { Store } from './store/create-store.js'
import type { StoreState } from './rules/rows.js'

/** `store`: held by this process alone; `onProgress`: told after each page how many of the swaps are counted. */
export interface RebuildOptions {
  store: Store
  signal?: AbortSignal
  onProgress?: (done: number, of: number) => void
  pageSize?: number
}

/** Some 100 ms. */
const PAGE_SIZE = 2000
/** Between two log lines. */
const TOLD_MS = 10_000

/**
 * Makes candles, makers and fee rates anew of the stored swaps, page by page; if stopped, the next run goes on. Gives
 * the number of swaps. Throws HISTORY_UNAVAILABLE, and what aborted the signal.
 */
export async function rebuild (
  { rates: known, swaps: of, rebuilding }: StoreState, valuation: VolumeRule,
  { store, signal, onProgress, pageSize = PAGE_SIZE }: RebuildOptions
): Promise<number> {
  const begun = rebuilding !== null && sameValuation(rebuilding.valuation, valuation) ? rebuilding : undefined
  let rates = begun && known
  let { revision: upTo, swaps: done } = begun ?? { revision: 0, swaps: 0 }
  for (let isFirst = begun === undefined; ; isFirst = false) {
    signal?.throwIfAborted()
    const { revision, rows } = await store.swapsPage(upTo, pageSize)
    const tally = createTally(valuation, rates)
    for (const row of rows) tally.count(row)
    rates = tally.rates
    const added = tally.rows()
    const isLast = rows.length < pageSize
    upTo = revision
    done += rows.length
    await store.writeRebuilt({
      candles: isFirst ? added.candles : await withStored(store, added.candles),
      makers: added.makers,
      valuation,
      isFirst,
      upTo: isLast ? null : { revision, swaps: done },
      feeRates: feeRatesOf(rows),
      rates
    })
    onProgress?.(done, of)
    if (isLast) return of
  }
}

/** `rebuild` where it was not done by this rule: the store is of 1.0.0, or of another rate or basis. */
export async function rebuildIfNeeded (
  valuation: VolumeRule, { store, signal, clock, onLog }: Pick<Context, 'store' | 'signal' | 'clock' | 'onLog'>
): Promise<void> {
  const state = await store.load()
  const noted = state.valuation
  if (noted !== null && sameValuation(noted, valuation)) return
  let told = clock.now()
  const swaps = await rebuild(state, valuation, {
    store,
    signal,
    onProgress (done, of) {
      if (clock.now() - told < TOLD_MS) return
      told = clock.now()
      const message = `candles and sums are made of the stored swaps: ${done} of ${of}`
      onLog({ level: 'info', code: 'rebuilding', message })
    }
  })
  if (swaps === 0) return
  const text = ({ basis, rate }: VolumeRule) => `${basis} at ${shortText(rate, 12)}`
  const why = noted === null ? text(valuation) : `basis ${text(noted)} is now ${text(valuation)}`
  onLog({ level: 'info', code: 'rebuilt', message: `candles and sums of ${swaps} swaps made anew: ${why}` })
}
