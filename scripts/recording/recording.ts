/** A node's answers to everything that the service asks: on this file alone the whole service runs. */

export interface ProgramAccounts {
  program: string
  filters: unknown
  addresses: string[]
}

export interface Recording {
  format: typeof FORMAT
  /** FACTORY_ADDRESS of the service that asked. */
  program: string
  /**
   * Newest slot that was seen, at which everything is answered; and the time of the newest transaction, unix seconds.
   */
  slot: number
  time: number
  programAccounts: ProgramAccounts[]
  /** By address, as `getMultipleAccounts` gives them; null: the node says there is none. */
  accounts: Record<string, unknown>
  /** By address, whole and newest first, as `getSignaturesForAddress` gives them. */
  signatures: Record<string, SignatureRow[]>
  /** By signature, as `getTransaction` gives them. */
  transactions: Record<string, unknown>
}

export interface SignatureRow {
  signature: string
  slot: number
  blockTime?: number | null
}

/** A JSON-RPC call, and what a node answers to it. */
export interface RpcCall { method: string, params: readonly unknown[] }
export type RpcReply = { result: unknown } | { error: { code: number, message: string } }

export const FORMAT = 1

const sorted = <T>(record: Record<string, T>): Array<[string, T]> =>
  Object.entries(record).sort(([a], [b]) => a < b ? -1 : 1)
const block = (open: string, lines: string[], close: string): string =>
  lines.length === 0 ? open + close : `${open}\n${lines.map(line => `    ${line}`).join(',\n')}\n  ${close}`
const lines = (record: Record<string, unknown>): string =>
  block('{', sorted(record).map(([key, value]) => `${JSON.stringify(key)}: ${JSON.stringify(value)}`), '}')

/**
 * The text of a recording: a line for each account, each row and each transaction, in an order that depends on nothing
 * but them.
 */
export function writeRecording (recording: Recording): string {
  const { format, program, slot, time } = recording
  const rows = sorted(recording.signatures).map(([address, list]) =>
    `${JSON.stringify(address)}: [${list.map(row => `\n      ${JSON.stringify(row)}`).join()}\n    ]`)
  const found = recording.programAccounts.map(item => JSON.stringify(item)).sort()
  return `{
  "format": ${format},
  "program": ${JSON.stringify(program)},
  "slot": ${slot},
  "time": ${time},
  "programAccounts": ${block('[', found, ']')},
  "accounts": ${lines(recording.accounts)},
  "signatures": ${block('{', rows, '}')},
  "transactions": ${lines(recording.transactions)}
}
`
}

/** Reads what `writeRecording` has written; throws where it is something else. */
export function readRecording (text: string): Recording {
  const value = JSON.parse(text) as Partial<Recording> | null
  if (value?.format !== FORMAT) throw new TypeError(`no recording of format ${FORMAT}`)
  for (const part of ['programAccounts', 'accounts', 'signatures', 'transactions'] as const) {
    if (typeof value[part] !== 'object') throw new TypeError(`a recording without ${part}`)
  }
  return value as Recording
}

/** Parts of a node's URL that a recording must not hold: its host, and whatever in it may be a key. */
export function nodeSecretsOf (url: string): string[] {
  const { hostname, username, password, pathname, searchParams } = new URL(url)
  const parts = [...pathname.split('/'), ...searchParams.values(), username, password].map(decodeURIComponent)
  return [hostname, ...parts.filter(part => part.length >= MIN_KEY)]
}

/** Shorter parts of a path are names such as `v2`. */
const MIN_KEY = 8
