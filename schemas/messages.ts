/**
 * The sentences of the contract's errors, each once: `plugins/errors.ts` sends them, the document shows them as
 * examples.
 */

export const INVALID_MINT = 'Invalid mint address'
export const MINT_NOT_FOUND = 'Token mint not found'
export const INVALID_TICKER_ID = 'Invalid ticker_id format. Expected: BASE_MINT_QUOTE_MINT'
export const INVALID_POOL_ID = 'Invalid pool_id'
export const INVALID_DAO = 'Invalid dao'
export const INVALID_PROPOSAL = 'Invalid proposal'
export const RATE_LIMITED = 'Rate limit exceeded. Please try again later.'
export const UPSTREAM_UNAVAILABLE = 'Upstream RPC service unavailable'
export const CHAIN_UNREADABLE = 'Failed to fetch DAO data from blockchain'
export const UNAVAILABLE = 'Service temporarily unavailable. Please try again in a few moments.'
export const UNEXPECTED = 'Internal server error'
export const tickerNotFound = (tickerId: string): string => `Ticker not found: ${tickerId}`
export const poolNotFound = (poolId: string): string => `Pool not found: ${poolId}`
export const daoNotFound = (dao: string): string => `DAO not found: ${dao}`
export const proposalNotFound = (proposal: string): string => `Proposal not found: ${proposal}`
export const endpointNotFound = (path: string): string => `Endpoint not found: ${path}`
