import type { OnLog } from '../log-events.js'
import type { Accounts } from '../rules/rows.js'
import type { Store } from '../store/create-store.js'
import type { StepWriter } from './commit.js'
import type { Fetcher, FetchOptions } from './fetch.js'

/** Of all indexing, until `signal`. */
export interface Context extends FetchOptions {
  store: Store
  /** All DAO accounts at `confirmed`, or those of `final` at `finalized`, without any that are not there. */
  daos (final?: readonly string[]): Promise<Accounts>
  onLog: OnLog
  writer: StepWriter
  fetcher: Fetcher
}
