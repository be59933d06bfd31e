import { UsageError } from '../command-line.js'
import { CLOCK } from '../../simulator/clock-account.js'
import { momentOf, SLOT_MS } from './clock.js'
import { FORMAT, type ProgramAccounts, type Recording, type SignatureRow } from './recording.js'

export interface RecorderOptions {
  program: string
  /** Transactions beyond which recording ends in an error: one cut short would be a wrong history. */
  most: number
}

interface Page { before?: string }
type Note = (params: readonly unknown[], result: unknown) => void
interface Found { pubkey: string, account: unknown }

export type Recorder = ReturnType<typeof createRecorder>

/** Collects a node's answers: what is asked twice is kept as it was last answered, a past that grows as a whole. */
export function createRecorder ({ program, most }: RecorderOptions) {
  const accounts = new Map<string, unknown>()
  const signatures = new Map<string, SignatureRow[]>()
  const transactions = new Map<string, unknown>()
  const programAccounts = new Map<string, ProgramAccounts>()
  let slot = 0
  let accountsDone = false

  /**
   * Rows of a page that are not known yet go behind the row that the page has before them: `before` for the first, else
   * on top.
   */
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

  /** As it was last read; the Clock as it was latest, which is read at two commitments. */
  function noteAccount (address: string, account: unknown): void {
    const known = accounts.get(address)
    if (address === CLOCK && known !== undefined && momentOf(known).slot > momentOf(account).slot) return
    accounts.set(address, account)
  }

  /** Unix seconds of a slot: by the Clock, or those of the newest transaction where none was read. */
  function timeOf (wanted: number, rows: readonly SignatureRow[]): number {
    const clock = accounts.get(CLOCK)
    if (clock === undefined) return rows.reduce((time, { blockTime }) => Math.max(time, blockTime ?? 0), 0)
    const moment = momentOf(clock)
    return moment.time + Math.floor((wanted - moment.slot) * SLOT_MS / 1000)
  }

  /** What is told of a slot, as long as accounts are noted. */
  const ofAccounts = (note: Note): Note => (params, result) => {
    if (accountsDone) return
    const { context, value } = result as { context: { slot: number }, value: unknown }
    slot = Math.max(slot, context.slot)
    note(params, value)
  }

  const notes: Record<string, Note> = {
    getMultipleAccounts: ofAccounts(([addresses], value) => {
      (addresses as string[]).forEach((address, i) => noteAccount(address, (value as unknown[])[i] ?? null))
    }),
    getAccountInfo: ofAccounts(([address], value) => noteAccount(String(address), value)),
    getProgramAccounts: ofAccounts(([owner, config], value) => {
      const found = value as Found[]
      const { filters } = config as { filters: unknown }
      const addresses = found.map(({ pubkey }) => pubkey).sort()
      programAccounts.set(JSON.stringify([owner, filters]), { program: String(owner), filters, addresses })
      for (const { pubkey, account } of found) accounts.set(pubkey, account)
    }),
    getSignaturesForAddress: ([address, page], result) =>
      addRows(String(address), page as Page, result as SignatureRow[]),
    getTransaction ([signature], result) {
      if (result !== null) transactions.set(String(signature), result)
      if (transactions.size > most) throw new UsageError(`more than ${most} transactions`)
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
      const newest = rows.reduce((latest, row) => Math.max(latest, row.slot), slot)
      return {
        format: FORMAT,
        program,
        slot: newest,
        time: timeOf(newest, rows),
        programAccounts: [...programAccounts.values()],
        accounts: Object.fromEntries(accounts),
        signatures: Object.fromEntries(signatures),
        transactions: Object.fromEntries(transactions)
      }
    }
  }
}
