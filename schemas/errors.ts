import { ACCOUNT_EXAMPLE, DAO_EXAMPLE } from './common.js'

/** What may go wrong: each code with its status and its sentence, which the document shows as an example. */

export const INVALID_MINT = 'Invalid mint address'
export const MINT_NOT_FOUND = 'Token mint not found'
export const INVALID_TICKER_ID = 'Invalid ticker_id format. Expected: BASE_MINT_QUOTE_MINT'
export const INVALID_POOL_ID = 'Invalid pool_id'
export const INVALID_DAO = `Invalid dao: the address of a DAO, or of its base mint, as ${DAO_EXAMPLE}`
export const INVALID_PROPOSAL = `Invalid proposal: the address of a proposal, as ${ACCOUNT_EXAMPLE}`
export const INVALID_DATE = 'Invalid date: a UTC day, YYYY-MM-DD, not after today, as 2026-01-31'
export const METHOD_NOT_ALLOWED = 'Method not allowed: only GET, HEAD and OPTIONS'
export const RATE_LIMITED = 'Rate limit exceeded. Please try again later.'
export const UPSTREAM_UNAVAILABLE = 'Upstream RPC service unavailable'
export const CHAIN_UNREADABLE = 'Failed to fetch DAO data from blockchain'
export const UNAVAILABLE = 'Service temporarily unavailable. Please try again in a few moments.'
export const UNEXPECTED = 'Internal server error'
export const notFound = (what: 'DAO' | 'Endpoint' | 'Pool' | 'Proposal' | 'Ticker', which: string): string =>
  `${what} not found: ${which}`

/** A code is an interface, and never used for anything else. Without a sentence here it is the error's own message. */
export const ERRORS = {
  INVALID_MINT: { status: 400, sentence: INVALID_MINT },
  MINT_NOT_FOUND: { status: 404, sentence: MINT_NOT_FOUND },
  INVALID_TICKER_ID: { status: 400, sentence: INVALID_TICKER_ID },
  TICKER_NOT_FOUND: { status: 404 },
  INVALID_POOL_ID: { status: 400, sentence: INVALID_POOL_ID },
  POOL_NOT_FOUND: { status: 404 },
  INVALID_DAO: { status: 400, sentence: INVALID_DAO },
  DAO_NOT_FOUND: { status: 404 },
  INVALID_PROPOSAL: { status: 400, sentence: INVALID_PROPOSAL },
  PROPOSAL_NOT_FOUND: { status: 404 },
  /** A query parameter that is malformed, missing or unknown. */
  INVALID_PARAMETER: { status: 400 },
  /** More requests in a clock minute, or streams at once, than a client may have. */
  RATE_LIMITED: { status: 429, sentence: RATE_LIMITED },
  /** Unreachable, timed out or refusing (5xx, 429), after retries. */
  NODE_UNAVAILABLE: { status: 502, sentence: UPSTREAM_UNAVAILABLE },
  /** Every node has been failing. To the client it is the same outage, whether this answer tried a node or not. */
  BREAKER_OPEN: { status: 502, sentence: UPSTREAM_UNAVAILABLE },
  /** Answered with what can't be used: no JSON, a JSON-RPC error, undecodable bytes. */
  NODE_BAD_ANSWER: { status: 500, sentence: CHAIN_UNREADABLE },
  /** No node knows the signature that a page of history begins or ends at. */
  CURSOR_UNKNOWN: { status: 500, sentence: CHAIN_UNREADABLE },
  /** A transaction of a version that can't be read yet. */
  VERSION_UNSUPPORTED: { status: 500, sentence: CHAIN_UNREADABLE },
  /** The history does not yet cover what the answer needs. */
  WARMING_UP: { status: 503, sentence: UNAVAILABLE },
  /** The store can't be read or written, or has fallen behind. */
  HISTORY_UNAVAILABLE: { status: 503, sentence: UNAVAILABLE },
  /** The store holds the rows of another network than the node's. */
  WRONG_NETWORK: { status: 503, sentence: UNAVAILABLE },
  /** Event loop or memory at their limit. */
  OVERLOADED: { status: 503, sentence: UNAVAILABLE },
  SHUTTING_DOWN: { status: 503, sentence: UNAVAILABLE }
} as const satisfies Record<string, { status: number, sentence?: string }>

export type ErrorCode = keyof typeof ERRORS
