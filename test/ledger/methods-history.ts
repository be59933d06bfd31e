/** The methods that read the past. */
import { type Ledger } from './ledger.js'
import { type View } from './methods.js'
import { requireAddress } from './methods-accounts.js'
import { RpcError, invalidParams } from './rpc-error.js'
import { TRANSACTION_ERROR } from './shapes.js'

export interface HistoryConfig {
  limit?: number
  before?: string
  until?: string
  maxSupportedTransactionVersion?: number
}

const FAILED = JSON.stringify(TRANSACTION_ERROR)
const MAX_PAGE = 1000

export function createHistoryMethods (ledger: Ledger, finalizedSlot: () => number) {
  const { history } = ledger

  function requireCommitment ({ commitment }: View): void {
    if (commitment === 'processed') throw invalidParams('Method does not support commitment below `confirmed`')
  }

  function requireSignature (value: unknown): string {
    if (typeof value !== 'string' || !/^[1-9A-HJ-NP-Za-km-z]{64,88}$/.test(value)) throw invalidParams('Invalid param: Invalid')
    return value
  }

  function writeEntry (index: number, finalized: number): string {
    const status = history.slot(index) <= finalized ? 'finalized' : 'confirmed'
    return `{"blockTime":${history.time(index)},"confirmationStatus":"${status}","err":${history.failed(index) ? FAILED : 'null'},"memo":null,"signature":"${history.signature(index)}","slot":${history.slot(index)}}`
  }

  return {
    /** Newest first; `before` and `until` are exclusive. A `before` that the node does not know gives an empty page, as it does on a real one. */
    getSignaturesForAddress (params: unknown[], view: View): string {
      requireCommitment(view)
      const address = requireAddress(params[0])
      const { limit = MAX_PAGE, before, until } = view.config
      if (!Number.isInteger(limit) || limit < 1 || limit > MAX_PAGE) throw invalidParams(`Invalid limit; max ${MAX_PAGE}`)
      const positions = history.ofAddress(address)
      if (positions === undefined) return '[]'
      let end = history.countUpTo(view.slot)
      if (before !== undefined && !view.repeatPage) end = Math.min(end, history.find(requireSignature(before)) ?? 0)
      const lowest = until === undefined ? -1 : history.find(requireSignature(until)) ?? -1
      const size = view.pageCut === undefined ? limit : Math.min(limit, view.pageCut ?? Math.ceil(limit / 2))
      const finalized = finalizedSlot()
      const entries: string[] = []
      for (let at = lowerBound(positions, end) - 1; at >= 0 && entries.length < size; at--) {
        const index = positions.at(at)
        if (index <= lowest || history.slot(index) < view.oldest) break
        entries.push(writeEntry(index, finalized))
      }
      return `[${entries.join()}]`
    },

    getTransaction (params: unknown[], view: View): string {
      requireCommitment(view)
      const index = history.find(requireSignature(params[0]))
      const encoding = typeof params[1] === 'string' ? params[1] : view.config.encoding
      if (encoding !== undefined && encoding !== 'json') throw invalidParams(`this node knows encoding json only, not ${encoding}`)
      if (index === undefined || history.slot(index) > view.slot || history.slot(index) < view.oldest) return 'null'
      if (history.version(index) === 0 && view.config.maxSupportedTransactionVersion === undefined) {
        throw new RpcError(-32015, 'Transaction version (0) is not supported by the requesting client. Please try the request again with the following configuration parameter: "maxSupportedTransactionVersion": 0')
      }
      if (!view.otherSignature) return history.json(index)
      return history.json(index > 0 ? index - 1 : Math.min(index + 1, history.length - 1))
    }
  }
}

/** How many of the positions are below `end`. */
function lowerBound (positions: { length: number, at (index: number): number }, end: number): number {
  let low = 0
  let high = positions.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (positions.at(middle) < end) low = middle + 1
    else high = middle
  }
  return low
}
