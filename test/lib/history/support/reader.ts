/** A HistoryReader over a ledger without a network, with switches for what a node may do wrong. */
import type { HistoryReader, RawTransaction, SignatureInfo } from '../../../../lib/chain/types.js'
import type { Ledger } from '../../../ledger/index.js'

export interface Calls { signatures: number, transactions: string[] }

export type TestReader = HistoryReader & {
  calls: Calls
  /** Changes a page before it is given. */
  bendPage?: (page: SignatureInfo[], asked: { address: string, before?: string, until?: string, limit?: number }) => SignatureInfo[]
  /** Changes a transaction; undefined leaves it. */
  bendTransaction?: (tx: RawTransaction, signature: string) => RawTransaction | null | undefined
  /** Slots by which the node is behind. */
  lag: number
  /** Thrown by every call while it is set. */
  failure?: Error | undefined
}

export function ledgerReader (ledger: Ledger): TestReader {
  const { history } = ledger
  const info = (index: number): SignatureInfo => ({
    signature: history.signature(index), slot: history.slot(index), failed: history.failed(index), blockTime: history.time(index)
  })
  const reader: TestReader = {
    calls: { signatures: 0, transactions: [] },
    lag: 0,
    async signatures (address, asked) {
      reader.calls.signatures++
      await Promise.resolve()
      if (reader.failure !== undefined) throw reader.failure
      const { before, until, limit = 1000 } = asked
      const positions = history.ofAddress(address)
      const end = before === undefined ? history.countUpTo(ledger.slot - reader.lag) : history.find(before) ?? 0
      const lowest = until === undefined ? -1 : history.find(until) ?? -1
      const page: SignatureInfo[] = []
      for (let at = (positions?.length ?? 0) - 1; at >= 0 && page.length < limit; at--) {
        const index = positions!.at(at)
        if (index <= lowest) break
        if (index < end) page.push(info(index))
      }
      return reader.bendPage?.(page, { address, ...asked }) ?? page
    },
    async transactions (signatures) {
      await Promise.resolve()
      if (reader.failure !== undefined) throw reader.failure
      reader.calls.transactions.push(...signatures)
      return signatures.map(signature => {
        const index = history.find(signature)
        if (index === undefined) return null
        const tx = JSON.parse(history.json(index)) as RawTransaction
        const bent = reader.bendTransaction?.(tx, signature)
        return bent === undefined ? tx : bent
      })
    },
    finalizedSlot: async () => ledger.slot - reader.lag
  }
  return reader
}
