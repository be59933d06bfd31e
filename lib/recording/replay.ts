import type { Recording, SignatureRow } from './recording.js'

/** Answers of a node that knows a recording and nothing else. */

/** A question that the recording has no answer to; the message names what is missing. */
export class NotRecorded extends Error {
  override readonly name = 'NotRecorded'
}

interface Page { before?: string, until?: string, limit?: number }

const PAGE = 1000

/** The result of a call; throws NotRecorded. Everything is answered at the recording's slot. */
export function createReplay (recording: Recording): (method: string, params: readonly unknown[]) => unknown {
  const { slot, accounts, signatures, transactions, programAccounts } = recording
  const missing = (what: string): never => { throw new NotRecorded(`not in the recording: ${what}`) }
  const known = <T>(record: Record<string, T>, key: string, what: string): T => Object.hasOwn(record, key) ? record[key]! : missing(`${what} ${key}`)
  const atSlot = (value: unknown): object => ({ context: { slot }, value })

  const answers: Record<string, (params: readonly unknown[]) => unknown> = {
    getMultipleAccounts: ([addresses]) => atSlot((addresses as string[]).map(address => known(accounts, address, 'account'))),
    getProgramAccounts ([program, config]) {
      const { filters } = config as { filters: unknown }
      const found = programAccounts.find(item => item.program === program && JSON.stringify(item.filters) === JSON.stringify(filters))
      return found === undefined
        ? missing(`accounts of program ${String(program)} by ${JSON.stringify(filters)}`)
        : atSlot(found.addresses.map(pubkey => ({ pubkey, account: known(accounts, pubkey, 'account') })))
    },
    getSignaturesForAddress: ([address, page]) => pageOf(known(signatures, String(address), 'signatures of'), page as Page),
    getTransaction: ([signature]) => known(transactions, String(signature), 'transaction'),
    getSlot: () => slot
  }

  return (method, params) => (answers[method] ?? missing(`method ${method}`))(params)
}

/** Rows between the bounds, both exclusive. A `before` that is not known gives none, as it does on a node. */
function pageOf (rows: SignatureRow[], { before, until, limit = PAGE }: Page): SignatureRow[] {
  const at = (signature: string): number => rows.findIndex(row => row.signature === signature)
  const start = before === undefined ? 0 : at(before) + 1
  if (before !== undefined && start === 0) return []
  const end = until === undefined ? -1 : at(until)
  return rows.slice(start, end === -1 ? undefined : end).slice(0, limit)
}
