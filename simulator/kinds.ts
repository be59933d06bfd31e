/**
 * Nodes as people have them. The figures of the public one were measured and documented by others; the plans stand for
 * what is sold.
 */
import { type Limits, type LimitRule } from './limits.js'
import { type NodeConditions } from './service.js'

export type NodeKind = Pick<NodeConditions, 'limits' | 'bulk' | 'maxBatch'> &
  Partial<Pick<NodeConditions, 'lacks' | 'strict'>>

const ACCOUNT_METHODS = ['getAccountInfo', 'getMultipleAccounts', 'getProgramAccounts'] as const
const HISTORY_METHODS = [
  'getSignaturesForAddress', 'getTransaction', 'getTransactionsForAddress', 'getBlock', 'getBlockTime',
  'getFirstAvailableBlock'
] as const
/** What a node of the history takes; `rewards` of a block and the minimum slot of a transaction are not among them. */
const STRICT_FIELDS = {
  getSignaturesForAddress: ['commitment', 'limit', 'before', 'until', 'minContextSlot'],
  getTransaction: ['commitment', 'encoding', 'maxSupportedTransactionVersion'],
  getBlock: ['commitment', 'encoding', 'transactionDetails', 'maxSupportedTransactionVersion']
}

const TEN_SECONDS = 10_000
const each = (windowMs: number, counts: Record<string, number>): LimitRule[] =>
  Object.entries(counts).map(([method, calls]) => ({ method, calls, windowMs }))
const perSecond = (calls: number): LimitRule => ({ calls, windowMs: 1000 })
const polite: Omit<Limits, 'rules'> = { refusal: 'http-429', retryAfter: 10, headers: true, batch: 'whole' }
const curt: Omit<Limits, 'rules'> = { refusal: 'http-429', retryAfter: null, headers: false, batch: 'member' }
const FULL = { fullLimit: 1000 }

export const NODE_KINDS = {
  /** The public mainnet node as its own header stated it in September 2026, per address and 10 s. */
  public: {
    limits: {
      ...polite,
      rules: each(TEN_SECONDS, {
        getTransaction: 10,
        getSignaturesForAddress: 10,
        getProgramAccounts: 10,
        getBlock: 5,
        getBlockTime: 8,
        getMultipleAccounts: 50,
        getAccountInfo: 50,
        getGenesisHash: 150
      })
    },
    bulk: null,
    maxBatch: 100
  },
  /** The same one as documented before: 40 of one method and 100 in all per 10 s. */
  documented: {
    limits: {
      ...polite, rules: [{ calls: 100, windowMs: TEN_SECONDS }, { each: true, calls: 40, windowMs: TEN_SECONDS }]
    },
    bulk: null,
    maxBatch: 100
  },
  /**
   * The smallest plans sold: 10 calls a second, getProgramAccounts 2, no word of when to come back, members of a batch
   * counted.
   */
  small: {
    limits: { ...curt, rules: [perSecond(10), { method: 'getProgramAccounts', calls: 2, windowMs: 1000 }] },
    bulk: null,
    maxBatch: 10
  },
  /** A plan of 50 a second with the bulk method; refusals come as JSON-RPC errors, member by member. */
  plan: { limits: { ...curt, refusal: -32429, rules: [perSecond(50)] }, bulk: FULL, maxBatch: 100 },
  /** A node of one's own. */
  own: { limits: null, bulk: null, maxBatch: 1000 },
  /** One that has the accounts and no history. */
  accounts: { limits: null, bulk: null, maxBatch: 1000, lacks: HISTORY_METHODS },
  /** One that has the history and no accounts, of other software. */
  history: { limits: null, bulk: null, maxBatch: 1000, lacks: ACCOUNT_METHODS, strict: STRICT_FIELDS }
} as const satisfies Record<string, NodeKind>

export type NodeKindName = keyof typeof NODE_KINDS
export const isNodeKind = (name: string): name is NodeKindName => name in NODE_KINDS
