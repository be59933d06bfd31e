import { FORMAT, type ProgramAccounts, type Recording, type SignatureRow } from './recording.js'

/** Collects a node's answers into a recording. What is asked twice is kept as it was last answered, a past that grows as a whole. */

export interface RecorderOptions {
  program: string
  /** Transactions beyond which recording ends in an error: one cut short would be a wrong history. */
  most: number
}

interface Page { before?: string }
interface AtSlot { context: { slot: number }, value: unknown[] }
interface Found { pubkey: string, account: unknown }

export type Recorder = ReturnType<typeof createRecorder>

export function createRecorder ({ program, most }: RecorderOptions) {
  const accounts = new Map<string, unknown>()
  const signatures = new Map<string, SignatureRow[]>()
  const transactions = new Map<string, unknown>()
  const programAccounts = new Map<string, ProgramAccounts>()
  let slot = 0
  let accountsDone = false

  /** Rows of a page that are not known yet go behind the row that the page has before them: `before` for the first, else on top. */
  function addRows (address: string, { before }: Page, page: SignatureRow[]): void {
    const rows = signatures.get(address) ?? []
    const names = new Set(rows.map(({ signature }) => signature))
    const behind = (name: string | undefined): number => rows.findIndex(({ signature }) => signature === name) + 1
    let at = behind(before)
    for (const row of page) {
      if (names.has(row.signature)) at = behind(row.signature)
      else rows.splice(at++, 0, row)
    }
    signatures.set(address, rows)
  }

  const notes: Record<string, (params: readonly unknown[], result: unknown) => void> = {
    getMultipleAccounts ([addresses], result) {
      if (accountsDone) return
      const { context, value } = result as AtSlot
      slot = Math.max(slot, context.slot)
      ;(addresses as string[]).forEach((address, i) => accounts.set(address, value[i] ?? null))
    },
    getProgramAccounts ([owner, config], result) {
      if (accountsDone) return
      const { context, value } = result as AtSlot
      slot = Math.max(slot, context.slot)
      const found = value as Found[]
      const { filters } = config as { filters: unknown }
      programAccounts.set(JSON.stringify([owner, filters]), { program: String(owner), filters, addresses: found.map(({ pubkey }) => pubkey).sort() })
      for (const { pubkey, account } of found) accounts.set(pubkey, account)
    },
    getSignaturesForAddress: ([address, page], result) => addRows(String(address), page as Page, result as SignatureRow[]),
    getTransaction ([signature], result) {
      if (result !== null) transactions.set(String(signature), result)
      if (transactions.size > most) throw new RangeError(`more than ${most} transactions`)
    }
  }

  return {
    note (method: string, params: readonly unknown[], result: unknown): void {
      notes[method]?.(params, result)
    },
    /** From now on the accounts stay as they are; the history may still catch up with them. */
    finishAccounts (): void {
      accountsDone = true
    },
    get slot () { return slot },
    recording (): Recording {
      const rows = [...signatures.values()].flat()
      const newest = rows.reduce((time, { blockTime }) => Math.max(time, blockTime ?? 0), 0)
      return {
        format: FORMAT,
        program,
        slot: rows.reduce((latest, row) => Math.max(latest, row.slot), slot),
        time: newest,
        programAccounts: [...programAccounts.values()],
        accounts: Object.fromEntries(accounts),
        signatures: Object.fromEntries(signatures),
        transactions: Object.fromEntries(transactions)
      }
    }
  }
}
