import bs58 from 'bs58'
import { inSlices } from '../async.js'
import { ServiceError } from '../errors.js'
import { decodeBase64 } from './account-data.js'
import { isRecord, type Rpc } from './rpc.js'
import type { AccountReader, AtSlot, CallOptions, KnownAccounts, RawAccount } from './types.js'

/** Reading accounts. A node's answer is `unknown` until every field that is used has been checked. */

/** Most accounts that a node gives in one call. */
export const MAX_ACCOUNTS = 100
const COMMITMENT = 'confirmed'

const bad = (what: string): ServiceError => new ServiceError('NODE_BAD_ANSWER', `the node's answer: ${what}`)

function readContext (answer: unknown): AtSlot<unknown[]> {
  if (!isRecord(answer) || !isRecord(answer.context) || !Array.isArray(answer.value)) throw bad('no context and value')
  const { slot } = answer.context
  if (typeof slot !== 'number' || !Number.isSafeInteger(slot) || slot < 0) throw bad('no slot')
  return { slot, value: answer.value }
}

function readAccount (address: string, account: unknown): RawAccount {
  if (!isRecord(account) || typeof account.owner !== 'string') throw bad('an account without an owner')
  const { data } = account
  if (!Array.isArray(data) || data[1] !== 'base64') throw bad('account data that are not base64')
  return { address, owner: account.owner, data: readData(data[0]) }
}

/** Those of a long answer come as bytes, the others as text. */
function readData (data: unknown): Buffer {
  if (Buffer.isBuffer(data)) return data
  const bytes = typeof data === 'string' ? decodeBase64(data) : undefined
  if (bytes === undefined) throw bad('account data that are not base64')
  return bytes
}

/** The known accounts that a state of `slot` would hold, and `addresses` don't. */
export function lacking (slot: number, addresses: ReadonlySet<unknown>, known: KnownAccounts): string[] {
  return Array.from(known).flatMap(([address, from]) => from <= slot && !addresses.has(address) ? [address] : [])
}

/** Whether an answer to getProgramAccounts lacks an account that is known. */
function isShort (answer: unknown, known: KnownAccounts): boolean {
  if (!isRecord(answer) || !isRecord(answer.context) || !Array.isArray(answer.value)) return known.size > 0
  return lacking(Number(answer.context.slot), new Set(answer.value.map(row => isRecord(row) ? row.pubkey : undefined)), known).length > 0
}

/** An AccountReader over JSON-RPC. */
export function createAccountReader (rpc: Rpc): AccountReader {
  /** What a call asks for `target`, beside what the method adds. */
  const params = (target: unknown, minSlot: number | undefined, extra: object = {}): unknown[] =>
    [target, { commitment: COMMITMENT, encoding: 'base64', ...extra, ...(minSlot !== undefined && { minContextSlot: minSlot }) }]

  function check (result: unknown, minSlot: number | undefined): AtSlot<unknown[]> {
    const answer = readContext(result)
    if (minSlot !== undefined && answer.slot < minSlot) {
      throw new ServiceError('NODE_UNAVAILABLE', `the node is at slot ${answer.slot}, behind ${minSlot}, which was seen already`)
    }
    return answer
  }

  async function accountLists (lists: ReadonlyArray<readonly string[]>, minSlot?: number, options?: CallOptions): Promise<Array<AtSlot<Array<RawAccount | null>>>> {
    if (lists.some(({ length }) => length > MAX_ACCOUNTS)) throw new RangeError(`at most ${MAX_ACCOUNTS} accounts in one call`)
    const replies = await rpc.send(lists.map(addresses => ({ method: 'getMultipleAccounts', params: params(addresses, minSlot) })), options)
    return replies.map((reply, at) => {
      if ('error' in reply) throw reply.error
      const addresses = lists[at]!
      const { slot, value } = check(reply.result, minSlot)
      if (value.length !== addresses.length) throw bad(`${value.length} accounts for ${addresses.length} addresses`)
      return { slot, value: value.map((account, i) => account === null ? null : readAccount(addresses[i]!, account)) }
    })
  }

  return {
    async programAccounts (program, prefix, minSlot, options) {
      const filters = [{ memcmp: { offset: 0, bytes: bs58.encode(prefix) } }]
      const known: KnownAccounts = options?.known ?? new Map()
      const doubt = (answer: unknown) => isShort(answer, known)
      const { slot, value } = check(await rpc.call('getProgramAccounts', params(program, minSlot, { withContext: true, filters }), { ...options, doubt }), minSlot)
      const accounts = await inSlices(value, item => {
        if (!isRecord(item) || typeof item.pubkey !== 'string') throw bad('a program account without an address')
        return readAccount(item.pubkey, item.account)
      })
      // left out one by one they would make a list that is short and looks whole
      if (accounts.some(({ owner }) => owner !== program)) throw bad('an account of another program than asked for')
      const addresses = new Set(accounts.map(({ address }) => address))
      if (addresses.size !== accounts.length) throw bad('a program account twice')
      const missing = lacking(slot, addresses, known)
      if (missing.length > 0) throw bad(`${missing.length} of ${known.size} known program accounts are missing, ${missing[0]} first`)
      return { slot, value: accounts }
    },

    accounts: async (addresses, minSlot, options) => (await accountLists([addresses], minSlot, options))[0]!,
    accountLists
  }
}
