import { letGo } from '../async.js'
import type { VolumeRule } from '../market/volume.js'
import { withStored } from './indexing/commit.js'
import type { Context } from './indexing/context.js'
import { feeRatesOf, createTally } from './rules/tally.js'
import { fractionText, sameValuation } from './rules/fixed-point.js'
import { unusable } from './store/failures.js'
import type { Store } from './store/store.js'

export interface RebuildOptions {
  /** Held by this process alone. */
  store: Store
  /** Ends it between two pages. */
  signal?: AbortSignal
  /** Told after each page how many of the swaps are counted. */
  onProgress?: (done: number, of: number) => void
  /** Swaps that are counted and written at a time. */
  pageSize?: number
}

/** Some 100 ms of work. */
const PAGE_SIZE = 2000
/** Between two lines that say how far it is, ms. */
const TOLD_MS = 10_000

/**
 * Makes candles, makers and fee rates of the stored swaps anew, page by page; stopped, the next run goes on. Gives the
 * number of swaps. Throws HISTORY_UNAVAILABLE, and what aborted the signal.
 */
async function rebuild (
  valuation: VolumeRule, { store, signal, onProgress = () => {}, pageSize = PAGE_SIZE }: RebuildOptions
): Promise<number> {
  const { rates: known, swaps: of } = await store.load()
  const begun = await store.rebuilding()
  const isNew = begun === null || !sameValuation(begun.valuation, valuation)
  const rates = isNew ? new Map<string, number>() : known
  let done = isNew ? 0 : begun.swaps
  for (let upTo = isNew ? 0 : begun.revision, isFirst = isNew; ; isFirst = false) {
    signal?.throwIfAborted()
    const { revision, rows } = await store.swapsPage(upTo, pageSize)
    const tally = createTally(valuation)
    for (const row of rows) tally.count(row)
    for (const [bps, swaps] of tally.rates) rates.set(bps, (rates.get(bps) ?? 0) + swaps)
    const added = tally.rows()
    const candles = isFirst ? added : await withStored(store, added)
    done += rows.length
    await store.writeRebuilt({
      ...candles,
      valuation,
      isFirst,
      upTo: rows.length < pageSize ? null : { revision, swaps: done },
      makers: added.makers,
      feeRates: feeRatesOf(rows),
      rates
    })
    onProgress(done, of)
    if (rows.length < pageSize) return of
    upTo = revision
    await letGo()
  }
}

/** As `rebuild`, by the rule that the store notes; of a store of 1.0.0 only the service knows it. */
export async function rebuildRollups (options: RebuildOptions): Promise<number> {
  const { store } = options
  const valuation = await store.valuation() ?? (await store.rebuilding())?.valuation
  if (valuation === undefined) {
    throw unusable('nothing has been made of the swaps yet: start the service once')
  }
  return await rebuild(valuation, options)
}

/** As `rebuild`, where it was not done by this rule: of 1.0.0, or another rate or basis. */
export async function rebuildIfNeeded (
  valuation: VolumeRule, { store, signal, clock, onLog }: Pick<Context, 'store' | 'signal' | 'clock' | 'onLog'>
): Promise<void> {
  const noted = await store.valuation()
  if (noted !== null && sameValuation(noted, valuation)) return
  let told = clock.now()
  const swaps = await rebuild(valuation, {
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
  const text = ({ basis, rate }: VolumeRule) => `${basis} at ${fractionText(rate)}`
  const why = noted === null ? text(valuation) : `basis ${text(noted)} is now ${text(valuation)}`
  onLog({ level: 'info', code: 'rebuilt', message: `candles and sums of ${swaps} swaps made anew: ${why}` })
}
