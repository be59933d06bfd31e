/**
 * `getTransactionsForAddress`, as two large providers sell it, in the way the service asks: whole transactions of an
 * address in a range of slots, up to a thousand a call, with their place in the block.
 */
import { type Ledger } from './ledger.js'
import { type View } from './methods.js'
import { requireAddress } from './methods-accounts.js'
import { requireCommitment, requireJson, requireVersion } from './methods-history.js'
import { RpcError, invalidParams } from './rpc-error.js'
import { lowerBound } from './transactions.js'

/** Of those that providers have, the ones that are asked for. */
interface BulkFilters { slot?: { gte?: number, lte?: number }, status?: string }

export interface BulkConfig {
  transactionDetails?: string
  sortOrder?: string
}

/** So many transactions a call, beyond which the node refuses; `page`: it gives so many, whatever was asked for. */
export interface BulkOffer { fullLimit: number, page?: number }

export function createBulkMethod ({ history }: Ledger) {
  return {
    getTransactionsForAddress (params: unknown[], view: View): string {
      const { bulk, config } = view
      if (bulk === null) throw new RpcError(-32601, 'Method not found')
      requireCommitment(view)
      const address = requireAddress(params[0])
      requireJson(config.encoding)
      const { fullLimit, page = fullLimit } = bulk
      const { limit = fullLimit, sortOrder, transactionDetails } = config
      const { slot: { gte = 0, lte = Infinity } = {}, status = 'any', ...unknown } =
        config.filters as BulkFilters | undefined ?? {}
      if (transactionDetails !== 'full' || status !== 'any' || Object.keys(unknown).length > 0) {
        throw invalidParams('this node gives whole transactions of any status, by their slots')
      }
      if (!Number.isInteger(limit) || limit < 1 || limit > fullLimit) {
        throw invalidParams(`Invalid params: limit must be between 1 and ${fullLimit}`)
      }
      const positions = history.ofAddress(address) ?? []
      const first = lowerBound(positions, history.countUpTo(Math.max(view.oldest, gte) - 1))
      const end = lowerBound(positions, history.countUpTo(Math.min(view.slot, lte)))
      const size = Math.min(limit, page)
      const found = sortOrder === 'asc'
        ? positions.slice(first, Math.min(first + size, end))
        : positions.slice(Math.max(first, end - size), Math.max(first, end)).reverse()
      for (const index of found) requireVersion(history.version(index), config.maxSupportedTransactionVersion)
      return `{"data":[${found.map(index => history.json(index)).join()}]}`
    }
  }
}
