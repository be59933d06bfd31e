import type { Test } from 'tap'
import { parseDecimal } from '../../../lib/decimal.js'
import type { LogEvent } from '../../../lib/history/log-events.js'
import { type Accounts, createHistory, type History, type HistoryOptions } from '../../../lib/history/history.js'
import { openSqliteStore } from '../../../lib/history/store/sqlite.js'
import type { Store } from '../../../lib/history/store/create-store.js'
import { createVolumes, type Volume24h } from '../../../lib/history/volumes/volumes.js'
import type { Ledger } from '../../../simulator/index.js'
import { clockOf } from './clock.js'
import { ledgerReader, type TestReader } from './reader.js'
import { ageTime } from '../age-time.js'
import { until as untilNamed } from '../until.js'

export interface Watched {
  history: History
  store: Store
  reader: TestReader
  events: LogEvent[]
  folder: string
  /** The 24 hours before any time, Unix seconds; the history itself gives those before its head. */
  lastDayAt (time: number): Promise<Map<string, Volume24h>>
}

const RATE = parseDecimal('0.005')!

/** Of a chain without forks: what is confirmed is final. */
export const accountsOf = (ledger: Ledger) => async (final?: readonly string[]): Promise<Accounts> => ({
  slot: ledger.slot,
  time: ledger.time,
  daos: ledger.daos.filter(({ address }) => final?.includes(address) !== false)
    .map(({ address, seqNum, createdAt }) => ({ address, seqNum: BigInt(seqNum), createdAt }))
})

/** A history over a ledger, on a store of its own; waits are cut to nothing. Ended with the test. */
export async function watch (
  t: Test, ledger: Ledger, options: Partial<HistoryOptions> & { folder?: string, reader?: TestReader } = {}
): Promise<Watched> {
  const { folder = t.testdir(), ...rest } = options
  const store = options.store ?? await openSqliteStore({ folder, program: ledger.program })
  const reader = options.reader ?? ledgerReader(ledger)
  const events: LogEvent[] = []
  const volumes = createVolumes(store, { rate: rest.rate ?? RATE, basis: rest.basis ?? 'input' })
  // The ledger's time, moved on a little by each look at it and by each wait, which takes no real time
  let drift = 0
  const history = createHistory({
    program: ledger.program,
    daos: accountsOf(ledger),
    rate: RATE,
    basis: 'input',
    clock: clockOf(() => ledger.time * 1000 + (drift += 0.01), ms => { drift += Math.min(ms, 60_000) }),
    time: ageTime(() => ledger.time * 1000),
    pollMs: 50,
    checkMs: 100,
    onLog: event => { events.push(event) },
    ...rest,
    reader,
    store
  })
  t.teardown(async () => {
    await history.stop()
    await store.close().catch(() => {})
  })
  history.start()
  const lastDayAt = (time: number) => history.read(async ({ known }) => await volumes.last24h(time, known))
  return { history, store, reader, events, folder, lastDayAt }
}

/** Waits until `condition` holds; fails after a while, showing it. */
export const until = (
  condition: () => boolean | Promise<boolean>, ms = 60_000
): Promise<void> => untilNamed(String(condition), condition, ms)

/** As `until`, while the chain goes on: where it stops, a list that lacks something may merely be late. */
export const untilShown = (ledger: Ledger, condition: () => boolean | Promise<boolean>): Promise<void> =>
  untilNamed(String(condition), () => {
    ledger.advance(0.1)
    return condition()
  }, 60_000)

/** Until everything that the ledger has made is stored and compared with the accounts. */
export async function settled ({ history, reader }: Watched, ledger: Ledger): Promise<void> {
  await until(() => {
    const { complete, events, expected } = history.status()
    const made = ledger.daos.reduce((sum, { seqNum }) => sum + seqNum, 0)
    return complete && events >= made && (expected ?? 0) >= made
  })
  const { slots } = reader.calls
  // events of unknown kinds are judged by the comparison after that
  await until(() => reader.calls.slots > slots + 5)
}
