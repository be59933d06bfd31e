import { formatUnits, toFixed, type Rational } from '../decimal.js'

/** Something worth a log line. `code` is stable, for metrics and tests; the message is for people. */
export interface Fact {
  level: 'info' | 'warn' | 'error'
  code:
    | 'phase'            // the walk has entered another phase
    | 'rate'             // a protocol fee rate other than the configured one was observed
    | 'retry'            // a node or the store failed; tried again after a while
    | 'node-behind'      // the node's newest finalized signature is older than one we have
    | 'node-disorder'    // a page of signatures that can't be true
    | 'missing'          // a transaction that the node lists but does not give
    | 'found'            // a missing one has been given after all
    | 'unplaced'         // an event whose DAO is not known yet
    | 'unreadable'       // an event whose bytes fit no known layout
    | 'conflict'         // two different events with one number
    | 'hole'             // numbers that should be there and are not
    | 'healed'           // such numbers have been found
    | 'history-lost'     // the node no longer offers a part of the past
    | 'lead'             // this process has begun, or ceased, to write the history that several share
    | 'revalued'         // day sums were made anew for other settings
  message: string
  detail?: Readonly<Record<string, unknown>>
}

export type OnFact = (fact: Fact) => void

const trimmed = (rate: Rational) => toFixed(rate, 12).replace(/\.?0+$/, '')

/** The warning about a fee rate that `bps` swaps show; undefined where no rate can be named. */
export function rateFact (bps: string, configured: Rational): Fact | undefined {
  if (!/^\d+$/.test(bps)) return undefined
  const [observed, expected] = [formatUnits(BigInt(bps), 4), trimmed(configured)]
  return {
    level: 'warn',
    code: 'rate',
    message: `observed protocol fee rate ${observed} differs from PROTOCOL_FEE_RATE ${expected}: set PROTOCOL_FEE_RATE=${observed} ` +
      'if this is what the program charges now; until then VOLUME_BASIS=auto counts such swaps by their input',
    detail: { observed, configured: expected }
  }
}
