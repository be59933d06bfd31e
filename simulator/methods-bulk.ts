/**
 * `getTransactionsForAddress`, as two large providers sell it: whole transactions of an address, up to a thousand a
 * call, with their place in the block.
 */
import { type Ledger } from './ledger.js'
import { type View } from './methods.js'
import { requireAddress } from './methods-accounts.js'
import { requireCommitment, requireJson, requireVersion, writeEntry } from './methods-history.js'
import { RpcError, invalidParams } from './rpc-error.js'
import { lowerBound } from './transactions.js'

interface Bounds { gte?: number, gt?: number, lte?: number, lt?: number }

/** Of those that providers have, the ones that are asked for. */
interface BulkFilters { slot?: Bounds, status?: string }

export interface BulkConfig {
  transactionDetails?: string
  sortOrder?: string
  paginationToken?: string
}

/**
 * How a node offers the method: not to this caller, or with so many full transactions a call, beyond which it refuses;
 * `page`: it gives so many at most, whatever was asked for.
 */
export type BulkOffer = 'forbidden' | { fullLimit: number, page?: number }

const MAX_PAGE = 1000
const TOKEN = /^(\d+):(\d+)$/

export function createBulkMethod (ledger: Ledger, finalizedSlot: () => number) {
  const { history } = ledger

  return {
    getTransactionsForAddress (params: unknown[], view: View): string {
      const { bulk } = view
      if (bulk === null) throw new RpcError(-32601, 'Method not found')
      if (bulk === 'forbidden') throw new RpcError(-32603, 'getTransactionsForAddress is only available on paid plans')
      requireCommitment(view)
      const address = requireAddress(params[0])
      const { config } = view
      const details = config.transactionDetails ?? 'signatures'
      if (details !== 'signatures' && details !== 'full') {
        throw invalidParams(`Invalid params: unknown variant \`${details}\``)
      }
      const ascending = (config.sortOrder ?? 'desc') === 'asc'
      const most = details === 'full' ? bulk.fullLimit : MAX_PAGE
      const limit = config.limit ?? most
      if (!Number.isInteger(limit) || limit < 1 || limit > most) {
        throw invalidParams(`Invalid params: limit must be between 1 and ${most}`)
      }
      const pageLimit = details === 'full' ? Math.min(limit, bulk.page ?? limit) : limit
      if (details === 'full') requireJson(config.encoding)
      const { slot = {}, status = 'any', ...unknown } = config.filters as BulkFilters | undefined ?? {}
      if (Object.keys(unknown).length > 0) {
        throw invalidParams(`this node knows no filter ${Object.keys(unknown).join()}`)
      }
      const positions = history.ofAddress(address)
      if (positions === undefined) return '{"data":[],"paginationToken":null}'

      const highest = Math.min(view.slot, Number(slot.lte ?? view.slot), Number(slot.lt ?? Infinity) - 1)
      const lowest = Math.max(view.oldest, Number(slot.gte ?? 0), Number(slot.gt ?? -1) + 1)
      let first = lowerBound(positions, history.countUpTo(lowest - 1))
      let last = lowerBound(positions, history.countUpTo(highest)) - 1
      if (config.paginationToken !== undefined) {
        // The token names the last entry that was given.
        const [, tokenSlot, tokenIndex] = TOKEN.exec(config.paginationToken) ?? []
        if (tokenSlot === undefined) throw invalidParams('Invalid params: paginationToken')
        let index = history.countUpTo(Number(tokenSlot) - 1)
        while (index < history.length && history.slot(index) === Number(tokenSlot) &&
          history.blockIndex(index) < Number(tokenIndex)) index++
        if (ascending) first = Math.max(first, lowerBound(positions, index + 1))
        else last = Math.min(last, lowerBound(positions, index) - 1)
      }

      const entries: string[] = []
      let at = ascending ? first : last
      let newest: number | undefined
      for (; ascending ? at <= last : at >= first; at += ascending ? 1 : -1) {
        if (entries.length === pageLimit) break
        const index = positions[at]!
        if (status !== 'any' && history.failed(index) !== (status === 'failed')) continue
        if (details === 'full') requireVersion(history.version(index), config.maxSupportedTransactionVersion)
        entries.push(details === 'full' ? history.json(index) : writeEntry(ledger, index, finalizedSlot(), true))
        newest = index
      }
      const ended = ascending ? at > last : at < first
      const token = ended || newest === undefined ? 'null' : `"${history.slot(newest)}:${history.blockIndex(newest)}"`
      return `{"data":[${entries.join()}],"paginationToken":${token}}`
    }
  }
}
