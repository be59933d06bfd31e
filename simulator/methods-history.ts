/** The methods that read the past. */
import { type Ledger } from './ledger.js'
import { type View } from './methods.js'
import { requireAddress } from './methods-accounts.js'
import { RpcError, invalidParams } from './rpc-error.js'
import { lowerBound } from './transactions.js'

export interface HistoryConfig {
  limit?: number
  before?: string
  until?: string
  maxSupportedTransactionVersion?: number
}

const MAX_PAGE = 1000

const isSignature = (value: unknown): value is string =>
  typeof value === 'string' && /^[1-9A-HJ-NP-Za-km-z]{64,88}$/.test(value)

/** No method of the past answers about what is only processed. */
export function requireCommitment ({ commitment }: View): void {
  if (commitment === 'processed') throw invalidParams('Method does not support commitment below `confirmed`')
}

/** What a caller does not admit is refused: legacy alone unless a number is given, then every version up to it. */
export function requireVersion (version: 'legacy' | number, admitted: number | undefined): void {
  if (version === 'legacy' || version <= (admitted ?? -1)) return
  throw new RpcError(-32015, `Transaction version (${version}) is not supported by the requesting client. ` +
    'Please try the request again with the following configuration parameter: ' +
    `"maxSupportedTransactionVersion": ${version}`)
}

export function requireJson (encoding: string | undefined): void {
  if (encoding !== undefined && encoding !== 'json') {
    throw invalidParams(`this node knows encoding json only, not ${encoding}`)
  }
}

/** One row of a list of signatures; older node software leaves the place in the block out. */
function writeEntry (ledger: Ledger, index: number, finalized: number, withBlockIndex: boolean): string {
  const { history } = ledger
  return JSON.stringify({
    blockTime: history.time(index),
    confirmationStatus: history.slot(index) <= finalized ? 'finalized' : 'confirmed',
    err: history.error(index),
    memo: null,
    signature: history.signature(index),
    slot: history.slot(index),
    ...withBlockIndex && { transactionIndex: history.blockIndex(index) }
  })
}

export function createHistoryMethods (ledger: Ledger, finalizedSlot: () => number) {
  const { history } = ledger

  function requireSignature (value: unknown): string {
    if (!isSignature(value)) throw invalidParams('Invalid param: Invalid')
    return value
  }

  /**
   * Position of a cursor: an unknown one is an error since version 4 of the node software, and an empty list before.
   */
  function cursor (value: unknown, view: View): number | undefined {
    const signature = requireSignature(value)
    const index = history.find(signature)
    if (index !== undefined && history.slot(index) >= view.oldest && history.slot(index) <= view.slot) return index
    if (view.software === 'older') return undefined
    throw new RpcError(-32020, `Transaction ${signature} not found`)
  }

  return {
    /** Newest first; `before` and `until` are exclusive. */
    getSignaturesForAddress (params: unknown[], view: View): string {
      requireCommitment(view)
      const address = requireAddress(params[0])
      const { limit = MAX_PAGE, before, until } = view.config
      if (!Number.isInteger(limit) || limit < 1 || limit > MAX_PAGE) {
        throw invalidParams(`Invalid limit; max ${MAX_PAGE}`)
      }
      let end = history.countUpTo(view.slot)
      if (before !== undefined && view.fault('repeat-page') === undefined) {
        end = Math.min(end, cursor(before, view) ?? 0)
      }
      const lowest = until === undefined ? -1 : cursor(until, view) ?? -1
      const positions = history.ofAddress(address)
      if (positions === undefined) return '[]'
      const short = view.fault('short-page')
      const size = short === undefined ? limit : Math.min(limit, Number(short.value ?? Math.ceil(limit / 2)))
      const finalized = finalizedSlot()
      const entries: string[] = []
      for (let at = lowerBound(positions, end) - 1; at >= 0 && entries.length < size; at--) {
        const index = positions[at]!
        if (index <= lowest || history.slot(index) < view.oldest) break
        entries.push(writeEntry(ledger, index, finalized, view.software === 'current'))
      }
      return `[${entries.join()}]`
    },

    getTransaction (params: unknown[], view: View): string {
      requireCommitment(view)
      const index = history.find(requireSignature(params[0]))
      requireJson(typeof params[1] === 'string' ? params[1] : view.config.encoding)
      if (index === undefined || history.slot(index) > view.slot || history.slot(index) < view.oldest) return 'null'
      requireVersion(history.version(index), view.config.maxSupportedTransactionVersion)
      const next = index > 0 ? index - 1 : Math.min(index + 1, history.length - 1)
      return history.json(view.fault('other-signature') === undefined ? index : next, view.software === 'current')
    },

    /** With its signatures alone; a block with one transaction that the caller does not admit is refused whole. */
    getBlock (params: unknown[], view: View): string {
      requireCommitment(view)
      const slot = Number(params[0])
      if (!Number.isInteger(slot) || slot < 0) throw invalidParams('Invalid params: expected u64')
      if (view.config.transactionDetails !== 'signatures') {
        throw invalidParams('this node knows transactionDetails signatures only')
      }
      if (slot > view.slot) throw new RpcError(-32004, `Block not available for slot ${slot}`)
      if (slot < view.oldest) {
        throw new RpcError(
          -32001, `Block ${slot} cleaned up, does not exist on node. First available block: ${view.oldest}`
        )
      }
      const signatures = history.block(slot)
      if (signatures === null) {
        throw new RpcError(-32007, `Slot ${slot} was skipped, or missing due to ledger jump to recent snapshot`)
      }
      const own = signatures.flatMap(signature => history.find(signature) ?? [])
      for (const index of own) requireVersion(history.version(index), view.config.maxSupportedTransactionVersion)
      return JSON.stringify({ blockTime: history.time(own[0]!), signatures })
    }
  }
}
