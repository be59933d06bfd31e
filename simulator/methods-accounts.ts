/** The methods that read accounts, as they were at the slot that the answer names. */
import { type Entry } from './accounts.js'
import { LOADER } from './addresses.js'
import { base58, fromBase58 } from './bytes.js'
import { CLOCK, clockAccount } from './clock-account.js'
import { type Ledger } from './ledger.js'
import { type View } from './methods.js'
import { invalidParams } from './rpc-error.js'

interface Filter { dataSize?: number, memcmp?: { offset: number, bytes: string } }

export interface AccountConfig {
  encoding?: string
  dataSlice?: { offset: number, length: number }
  filters?: Filter[]
  withContext?: boolean
}

const MAX_ACCOUNTS = 100
const TOKEN_ACCOUNT = 165
/** What a longer account of the newer token program says of itself behind that. */
const TYPE_ACCOUNT = 2
const isTokenAccount = (data: Buffer): boolean =>
  data.length === TOKEN_ACCOUNT || data[TOKEN_ACCOUNT] === TYPE_ACCOUNT

export function requireAddress (value: unknown): string {
  if (typeof value !== 'string') throw invalidParams('Invalid param: WrongSize')
  let bytes: Buffer
  try {
    bytes = fromBase58(value)
  } catch {
    throw invalidParams('Invalid param: Invalid')
  }
  if (bytes.length !== 32) throw invalidParams('Invalid param: WrongSize')
  return value
}

/** Accounts as JSON text, straight from the cached base64 where nothing is sliced. */
function writeAccount (entry: Entry, { encoding, dataSlice }: AccountConfig): string {
  if (encoding !== 'base64') throw invalidParams('this node knows encoding base64 only')
  const whole = entry.data()
  const data = dataSlice === undefined
    ? entry.base64()
    : whole.toString('base64', dataSlice.offset, dataSlice.offset + dataSlice.length)
  return `{"data":["${data}","base64"],"executable":${entry.owner === LOADER},"lamports":${entry.lamports},` +
    `"owner":"${entry.owner}","rentEpoch":18446744073709551615,"space":${whole.length}}`
}

function compile (filters: Filter[]): (data: Buffer) => boolean {
  if (filters.length > 4) throw invalidParams('Too many filters provided; max 4')
  const tests = filters.map(({ dataSize, memcmp }) => {
    if (dataSize !== undefined) return (data: Buffer) => data.length === dataSize
    if (memcmp === undefined) throw invalidParams('Invalid params: unknown filter')
    const wanted = fromBase58(memcmp.bytes)
    if (wanted.length > 128) throw invalidParams('Data too large')
    const { offset } = memcmp
    return (data: Buffer) => wanted.equals(data.subarray(offset, offset + wanted.length))
  })
  return data => tests.every(test => test(data))
}

export function createAccountMethods (ledger: Ledger) {
  const { states } = ledger
  function valueOf (given: unknown, view: View): string {
    const address = requireAddress(given)
    const entry = states.get(address, view.slot) ?? (address === CLOCK ? clockAccount(ledger, view) : undefined)
    return entry === undefined ? 'null' : writeAccount(entry, view.config)
  }
  /** Accounts of a program whose bytes pass. */
  const rowsOf = (program: unknown, view: View, passes: (data: Buffer) => boolean): string[] =>
    states.ofProgram(requireAddress(program), view.slot).filter(entry => passes(entry.data()))
      .map(entry => `{"account":${writeAccount(entry, view.config)},"pubkey":"${entry.address}"}`)
  const context = (view: View) => `{"apiVersion":"4.2.2","slot":${view.slot}}`
  return {
    getAccountInfo: (params: unknown[], view: View): string =>
      `{"context":${context(view)},"value":${valueOf(params[0], view)}}`,

    getMultipleAccounts (params: unknown[], view: View): string {
      const addresses = params[0]
      if (!Array.isArray(addresses)) throw invalidParams('Invalid params: invalid type, expected a sequence.')
      if (addresses.length > MAX_ACCOUNTS) throw invalidParams(`Too many inputs provided; max ${MAX_ACCOUNTS}`)
      const values = addresses.map(address => valueOf(address, view))
      return `{"context":${context(view)},"value":[${values.join()}]}`
    },

    getProgramAccounts (params: unknown[], view: View): string {
      const found = rowsOf(params[0], view, compile(view.config.filters ?? []))
      const short = view.fault('short-accounts')
      const leftOut = short === undefined ? 0 : Number(short.value ?? found.length)
      const list = `[${found.slice(leftOut).join()}]`
      return view.config.withContext === true ? `{"context":${context(view)},"value":${list}}` : list
    },

    /** The token accounts of an owner, as nodes list them that keep that index. */
    getTokenAccountsByOwner (params: unknown[], view: View): string {
      const owner = requireAddress(params[0])
      const { programId, mint } = Object(params[1]) as { programId?: string, mint?: string }
      if ((programId === undefined) === (mint === undefined)) throw invalidParams('Invalid params: programId or mint')
      // by a mint it knows none
      const rows = programId === undefined
        ? []
        : rowsOf(programId, view, data => isTokenAccount(data) && base58(data.subarray(32, 64)) === owner)
      return `{"context":${context(view)},"value":[${rows.join()}]}`
    }
  }
}
