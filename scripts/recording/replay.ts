import { CLOCK, clockOf, SLOT_MS } from './clock.js'
import type { Recording, SignatureRow } from './recording.js'

/** Answers of a node that knows a recording and nothing else. */

/** A method that the node of a recording does not offer: what others tell is recorded instead. */
export class NotOffered extends Error {
  override readonly name = 'NotOffered'
}
/** The bulk method, and the order of a block, which each transaction tells of itself. */
export const NOT_OFFERED: ReadonlySet<string> = new Set(['getTransactionsForAddress', 'getBlock'])

/** A question that the recording has no answer to; the message names what is missing. */
export class NotRecorded extends Error {
  override readonly name = 'NotRecorded'
}

interface Page { before?: string, until?: string, limit?: number }

const PAGE = 1000
/** Recordings are of mainnet. */
const MAINNET = '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d'

/**
 * The result of a call; throws NotRecorded. Accounts and transactions stay as they were recorded; time, slots and the
 * Clock go on from there: `now` is the time of the chain, Unix ms, by default the recording's own and what has passed
 * since.
 */
export function createReplay (
  recording: Recording, now: () => number = goingOn(recording)
): (method: string, params: readonly unknown[]) => unknown {
  const { time, accounts, signatures, transactions, programAccounts } = recording
  const slotNow = (): number => recording.slot + Math.floor((now() - time * 1000) / SLOT_MS)
  const account = (address: string): unknown => address === CLOCK
    ? clockOf(slotNow(), Math.floor(now() / 1000))
    : known(accounts, address, 'account')
  const blockTime = (slot: number): number | null => slot > slotNow()
    ? null
    : time + Math.floor((slot - recording.slot) * SLOT_MS / 1000)
  const missing = (what: string): never => { throw new NotRecorded(`not in the recording: ${what}`) }
  const known = <T>(record: Record<string, T>, key: string, what: string): T =>
    Object.hasOwn(record, key) ? record[key]! : missing(`${what} ${key}`)
  const atSlot = (value: unknown): object => ({ context: { slot: slotNow() }, value })

  const answers: Record<string, (params: readonly unknown[]) => unknown> = {
    getMultipleAccounts: ([addresses]) => atSlot((addresses as string[]).map(account)),
    getAccountInfo: ([address]) => atSlot(account(String(address))),
    getProgramAccounts ([program, config]) {
      const { filters } = config as { filters: unknown }
      const found = programAccounts.find(
        item => item.program === program && JSON.stringify(item.filters) === JSON.stringify(filters)
      )
      return found === undefined
        ? missing(`accounts of program ${program} by ${JSON.stringify(filters)}`)
        : atSlot(found.addresses.map(pubkey => ({ pubkey, account: known(accounts, pubkey, 'account') })))
    },
    getSignaturesForAddress: ([address, page]) =>
      pageOf(known(signatures, String(address), 'signatures of'), page as Page),
    getTransaction: ([signature]) => known(transactions, String(signature), 'transaction'),
    getSlot: slotNow,
    getHealth: () => 'ok',
    getBlockTime: ([slot]) => blockTime(Number(slot)),
    getGenesisHash: () => MAINNET
  }

  return (method, params) => {
    if (NOT_OFFERED.has(method)) throw new NotOffered(method)
    return (answers[method] ?? missing(`method ${method}`))(params)
  }
}

/** The recording's own time and what has passed since, Unix ms. */
export const goingOn = ({ time }: Recording): () => number => {
  const begun = performance.now()
  return () => time * 1000 + performance.now() - begun
}

/** Rows between the bounds, both exclusive. A `before` that is not known gives none, as it does on a node. */
function pageOf (rows: SignatureRow[], { before, until, limit = PAGE }: Page): SignatureRow[] {
  const at = (signature: string): number => rows.findIndex(row => row.signature === signature)
  const start = before === undefined ? 0 : at(before) + 1
  if (before !== undefined && start === 0) return []
  const end = until === undefined ? -1 : at(until)
  return rows.slice(start, end === -1 ? undefined : end).slice(0, limit)
}
