import { recomputeDays } from './indexing/recompute-days.js'
import { createRollUp } from './indexing/roll-up.js'
import { createStepWriter } from './indexing/step-writer.js'
import { ServiceError } from '../errors.js'
import type { VolumeBasis } from '../market/volume.js'
import type { Store } from './store/store.js'

export interface RebuildOptions {
  /** Held by this process alone. */
  store: Store
  /** Ends it between two turns. */
  signal?: AbortSignal
  /** Told after each turn how many of the DAOs are done. */
  onProgress?: (done: number, of: number) => void
}

const isBasis = (text: string): text is VolumeBasis => text === 'input' || text === 'fees'

/**
 * Makes all that is kept beside the trades anew from them, under the valuation that the store notes: day sums, candles, makers of a day, fee rates. The
 * day sums take the place of the old ones in one transaction; the candles follow, each turn in a transaction, and where it was stopped, this or the
 * service goes on. Gives the number of swaps. Throws HISTORY_UNAVAILABLE where the store holds no history of this version or can't be
 * written, and what the signal was aborted with.
 */
export async function rebuildRollups ({ store, signal, onProgress }: RebuildOptions): Promise<number> {
  const noted = await store.valuation()
  if (noted === null) throw new ServiceError('HISTORY_UNAVAILABLE', 'there is no history in the store')
  const { rate, basis } = noted
  if (!isBasis(basis)) throw new ServiceError('HISTORY_UNAVAILABLE', 'the sums were made by version 1.0: start the service once, which makes all of it anew')
  const valuation = { rate, basis }
  const swaps = await recomputeDays(store, valuation, signal)
  const writer = await createStepWriter(store, valuation, () => {})
  const rollUp = createRollUp(store, writer, valuation)
  const of = writer.state.rolledFrom.size
  for (let more = true; more;) {
    signal?.throwIfAborted()
    more = await rollUp()
    onProgress?.(of - writer.state.rolledFrom.size, of)
  }
  return swaps
}
