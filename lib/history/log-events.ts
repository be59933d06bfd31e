import { formatUnits, shortText, type Rational } from '../decimal.js'

/** A log line. `code` is stable, for metrics and tests. */
export interface LogEvent {
  level: 'info' | 'warn' | 'error'
  code:
    | 'phase'                  // the walk has entered another phase
    | 'progress'               // how far the last 24 hours are, while they are read
    | 'fee-rate'               // a protocol fee rate other than the configured one was observed
    | 'retry'                  // a node or the store failed; tried again after a while
    | 'node-behind'            // the node's newest finalized signature is older than one we have
    | 'transaction-missing'    // a transaction that the node lists but does not give
    | 'transaction-found'      // a missing one has been given after all
    | 'unattributed'           // an event whose DAO is not known yet
    | 'unreadable'             // an event whose bytes fit no known layout
    | 'conflict'               // two different events with one number
    | 'sequence-gap'           // numbers that should be there and are not
    | 'sequence-gap-filled'    // such numbers have been found
    | 'past-lost'              // the node no longer offers a part of the past
    | 'leadership'             // this process has begun, or ceased, to write the history that several share
    | 'rebuilding'             // how far the candles and sums are that are made anew
    | 'rebuilt'                // they have been made, for other settings or a new version
  message: string
  detail?: Readonly<Record<string, unknown>>
}

export type OnLog = (event: LogEvent) => void

/** Undefined where no rate can be named. */
export function feeRateLogEvent (bps: string, configured: Rational): LogEvent | undefined {
  if (!/^\d+$/.test(bps)) return undefined
  const [observed, expected] = [formatUnits(BigInt(bps), 4), shortText(configured, 12)]
  const message = `observed protocol fee rate ${observed} differs from PROTOCOL_FEE_RATE ${expected}: ` +
    `set PROTOCOL_FEE_RATE=${observed} if this is what the program charges now; ` +
    'volumes count each swap by its input either way, unless VOLUME_BASIS is fees'
  return { level: 'warn', code: 'fee-rate', message, detail: { observed, configured: expected } }
}
