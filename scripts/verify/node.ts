/** What `npm run verify` asks of a JSON-RPC node, in the node's own words. What can't be had ends the process with a line. */
import { setTimeout } from 'node:timers/promises'
import { PublicKey } from '@solana/web3.js'
import bs58 from 'bs58'
import { refuse } from '../command-line.js'

interface Inner { programIdIndex: number, accounts: number[], data: string }
interface Transaction {
  transaction: { message: { accountKeys: string[] } }
  meta: { innerInstructions: Array<{ instructions: Inner[] }> | null, loadedAddresses?: { writable: string[], readonly: string[] } }
}

/** JSON of a URL; one that limits its callers is waited for. */
export async function ask<T> (where: string, body?: object): Promise<T> {
  const answer = await fetch(where, body && { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) })
    .catch((error: Error) => refuse(`${new URL(where).origin} can't be asked: ${String(error.cause ?? error)}`))
  if (answer.ok) return await answer.json() as T
  if (answer.status !== 429) return refuse(`${new URL(where).host}: ${answer.status} ${await answer.text()}`)
  await setTimeout(1000 * (Number(answer.headers.get('retry-after')) || 10))   // not told, or as a date
  return await ask(where, body)
}

export function nodeAt (rpc: string) {
  async function call<T> (method: string, of: string, options: object): Promise<T> {
    const { result, error } = await ask<{ result: T | null, error?: { message: string } }>(rpc, { jsonrpc: '2.0', id: 1, method, params: [of, options] })
    return result ?? refuse(`${method} ${of}: ${error?.message ?? 'the node does not have it'}`)
  }

  async function account (address: string): Promise<{ owner: string, data: Buffer }> {
    const { value } = await call<{ value: { owner: string, data: [string] } | null }>('getAccountInfo', address, { encoding: 'base64', commitment: 'confirmed' })
    return value === null ? refuse(`the node knows no account ${address}`) : { owner: value.owner, data: Buffer.from(value.data[0], 'base64') }
  }
  const decimalsOf = async (mint: string): Promise<number> => (await account(mint)).data[44]!

  return {
    /** A DAO's pool, raw units. Reserves stand at fixed places of its account, the mints behind a state that is longer while a proposal is live. */
    async pool (address: string) {
      const { owner: program, data } = await account(address)
      const mints = data[8] === 0 ? 157 : 421
      const [baseMint, quoteMint] = [mints, mints + 32].map(at => bs58.encode(data.subarray(at, at + 32))) as [string, string]
      const [baseDecimals, quoteDecimals] = [await decimalsOf(baseMint), await decimalsOf(quoteMint)]
      const [quote, base] = [data.readBigUInt64LE(109), data.readBigUInt64LE(117)]
      return { program, baseMint, quoteMint, quote, base, quoteDecimals, baseDecimals, quoteUnit: 10n ** BigInt(quoteDecimals), baseUnit: 10n ** BigInt(baseDecimals) }
    },
    /** Signatures of an account's finalized transactions after the Unix second `since`, those that failed left out. */
    async signatures (address: string, since: number): Promise<string[]> {
      const found: string[] = []
      for (let before: string | undefined; ;) {
        const page = await call<Array<{ signature: string, err: unknown, blockTime: number | null }>>('getSignaturesForAddress', address, { commitment: 'finalized', ...before && { before } })
        const recent = page.filter(({ blockTime }) => blockTime === null || blockTime > since)
        found.push(...recent.filter(({ err }) => err === null).map(({ signature }) => signature))
        if (page.length === 0 || recent.length < page.length) return found
        before = page.at(-1)!.signature
      }
    },
    /** Events that a program emitted: calls of itself with its event authority as the only account, which nobody else can make. */
    async events (signature: string, program: string): Promise<Buffer[]> {
      const authority = PublicKey.findProgramAddressSync([Buffer.from('__event_authority')], new PublicKey(program))[0].toBase58()
      const { transaction, meta } = await call<Transaction>('getTransaction', signature, { encoding: 'json', commitment: 'finalized', maxSupportedTransactionVersion: 1 })
      const keys = [...transaction.message.accountKeys, ...meta.loadedAddresses?.writable ?? [], ...meta.loadedAddresses?.readonly ?? []]
      return (meta.innerInstructions ?? refuse(`the node keeps no inner instructions of ${signature}`)).flatMap(({ instructions }) => instructions)
        .filter(({ programIdIndex, accounts }) => keys[programIdIndex] === program && accounts.length === 1 && keys[accounts[0]!] === authority)
        .map(({ data }) => Buffer.from(bs58.decode(data)))
    }
  }
}
