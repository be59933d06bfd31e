/** Everything a node does wrong, on demand: which method, what, how often. */

/** Of a whole HTTP request; fires where any of its calls is of the method. `value`, with its default in brackets. */
const REQUEST_FAULTS = [
  'refuse',               // the connection is destroyed without an answer
  'reset',                // in the middle of one
  'hang',                 // no answer, ever
  'drip',                 // one byte every `value` ms (50)
  'status',               // HTTP status `value` (500)
  'rate-limit',           // 429, Retry-After `value` s where given
  'html',                 // status 200 with a page of HTML
  'truncated',            // half of the JSON
  'oversize',             // `value` bytes (64 MiB) of one string
  'batch-partial',        // the member at `value` (1) of a batch is an error
  'batch-missing',        // it is left out
  'batch-shuffled'        // answers in another order
] as const

export type FaultKind =
  | typeof REQUEST_FAULTS[number]
  // of one call, alone or in a batch
  | 'rpc-error'           // error code `value` (-32603)
  | 'wrong-id'            // the answer to another question
  | 'wrong-slot'          // the context's slot, or the slot answered, is `value` (1000) too low
  | 'missing-field'       // without the field at path `value` (such as `context.slot`; the first that matters)
  | 'null-value'          // null where the value belongs
  | 'wrong-owner'         // accounts but the Clock belong to program `value` (the system program)
  | 'swapped-accounts'    // each account's content is its neighbour's
  | 'null-transaction'    // null for a transaction that exists
  | 'other-signature'     // the transaction next to it
  | 'inner-null'          // innerInstructions are null
  | 'repeat-page'         // `before` is ignored
  | 'wrong-order'         // a page oldest first
  | 'short-page'          // at most `value` (half of the page) entries
  | 'skipped-signatures'  // one in `value` (4) transactions is in no list, always the same ones
  | 'pruned'              // signatures and transactions below slot `value` are gone
  | 'hole'                // those between two Unix seconds are, as of a node that began from a snapshot again
  | 'jump-back'           // it answers as it did `value` (400) s ago
  | 'late-index'          // its lists are `value` s behind what it executes, whatever minContextSlot asks
  | 'slot-jump-ahead'     // it names a slot `value` (10^9) too high
  | 'short-accounts'      // getProgramAccounts leaves out `value` accounts (all of them)
  | 'no-account'          // getMultipleAccounts says of the one at `value` (0) that there is none
  | 'clock-refused'       // calls that name the Clock account are refused with code `value` (-32010)
  | 'clock-missing'       // the node says that there is none
  | 'clock-short'         // it has `value` (32) bytes
  | 'clock-owner'         // it belongs to the system program
  | 'clock-ahead'         // its time is `value` (3600) s too late

export interface FaultRule {
  /** Default: every method. */
  method?: string | RegExp
  kind: FaultKind
  /** How often; default until cleared. */
  times?: number
  /** How many matching ones pass first. */
  after?: number
  value?: unknown
}

export interface ActiveFault extends FaultRule {
  /** How often it has fired. */
  fired: number
  /** How many it could have applied to. */
  seen: number
}

const isRequestFault = (kind: FaultKind): boolean => (REQUEST_FAULTS as readonly string[]).includes(kind)
export const concerns = ({ method }: Pick<FaultRule, 'method'>, name: string): boolean =>
  method === undefined || (typeof method === 'string' ? method === name : method.test(name))

export function createFaults () {
  let active: ActiveFault[] = []

  function fire (matches: (fault: ActiveFault) => boolean): ActiveFault[] {
    const firing: ActiveFault[] = []
    for (const fault of active) {
      if (!matches(fault) || fault.fired >= (fault.times ?? Infinity)) continue
      if (fault.seen++ < (fault.after ?? 0)) continue
      fault.fired++
      firing.push(fault)
    }
    return firing
  }

  return {
    /** Adds a fault; several may be active at once. The rule returned counts how often it fired. */
    set (rule: FaultRule): ActiveFault {
      const fault = { ...rule, fired: 0, seen: 0 }
      active.push(fault)
      return fault
    },
    /** Ends one fault, or all. */
    clear (fault?: ActiveFault): void {
      active = fault === undefined ? [] : active.filter(other => other !== fault)
    },
    get active (): readonly ActiveFault[] { return active },
    ofRequest: (methods: string[], isBatch: boolean): ActiveFault | undefined => fire(fault =>
      isRequestFault(fault.kind) && (isBatch || !fault.kind.startsWith('batch-')) &&
      methods.some(method => concerns(fault, method)))[0],
    ofCall: (method: string): ActiveFault[] =>
      fire(fault => !isRequestFault(fault.kind) && concerns(fault, method))
  }
}
