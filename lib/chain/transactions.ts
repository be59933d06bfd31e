/** Reads of the past at commitment `finalized`: signatures of an address, their transactions, and blocks. */
import { Type } from '@sinclair/typebox'
import { badAnswer as bad, isServiceError, ServiceError } from '../errors.js'
import { clockQuestion } from './accounts.js'
import { checkOf, isCount, isHash, isRecord, Signature } from './checks.js'
import { CURSOR_UNKNOWN, faultOf, isRefusedAsAsked, isWorthRetrying } from './node-errors.js'
import { readSignatureInfo, readTransaction } from './parse-transaction.js'
import type { BulkPage, CallOptions, Cursor, RawTransaction, Rpc, SignatureInfo, SignaturePage } from './types.js'

const COMMITMENT = 'finalized'
// The largest page of a list, and of the bulk method by its draft standard.
const PAGE = 1000
const SMALL_PAGE = 100
// A later version is refused (-32015).
const VERSION = { maxSupportedTransactionVersion: 1 }
const WHOLE = { encoding: 'json', commitment: COMMITMENT, ...VERSION }
const VERSION_UNSUPPORTED = -32015
// Slots that were skipped, or whose blocks a node no longer has.
const NO_BLOCK = new Set([-32001, -32004, -32007, -32009, -32011])
// Errors that pass, but concern one transaction.
const CONCERNS_THE_CALL = new Set([-32007, -32009, -32012, -32019])

export type HistoryReader = ReturnType<typeof createHistoryReader>

/** Throws a ServiceError: NODE_BAD_ANSWER for JSON that is not what was asked for. */
export function createHistoryReader (rpc: Rpc) {
  let bulkPage = PAGE

  /** null: no node has the block. */
  async function ofBlock<T> (
    method: string, params: readonly unknown[], isAnswer: (answer: unknown) => answer is T, options: CallOptions
  ): Promise<T | null> {
    const read = (value: unknown) => value === null || isAnswer(value)
      ? { value, doubt: Number(value === null) }
      : bad(`${method}: not what was asked for`)
    return await rpc.call(method, params, { ...options, read }).catch((error: unknown) => {
      if (NO_BLOCK.has(faultOf(error)?.rpcCode ?? 0)) return null
      throw error
    })
  }

  return {
    /** Those that touch `address`, newest first. Throws CURSOR_UNKNOWN where no node knows `before`. */
    async signatures (address: string, asked: SignaturePage, options: CallOptions = {}) {
      const { before, limit = PAGE, minSlot, since = 0, isOfEach = false } = asked
      const page = { commitment: COMMITMENT, limit, minContextSlot: minSlot, before: before?.signature }
      const call = { method: 'getSignaturesForAddress', params: [address, page] }
      const given = isOfEach ? await rpc.ofEach(call, options) : []
      const lists = given.map(rows => signaturesOf(rows, before)).filter(list => Array.isArray(list))
      if (lists.length > 0) return joined(lists)
      // before Agave 4.0 a node answers an unknown cursor with an empty list, and one that began from a snapshot has no
      // list of before: another may know
      const read = (rows: unknown) => {
        const value = signaturesOf(rows, before)
        return isServiceError(value) ? value : { value, doubt: Number((value[0]?.slot ?? -1) < since) }
      }
      return await rpc.call(call.method, call.params, { ...options, read }).catch((cause: unknown) => {
        if (faultOf(cause)?.rpcCode !== CURSOR_UNKNOWN) throw cause
        throw new ServiceError('CURSOR_UNKNOWN', 'no node knows the signature before the page', { cause })
      })
    },

    /**
     * Of each: null: no node has it; an error: it can't be read; undefined: no answer, ask again. Throws only where
     * nothing at all was answered.
     */
    async transactions (signatures: readonly string[], options: CallOptions = {}) {
      if (signatures.length === 0) return []
      const replies = await rpc.send(signatures.map(signature => ({
        method: 'getTransaction',
        params: [signature, WHOLE],
        read: (result: unknown) => transactionOf(result, signature)
      })), options)
      const outcomes = replies.map(({ result, error }) => error === undefined ? result : outcomeOf(error))
      const { error } = replies[0]!
      if (error !== undefined && outcomes.every(outcome => outcome === undefined)) throw error
      return outcomes
    },

    /** Whole transactions that touch `address`, failed ones too; undefined: no node offers it now. */
    async bulk (address: string, page: BulkPage, options: CallOptions = {}) {
      for (;;) {
        try {
          return readBulk(await rpc.call('getTransactionsForAddress', [address, {
            ...WHOLE,
            transactionDetails: 'full',
            sortOrder: page.order,
            limit: bulkPage,
            filters: { status: 'any', slot: page.slots }
          }], options), page)
        } catch (error) {
          if (faultOf(error)?.reason === 'unsupported') return undefined
          if (!isRefusedAsAsked(error)) throw error
          if (bulkPage === SMALL_PAGE) return undefined
          bulkPage = SMALL_PAGE
        }
      }
    },

    /** Of a block, in their order; null: likewise. */
    async blockSignatures (slot: number, options: CallOptions = {}) {
      // without `rewards`, which not every node takes
      const params = [slot, { commitment: COMMITMENT, transactionDetails: 'signatures', ...VERSION }]
      return (await ofBlock('getBlock', params, isBlock, options))?.signatures ?? null
    },

    /** The finalized head, from the node whose one is youngest. */
    head: (options: CallOptions = {}) => rpc.ask(clockQuestion(COMMITMENT), options),

    /** The first slot of which each node that tells has transactions. */
    firstAvailableBlocks: async (options: CallOptions = {}) =>
      (await rpc.ofEach({ method: 'getFirstAvailableBlock', params: [] }, options)).filter(isCount),

    /** Unix seconds of a block; null: likewise. */
    blockTime: async (slot: number, options: CallOptions = {}) =>
      await ofBlock('getBlockTime', [slot], isTime, options),

    /** Which network this is, base58. */
    async genesisHash (options: CallOptions = {}) {
      const hash = await rpc.call('getGenesisHash', [], options)
      if (isHash(hash)) return hash
      throw bad('getGenesisHash: no hash')
    }
  }
}

// 0 is how some say that they have none
const isTime = (value: unknown): value is number => isCount(value) && value > 0
const isBlock = checkOf(Type.Object({ signatures: Type.Array(Signature) }))

function signaturesOf (rows: unknown, cursor: Cursor | undefined): SignatureInfo[] | ServiceError {
  if (!Array.isArray(rows)) return bad('getSignaturesForAddress: no list')
  const read = rows.map(readSignatureInfo).filter(info => info !== undefined)
  if (read.length < rows.length) return bad('getSignaturesForAddress: a row that is none')
  // a node that joins two archives may list twice what both have (solana-labs/solana#22115)
  const infos = distinct(read)
  return orderFault(infos, cursor) ?? infos
}

/**
 * The fault of a page out of slot order, newer than `before`, or with a signature twice: a reader would skip rows, or
 * read them for ever.
 */
export function orderFault (page: readonly Cursor[], before?: Cursor): ServiceError | undefined {
  const rows = before === undefined ? page : [before, ...page]
  const isOrdered = rows.slice(1).every(({ slot }, at) => slot <= rows[at]!.slot)
  const isOnce = new Set(rows.map(({ signature }) => signature)).size === rows.length
  return isOrdered && isOnce ? undefined : bad('getSignaturesForAddress: out of order')
}

const distinct = (infos: readonly SignatureInfo[]) =>
  [...new Map(infos.map(info => [info.signature, info])).values()]

/** What any of the lists has, down to where the first of them ends: the next page begins there. */
function joined (lists: ReadonlyArray<readonly SignatureInfo[]>): SignatureInfo[] {
  const end = Math.max(...lists.flatMap(list => list.at(-1)?.slot ?? []))
  return distinct(lists.flat()).filter(({ slot }) => slot >= end).sort((a, b) => b.slot - a.slot)
}

/** What can't be read is a value, too, and no error: another node that never gives it is not waited for. */
function transactionOf (result: unknown, signature: string) {
  const read = result === null ? null : readTransaction(result) ?? bad('getTransaction: parts are missing')
  const isOther = read !== null && !isServiceError(read) && read.transaction.signatures[0] !== signature
  const value = isOther ? bad('getTransaction: another transaction than asked for') : read
  // some nodes do not record the inner instructions, where events are
  const isWhole = value !== null && !isServiceError(value) &&
    (value.meta.err !== null || value.meta.innerInstructions !== null)
  return { value, doubt: Number(!isWhole) }
}

/** An error that concerns this transaction alone is its outcome; any other is none. */
function outcomeOf (error: ServiceError): ServiceError | undefined {
  const { reason, rpcCode = 0 } = faultOf(error) ?? {}
  if (rpcCode === VERSION_UNSUPPORTED) {
    return new ServiceError('VERSION_UNSUPPORTED', 'a version that is not known', { cause: error.cause })
  }
  const isRead = reason === undefined && error.code === 'NODE_BAD_ANSWER'
  const concernsTheCall = !isWorthRetrying(error) || CONCERNS_THE_CALL.has(rpcCode)
  return isRead || (reason === 'rpc-error' && concernsTheCall) ? error : undefined
}

function readBulk (answer: unknown, { order, slots: { gte, lte } }: BulkPage) {
  const wrong = (what: string) => bad(`getTransactionsForAddress: ${what}`)
  if (!isRecord(answer) || !Array.isArray(answer.data)) throw wrong('no list')
  const entries = (answer.data as unknown[]).map(row => {
    const transaction = readTransaction(row)
    if (transaction === undefined || !hasIndex(transaction)) throw wrong('a row that is none')
    return transaction
  })
  if (entries.some(({ slot }) => slot < gte || slot > lte)) throw wrong('a slot that was not asked for')
  const sign = order === 'asc' ? 1 : -1
  const isOrdered = entries.slice(1).every(({ slot, transactionIndex }, i) =>
    sign * (slot - entries[i]!.slot || transactionIndex - entries[i]!.transactionIndex) > 0)
  if (!isOrdered) throw wrong('out of order')
  return entries
}

const hasIndex = (transaction: RawTransaction): transaction is RawTransaction & { transactionIndex: number } =>
  isCount(transaction.transactionIndex)
