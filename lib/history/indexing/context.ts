import type { Moment } from '../../chain/moment.js'
import type { HistoryReader } from '../../chain/types.js'
import type { Clock } from '../../clock.js'
import type { OnLog } from '../log-events.js'
import type { AccountState } from '../rules/types.js'
import type { Store } from '../store/store.js'
import type { StepWriter } from './commit.js'
import type { Fetcher } from './fetch.js'

/** The DAO accounts at `confirmed`, and of which moment. */
export interface Accounts extends Moment { daos: readonly AccountState[] }

/** What all of indexing works with, until `signal`. */
export interface Context {
  reader: HistoryReader
  store: Store
  /** The program whose events are read, base58, and the address that signs them. */
  program: string
  eventAuthority: string
  daos (): Promise<Accounts>
  clock: Clock
  signal: AbortSignal
  onLog: OnLog
  writer: StepWriter
  fetcher: Fetcher
}
