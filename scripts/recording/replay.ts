import { CLOCK } from '../../simulator/clock-account.js'
import { clockOf, SLOT_MS } from './clock.js'
import type { Recording, RpcReply, SignatureRow } from './recording.js'
import { METHOD_NOT_FOUND, startRpcServer } from './rpc-server.js'

/** A node that knows a recording and nothing else. */

/** Not offered: the bulk method, and the order of a block, which each transaction tells of itself. */
export const NOT_OFFERED: ReadonlySet<string> = new Set(['getTransactionsForAddress', 'getBlock'])
/** No code of a node's own, and none that is worth another try. */
const NOT_RECORDED = -32_099

/** What the node answers with an error. */
class Unanswered extends Error {
  readonly code: number
  constructor (code: number, message: string) {
    super(message)
    this.code = code
  }
}

interface Page { before?: string, until?: string, limit?: number }

const PAGE = 1000
/** Recordings are of mainnet. */
const MAINNET = '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d'

/**
 * The result of a call; throws where there is none. Accounts and transactions stay as they were recorded; time, slots
 * and the Clock go on from there: `now` is the time of the chain, Unix ms.
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
  const missing = (what: string): never => { throw new Unanswered(NOT_RECORDED, `not in the recording: ${what}`) }
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
    if (NOT_OFFERED.has(method)) throw new Unanswered(METHOD_NOT_FOUND, 'Method not found')
    return (answers[method] ?? missing(`method ${method}`))(params)
  }
}

/** The recording's own time and what has passed since, Unix ms. */
const goingOn = ({ time }: Recording): () => number => {
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

export interface ReplayOptions {
  port?: number
  /** Time of the chain and of `Date`, Unix ms; by default it goes on from the recording's. */
  now?: () => number
  /** Told of each question that the recording has no answer to. */
  onMissing?: (message: string) => void
}

/** Serves a recording. A question it has no answer to gets a JSON-RPC error that names what is missing. */
export async function serveRecording (
  recording: Recording, { onMissing = () => {}, now = goingOn(recording), port = 0 }: ReplayOptions = {}
): Promise<{ url: string, close (): Promise<void> }> {
  const replay = createReplay(recording, now)
  return await startRpcServer({
    port,
    now,
    answer: async calls => calls.map(({ method, params }): RpcReply => {
      try {
        return { result: replay(method, params) }
      } catch (error) {
        if (!(error instanceof Unanswered)) throw error
        const { code, message } = error
        if (code === NOT_RECORDED) onMissing(message)
        return { error: { code, message } }
      }
    })
  })
}
