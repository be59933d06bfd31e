import type { FaultRule } from '../../../simulator/index.js'

/** Each fault of a node, and what the endpoints must answer to it. */

export interface Row {
  name: string
  fault: FaultRule
  /** Statuses while nothing has ever been read: of the endpoints about the market, and of those about a supply. */
  cold: { market: number[], supply: number[] }
  /** Statuses once the last good answer is too old to be served; 200 where the fault does not touch what is read. */
  gone: { market: number[], supply: number[] }
}

const both = (...statuses: number[]): Pick<Row, 'cold' | 'gone'> =>
  ({ cold: { market: statuses, supply: statuses }, gone: { market: statuses, supply: statuses } })
const UNREACHABLE = both(502)
const UNUSABLE = both(500)
/** The history alone is hit: no volume may be said; supplies are read without it. */
const HISTORY = { cold: { market: [503], supply: [200] }, gone: { market: [503], supply: [200] } }

export const ROWS: Row[] = [
  { name: 'connection refused', fault: { kind: 'refuse' }, ...UNREACHABLE },
  { name: 'reset in the middle of an answer', fault: { kind: 'reset' }, ...UNREACHABLE },
  { name: 'hang', fault: { kind: 'hang' }, ...UNREACHABLE },
  { name: 'slow drip', fault: { kind: 'drip' }, ...UNREACHABLE },
  { name: '429', fault: { kind: 'rate-limit' }, ...UNREACHABLE },
  { name: '429 with Retry-After', fault: { kind: 'rate-limit', value: 2 }, ...UNREACHABLE },
  { name: 'HTTP 500', fault: { kind: 'status' }, ...UNREACHABLE },
  { name: 'HTTP 401, as of an expired key', fault: { kind: 'status', value: 401 }, ...UNREACHABLE },
  { name: 'HTML', fault: { kind: 'html' }, ...UNUSABLE },
  { name: 'truncated JSON', fault: { kind: 'truncated' }, ...UNUSABLE },
  { name: 'answer too large', fault: { kind: 'oversize', value: 4 * 2 ** 20 }, ...UNUSABLE },
  { name: 'wrong ids', fault: { kind: 'wrong-id' }, ...UNUSABLE },
  { name: 'JSON-RPC error', fault: { kind: 'rpc-error', value: -32000 }, ...UNUSABLE },
  { name: 'missing fields', fault: { kind: 'missing-field' }, ...UNUSABLE },
  {
    name: 'no slot',
    fault: { kind: 'missing-field', value: 'context.slot', method: /^get(Program|Multiple)Accounts$/ },
    ...UNUSABLE
  },
  {
    name: 'account without owner',
    fault: { kind: 'missing-field', value: 'value.0.owner', method: 'getMultipleAccounts' },
    cold: { market: [500], supply: [500] },
    gone: { market: [200], supply: [500] }
  },
  { name: 'null for a value', fault: { kind: 'null-value', method: /^get(Program|Multiple)Accounts$/ }, ...UNUSABLE },
  // a list is dated by its own slot, what is read with the Clock by that: a supply without a list is of now
  {
    name: 'wrong slot',
    fault: { kind: 'wrong-slot', method: /^get(Program|Multiple)Accounts$/ },
    cold: { market: [502], supply: [200, 502] },
    gone: { market: [502], supply: [200, 502] }
  },
  {
    name: 'DAO accounts of another owner',
    fault: { kind: 'wrong-owner', method: 'getProgramAccounts' },
    cold: { market: [500], supply: [200, 500] },
    gone: { market: [500], supply: [200, 500] }
  },
  {
    name: "each DAO's account is another's",
    fault: { kind: 'swapped-accounts', method: 'getProgramAccounts' },
    cold: { market: [500], supply: [200, 500] },
    gone: { market: [500], supply: [200, 500] }
  },
  // a list and the Clock that dates it are a batch; a supply of no launch is one call
  {
    name: 'one of a batch fails',
    fault: { kind: 'batch-partial' },
    cold: { market: [500], supply: [200, 500] },
    gone: { market: [500], supply: [200, 500] }
  },
  // asked one by one from then on
  { name: 'one of a batch is missing', fault: { kind: 'batch-missing' }, ...both(200) },
  { name: 'inner instructions unknown', fault: { kind: 'inner-null' }, ...HISTORY },
  { name: 'another transaction than asked for', fault: { kind: 'other-signature' }, ...HISTORY },
  {
    name: 'signatures in the wrong order', fault: { kind: 'wrong-order', method: 'getSignaturesForAddress' }, ...HISTORY
  }
]
