import type { Store } from '../../lib/history/store/create-store.js'

/** A store for a writer that keeps nothing beside the events: no candle and no maker is read or written. */
export const withoutRollups = (store: Store): Store => ({
  ...store,
  candles: async () => [],
  write: changes => store.write({ ...changes, candles: [], makers: [] })
})
