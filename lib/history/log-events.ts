import { formatUnits, shortText, type Rational } from '../decimal.js'

/** A log line. `code` is stable, for metrics and tests; docs/operations.md says what to do. */
export interface LogEvent {
  level: 'info' | 'warn' | 'error'
  code: 'phase' | 'progress' | 'retry' | 'node-behind' | 'past-lost' | 'fee-rate'
    | 'transaction-missing' | 'transaction-found' | 'sequence-gap' | 'sequence-gap-filled'
    | 'unattributed' | 'unreadable' | 'leadership' | 'rebuilding' | 'rebuilt'
  message: string
  detail?: Readonly<Record<string, unknown>>
}

export type OnLog = (event: LogEvent) => void

/** undefined: the rate has no name, or is 0, which is no setting. */
export function feeRateLogEvent (bps: string, configured: Rational): LogEvent | undefined {
  if (!/^[1-9]/.test(bps)) return undefined
  const [observed, expected] = [formatUnits(BigInt(bps), 4), shortText(configured, 12)]
  const message = `observed protocol fee rate ${observed} differs from PROTOCOL_FEE_RATE ${expected}: ` +
    `set PROTOCOL_FEE_RATE=${observed} if this is what the program charges now; ` +
    'volumes count each swap by its input either way, unless VOLUME_BASIS is fees'
  return { level: 'warn', code: 'fee-rate', message, detail: { observed, configured: expected } }
}
