/** A HistoryReader over a ledger without a network, with switches for what a node may do wrong. */
import { type HistoryReader, orderFault } from '../../../lib/chain/transactions.js'
import type { RawTransaction, SignatureInfo, SignaturePage } from '../../../lib/chain/types.js'
import { ServiceError } from '../../../lib/errors.js'
import type { Ledger } from '../../../simulator/index.js'
import { atMoment } from '../age-time.js'

export interface Calls { signatures: number, transactions: string[], bulk: number, slots: number }

export type TestReader = HistoryReader & {
  calls: Calls
  /** Changes a page before it is given. */
  bendPage?: (page: SignatureInfo[], asked: SignaturePage & { address: string }) => SignatureInfo[]
  /** Changes a transaction; undefined leaves it. */
  bendTransaction?: (tx: RawTransaction, signature: string) => RawTransaction | null | undefined
  /** Transactions of one call of the bulk method; undefined: the node does not offer it. */
  bulkLimit?: number
  /** What happened up to this slot is forgotten. */
  forgotten?: number
  /** Signatures that no node knows as a cursor. */
  unknownCursors?: Set<string>
  /** No slot follows. */
  isFrozen?: boolean
  /** Slots by which the node is behind. */
  lag: number
  /** The chain's time at the head where it is not the ledger's, Unix seconds. */
  headTime?: () => number
  /** Thrown by every call while it is set. */
  failure?: Error | undefined
}

export function ledgerReader (ledger: Ledger): TestReader {
  const { history } = ledger
  const info = (index: number): SignatureInfo => ({
    signature: history.signature(index),
    slot: history.slot(index),
    failed: history.failed(index),
    blockTime: history.time(index),
    transactionIndex: history.blockIndex(index)
  })
  const reader: TestReader = {
    calls: { signatures: 0, transactions: [], bulk: 0, slots: 0 },
    lag: 0,
    async signatures (address, asked) {
      reader.calls.signatures++
      await Promise.resolve()
      if (reader.failure !== undefined) throw reader.failure
      const { before, limit = 1000 } = asked
      if (before !== undefined && reader.unknownCursors?.has(before.signature) === true) {
        throw new ServiceError('CURSOR_UNKNOWN', 'the cursor is unknown')
      }
      const positions = history.ofAddress(address)
      const end = before === undefined
        ? history.countUpTo(ledger.slot - reader.lag)
        : history.find(before.signature) ?? 0
      const page: SignatureInfo[] = []
      for (let at = (positions?.length ?? 0) - 1; at >= 0 && page.length < limit; at--) {
        const index = positions![at]!
        if (history.slot(index) <= (reader.forgotten ?? -1)) break
        if (index < end) page.push(info(index))
      }
      const given = reader.bendPage?.(page, { address, ...asked }) ?? page
      const fault = orderFault(given, before)
      if (fault !== undefined) throw fault
      return given
    },
    async transactions (signatures) {
      await Promise.resolve()
      if (reader.failure !== undefined) throw reader.failure
      reader.calls.transactions.push(...signatures)
      return signatures.map(signature => {
        const index = history.find(signature)
        if (index === undefined || history.slot(index) <= (reader.forgotten ?? -1)) return null
        const tx = JSON.parse(history.json(index)) as RawTransaction
        const bent = reader.bendTransaction?.(tx, signature)
        return bent === undefined ? tx : bent
      })
    },
    async bulk (address, { order, slots: { gte, lte } }) {
      await Promise.resolve()
      if (reader.failure !== undefined) throw reader.failure
      if (reader.bulkLimit === undefined) return undefined
      reader.calls.bulk++
      const positions = history.ofAddress(address)
      const all = [...positions ?? []].filter(index => {
        const slot = history.slot(index)
        return slot >= gte && slot <= lte && slot <= ledger.slot - reader.lag &&
          slot > (reader.forgotten ?? -1)
      })
      const ordered = order === 'asc' ? all : all.reverse()
      return ordered.slice(0, reader.bulkLimit)
        .map(index => JSON.parse(history.json(index)) as RawTransaction & { transactionIndex: number })
    },
    blockSignatures: async () => null,
    async head () {
      if (reader.failure !== undefined) throw reader.failure
      // Slots go on whether or not anybody trades
      const slot = ledger.slot - reader.lag
      const looks = reader.calls.slots++
      return atMoment(
        slot + (reader.isFrozen ? 0 : looks),
        null,
        { time: reader.headTime?.() ?? (reader.lag === 0 ? ledger.time : ledger.timeOf(slot)) }
      )
    },
    firstAvailableBlocks: async () => reader.forgotten === undefined ? [] : [reader.forgotten + 1],
    blockTime: async slot => ledger.timeOf(slot),
    genesisHash: async () => '11111111111111111111111111111111'
  }
  return reader
}
