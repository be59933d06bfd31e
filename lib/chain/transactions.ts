/** Reads of the past at commitment `finalized`: signatures of an address, the transactions behind them, and blocks. */
import { ServiceError } from '../errors.js'
import { clockQuestion } from './accounts.js'
import { isHash } from './genesis.js'
import { faultOf } from './node-errors.js'
import { isCount, isSignature, readSignatureInfo, readTransaction } from './parse-transaction.js'
import { isRecord, type Call, type Reply, type Rpc } from './rpc.js'
import type {
  BulkPage, BulkResult, CallOptions, HistoryReader, RawTransaction, SignatureInfo, TransactionOutcome
} from './types.js'

const COMMITMENT = 'finalized'
// The most that getSignaturesForAddress and getTransactionsForAddress give.
const PAGE = 1000
// What some providers give at most with whole transactions.
const SMALL_PAGE = 100
// The newest that readTransaction reads; a node gives none beyond what is asked for (-32015).
const MAX_VERSION = 1
const WHOLE = { encoding: 'json', commitment: COMMITMENT, maxSupportedTransactionVersion: MAX_VERSION } as const
const INVALID_PARAMS = -32602
const CURSOR_UNKNOWN = -32020
const VERSION_UNSUPPORTED = -32015
// Slots that were skipped, or whose blocks a node no longer has.
const NO_BLOCK = new Set([-32001, -32004, -32007, -32009, -32011])

/** A reader over `rpc`. JSON that is not what was asked for is NODE_BAD_ANSWER. */
export function createHistoryReader (rpc: Rpc): HistoryReader {
  let bulkPage = PAGE

  async function block (method: string, params: unknown[], options: CallOptions): Promise<unknown> {
    try {
      return await rpc.call(method, params, { ...options, doubt: isNull })
    } catch (error) {
      if (NO_BLOCK.has(faultOf(error)?.rpcCode ?? 0)) return null
      throw error
    }
  }

  function askBulk (
    address: string, { order, limit = PAGE, token, slots }: BulkPage, options: CallOptions
  ): Promise<unknown> {
    return rpc.call('getTransactionsForAddress', [address, {
      ...WHOLE,
      transactionDetails: 'full',
      sortOrder: order,
      limit: Math.min(limit, bulkPage),
      ...(token !== undefined && { paginationToken: token }),
      filters: { status: 'any', ...(slots !== undefined && { slot: slots }) }
    }], options)
  }

  return {
    async signatures (address, { before, until, limit = PAGE, minSlot }, options = {}) {
      const page = {
        commitment: COMMITMENT,
        limit,
        ...(minSlot !== undefined &&
        { minContextSlot: minSlot }),
        ...(before !== undefined && { before }),
        ...(until !== undefined && { until })
      }
      // Software before version 4 answers with an empty list where it does not know the cursor: another node may
      const rows = await rpc.call('getSignaturesForAddress', [address, page], {
        ...options,
        ...(before !== undefined &&
        { doubt: isEmptyList })
      }).catch(cursorError)
      if (!Array.isArray(rows)) throw badAnswer('getSignaturesForAddress: no list')
      const infos = rows.map(row => readSignatureInfo(row) ?? fail('getSignaturesForAddress: a row that is none'))
      checkPageBounds(infos, limit, [before, until])
      return infos
    },

    async transactions (signatures, options = {}) {
      if (signatures.length === 0) return []
      const calls = signatures.map((signature): Call =>
        ({ method: 'getTransaction', params: [signature, WHOLE], doubt: isNull }))
      const replies = await rpc.send(calls, options)
      const outcomes = replies.map((reply, at) => outcomeOf(reply, signatures[at]!))
      const first = replies[0]!
      if ('error' in first && outcomes.every(outcome => outcome === undefined)) throw first.error
      return outcomes
    },

    async bulk (address, page, options = {}) {
      for (;;) {
        try {
          return readBulk(await askBulk(address, page, options), page)
        } catch (error) {
          const fault = faultOf(error)
          if (fault?.reason === 'unsupported') return undefined
          if (fault?.rpcCode !== INVALID_PARAMS) throw error
          if (bulkPage === SMALL_PAGE || (page.limit ?? PAGE) <= SMALL_PAGE) return undefined
          bulkPage = SMALL_PAGE
        }
      }
    },

    async blockSignatures (slot, options = {}) {
      const config = {
        commitment: COMMITMENT,
        transactionDetails: 'signatures',
        rewards: false,
        maxSupportedTransactionVersion: MAX_VERSION
      }
      const answer = await block('getBlock', [slot, config], options)
      if (answer === null) return null
      const listed = isRecord(answer) ? answer.signatures : undefined
      return Array.isArray(listed) && listed.every(isSignature) ? listed : fail('getBlock: no signatures')
    },

    head: (options = {}) => rpc.ask(clockQuestion(COMMITMENT), options),

    firstAvailableBlocks: async (options = {}) =>
      (await rpc.ofEach({ method: 'getFirstAvailableBlock', params: [] }, options)).filter(isCount),

    async blockTime (slot, options = {}) {
      const time = await block('getBlockTime', [slot], options).catch(async (error: unknown) => {
        if (faultOf(error)?.reason !== 'rpc-error' && faultOf(error)?.reason !== 'unsupported') throw error
        // a node that does not offer this method may have the block itself
        const config = {
          commitment: COMMITMENT,
          transactionDetails: 'none',
          rewards: false,
          maxSupportedTransactionVersion: MAX_VERSION
        }
        const answer = await block('getBlock', [slot, config], options)
        return isRecord(answer) ? answer.blockTime : answer
      })
      return time === null || isCount(time) ? time : fail('getBlockTime: no time')
    },

    async genesisHash (options = {}) {
      const hash = await rpc.call('getGenesisHash', [], options)
      return isHash(hash) ? hash : fail('getGenesisHash: no hash')
    }
  }
}

const isNull = (result: unknown): boolean => result === null
const isEmptyList = (result: unknown): boolean => Array.isArray(result) && result.length === 0

/**
 * A page that is out of order, too long, or holds its own bounds would let a reader skip rows, or read them for ever.
 */
function checkPageBounds (infos: SignatureInfo[], limit: number, bounds: Array<string | undefined>): void {
  if (infos.length > limit) fail('getSignaturesForAddress: more rows than asked for')
  if (infos.some(({ slot }, i) => i > 0 && slot > infos[i - 1]!.slot)) fail('getSignaturesForAddress: not newest first')
  if (infos.some(({ signature }) => bounds.includes(signature))) {
    fail('getSignaturesForAddress: another page than asked for')
  }
}

/**
 * What a reply says of a transaction. An error that concerns this one alone is its outcome; any other says nothing of
 * it.
 */
function outcomeOf (reply: Reply, signature: string): TransactionOutcome {
  if ('error' in reply) {
    if (faultOf(reply.error)?.rpcCode === VERSION_UNSUPPORTED) {
      return new ServiceError('VERSION_UNSUPPORTED', 'its version can\'t be read yet', { cause: reply.error.cause })
    }
    return concernsTheCall(reply.error) ? reply.error : undefined
  }
  if (reply.result === null) return null
  const transaction = readTransaction(reply.result)
  if (transaction === undefined) return badAnswer('getTransaction: parts are missing')
  return transaction.transaction.signatures[0] === signature
    ? transaction
    : badAnswer('getTransaction: another transaction than asked for')
}

// Of JSON-RPC errors, those that may pass: they say nothing of the transaction.
const PASSING = new Set([-32005, -32004, -32014, -32016, -32603])

function concernsTheCall (error: ServiceError): boolean {
  const fault = faultOf(error)
  return fault?.reason === 'rpc-error' && !PASSING.has(fault.rpcCode ?? 0)
}

/** A page of whole transactions, held to what was asked for. */
function readBulk (answer: unknown, { order, slots = {} }: BulkPage): BulkResult {
  if (!isRecord(answer) || !Array.isArray(answer.data)) throw badAnswer('getTransactionsForAddress: no list')
  const token = answer.paginationToken ?? null
  if (token !== null && typeof token !== 'string') throw badAnswer('getTransactionsForAddress: a token that is none')
  const entries = (answer.data as unknown[]).map(row => {
    const transaction = readTransaction(row)
    if (transaction === undefined || !hasIndex(transaction)) {
      throw badAnswer('getTransactionsForAddress: a row that is none')
    }
    return transaction
  })
  const { gte = 0, gt = -1, lte = Infinity, lt = Infinity } = slots
  if (entries.some(({ slot }) => slot < gte || slot <= gt || slot > lte || slot >= lt)) {
    throw badAnswer('getTransactionsForAddress: a slot that was not asked for')
  }
  const sign = order === 'asc' ? 1 : -1
  const ordered = entries.every((entry, i) => {
    const last = entries[i - 1]
    return last === undefined || sign * (entry.slot - last.slot || entry.transactionIndex - last.transactionIndex) > 0
  })
  if (!ordered) throw badAnswer('getTransactionsForAddress: out of order')
  return { entries, next: token }
}

const hasIndex = (transaction: RawTransaction): transaction is RawTransaction & { transactionIndex: number } =>
  isCount(transaction.transactionIndex)

function cursorError (error: unknown): never {
  if (faultOf(error)?.rpcCode === CURSOR_UNKNOWN) {
    throw new ServiceError(
      'CURSOR_UNKNOWN',
      'no node knows the signature at which the page begins or ends',
      { cause: error }
    )
  }
  throw error
}

const badAnswer = (message: string): ServiceError => new ServiceError('NODE_BAD_ANSWER', message)
function fail (message: string): never { throw badAnswer(message) }
