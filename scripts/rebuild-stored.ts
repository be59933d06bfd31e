import { unusable } from '../lib/errors.js'
import { rebuild, type RebuildOptions } from '../lib/history/rebuild.js'

/** As `rebuild`, by the rule that the store notes; of a store of 1.0.0 only the service knows it. */
export async function rebuildRollups (options: RebuildOptions): Promise<number> {
  const state = await options.store.load()
  const valuation = state.valuation ?? state.rebuilding?.valuation
  if (valuation === undefined) throw unusable('nothing has been made of the swaps yet: start the service once')
  return await rebuild(state, valuation, options)
}
