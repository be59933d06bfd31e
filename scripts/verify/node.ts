/** What `npm run verify` asks of a JSON-RPC node. What can't be had ends the process with a line. */
import { PublicKey } from '@solana/web3.js'
import bs58 from 'bs58'
import { ask, refuse } from '../command-line.js'

interface Inner { programIdIndex: number, accounts: number[], data: string }
interface Transaction {
  transaction: { message: { accountKeys: string[] } }
  meta: {
    innerInstructions: Array<{ index: number, instructions: Inner[] }> | null
    logMessages?: string[] | null
    loadedAddresses?: { writable: string[], readonly: string[] }
  }
}
interface AtSlot { context: { slot: number }, value: Array<{ owner: string, data: [string] } | null> }
/** An account, and the slot that it was read at. */
export interface Account { slot: number, owner: string, data: Buffer }
export interface Signature {
  signature: string
  slot: number
  err: unknown
  blockTime: number | null
  /** Newer nodes alone say it. */
  transactionIndex?: number
}
/**
 * An event of the program with its place: outer instruction × 65,536 + place among its inner ones; and whether the
 * transaction's log names a swap, which a long log may have lost.
 */
export interface Placed { data: Buffer, index: number, isNamed: boolean }

/** Before the kind of every event. */
const EVENT = Buffer.from('e445a52e51cb9a1d', 'hex')

/** JSON of a URL. */
export async function read<T> (where: string, body?: object): Promise<T> {
  const { status, text } = await ask(where, body && {
    method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body)
  })
  if (status !== 200) return refuse(`${new URL(where).host}: ${status} ${text.slice(0, 200)}`)
  try {
    return JSON.parse(text) as T
  } catch {
    return refuse(`${new URL(where).host}: no JSON: ${text.slice(0, 80)}`)
  }
}

export type Node = ReturnType<typeof nodeAt>

export function nodeAt (rpc: string) {
  const known = new Map<string, Placed[]>()
  async function call<T> (method: string, ...params: unknown[]): Promise<T> {
    const { result, error } = await read<{ result: T | null, error?: { message: string } }>(
      rpc,
      { jsonrpc: '2.0', id: 1, method, params }
    )
    return result ?? refuse(`${method} ${params[0]}: ${error?.message ?? 'the node does not have it'}`)
  }

  /** Accounts of one moment at `confirmed`; undefined: there is none. */
  async function accounts (...addresses: string[]): Promise<Array<Account | undefined>> {
    const options = { encoding: 'base64', commitment: 'confirmed' }
    const { context: { slot }, value } = await call<AtSlot>('getMultipleAccounts', addresses, options)
    return value.map(found => found === null
      ? undefined
      : { slot, owner: found.owner, data: Buffer.from(found.data[0], 'base64') })
  }

  return {
    accounts,
    account: async (address: string): Promise<Account | undefined> => (await accounts(address))[0],
    /** The finalized slot, and the newest slot's time in Unix seconds. */
    async now (): Promise<{ finalized: number, time: number }> {
      const finalized = await call<number>('getSlot', { commitment: 'finalized' })
      return {
        finalized,
        time: await call<number>('getBlockTime', await call<number>('getSlot', { commitment: 'confirmed' }))
      }
    },
    /** Confirmed transactions of an account that did not fail, newest first, page by page. */
    async * signatures (address: string): AsyncGenerator<Signature> {
      for (let before: string | undefined; ;) {
        const page: Signature[] = await call(
          'getSignaturesForAddress', address, { commitment: 'confirmed', ...before && { before } }
        )
        yield * page.filter(({ err }) => err === null)
        if (page.length === 0) return
        before = page.at(-1)!.signature
      }
    },
    /** Events of a program: calls of itself with its event authority as only account, which nobody else can make. */
    async events (signature: string, program: string): Promise<Placed[]> {
      const before = known.get(signature)
      if (before !== undefined) return before
      const authority = PublicKey.findProgramAddressSync(
        [Buffer.from('__event_authority')], new PublicKey(program)
      )[0].toBase58()
      const options = { encoding: 'json', commitment: 'confirmed', maxSupportedTransactionVersion: 1 }
      const { transaction, meta } = await call<Transaction>('getTransaction', signature, options)
      const keys = [
        ...transaction.message.accountKeys,
        ...meta.loadedAddresses?.writable ?? [],
        ...meta.loadedAddresses?.readonly ?? []
      ]
      const inner = meta.innerInstructions ?? refuse(`the node keeps no inner instructions of ${signature}`)
      const isNamed = meta.logMessages?.some(line => line.includes('Instruction: SpotSwap')) === true
      const events = inner.flatMap(({ index, instructions }) => instructions
        .map((call, place) => ({ ...call, index: index * 65_536 + place }))
        .filter(({ programIdIndex, accounts }) =>
          keys[programIdIndex] === program && accounts.length === 1 && keys[accounts[0]!] === authority)
        .map(({ data, index }) => ({ data: Buffer.from(bs58.decode(data)), index, isNamed }))
        .filter(({ data }) => data.subarray(0, EVENT.length).equals(EVENT)))
      known.set(signature, events)
      return events
    }
  }
}
