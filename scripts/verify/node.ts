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
interface AtSlot { context: { slot: number }, value: { owner: string, data: [string] } | null }
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
  const answer = await ask(where, body && {
    method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body)
  })
  if (answer.ok) return await answer.json() as T
  return refuse(`${new URL(where).host}: ${answer.status} ${await answer.text()}`)
}

export type Node = ReturnType<typeof nodeAt>

export function nodeAt (rpc: string) {
  async function call<T> (method: string, ...params: unknown[]): Promise<T> {
    const { result, error } = await read<{ result: T | null, error?: { message: string } }>(
      rpc,
      { jsonrpc: '2.0', id: 1, method, params }
    )
    return result ?? refuse(`${method} ${params[0]}: ${error?.message ?? 'the node does not have it'}`)
  }

  /** An account at `confirmed`, and the slot that it was read at; undefined: there is none. */
  async function account (address: string): Promise<{ slot: number, owner: string, data: Buffer } | undefined> {
    const options = { encoding: 'base64', commitment: 'confirmed' }
    const { context: { slot }, value } = await call<AtSlot>('getAccountInfo', address, options)
    return value === null ? undefined : { slot, owner: value.owner, data: Buffer.from(value.data[0], 'base64') }
  }

  return {
    account,
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
      return inner.flatMap(({ index, instructions }) => instructions
        .map((call, place) => ({ ...call, index: index * 65_536 + place }))
        .filter(({ programIdIndex, accounts }) =>
          keys[programIdIndex] === program && accounts.length === 1 && keys[accounts[0]!] === authority)
        .map(({ data, index }) => ({ data: Buffer.from(bs58.decode(data)), index, isNamed }))
        .filter(({ data }) => data.subarray(0, EVENT.length).equals(EVENT)))
    }
  }
}
