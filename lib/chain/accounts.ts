import bs58 from 'bs58'
import { ServiceError } from '../errors.js'
import type { Rpc } from './json-rpc.js'
import { isRecord } from './transport/answer.js'
import type { AccountReader, AtSlot, RawAccount } from './types.js'

/** Reading accounts. A node's answer is `unknown` until every field that is used has been checked. */

/** Most accounts that a node gives in one call. */
export const MOST_ACCOUNTS = 100
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
  if (!Array.isArray(data) || typeof data[0] !== 'string' || data[1] !== 'base64') throw bad('account data that are not base64')
  const bytes = Buffer.from(data[0], 'base64')
  // Buffer.from passes over what is no base64: count what it should have given
  if (bytes.length !== Buffer.byteLength(data[0], 'base64')) throw bad('account data that are not base64')
  return { address, owner: account.owner, data: bytes }
}

/** An AccountReader over JSON-RPC. */
export function createAccountReader (rpc: Rpc): AccountReader {
  async function read (method: string, target: unknown, minSlot: number | undefined, options: object = {}): Promise<AtSlot<unknown[]>> {
    const answer = readContext(await rpc.call(method, [target,
      { commitment: COMMITMENT, encoding: 'base64', ...options, ...(minSlot !== undefined && { minContextSlot: minSlot }) }]))
    if (minSlot !== undefined && answer.slot < minSlot) {
      throw new ServiceError('NODE_UNAVAILABLE', `the node is at slot ${answer.slot}, behind ${minSlot}, which was seen already`)
    }
    return answer
  }

  return {
    async programAccounts (program, prefix, minSlot) {
      const filters = [{ memcmp: { offset: 0, bytes: bs58.encode(prefix) } }]
      const { slot, value } = await read('getProgramAccounts', program, minSlot, { withContext: true, filters })
      const accounts = value.map(item => {
        if (!isRecord(item) || typeof item.pubkey !== 'string') throw bad('a program account without an address')
        return readAccount(item.pubkey, item.account)
      })
      // left out one by one they would make a list that is short and looks whole
      if (accounts.some(({ owner }) => owner !== program)) throw bad('an account of another program than asked for')
      if (new Set(accounts.map(({ address }) => address)).size !== accounts.length) throw bad('a program account twice')
      return { slot, value: accounts }
    },

    async accounts (addresses, minSlot) {
      if (addresses.length > MOST_ACCOUNTS) throw new RangeError(`at most ${MOST_ACCOUNTS} accounts in one call`)
      const { slot, value } = await read('getMultipleAccounts', addresses, minSlot)
      if (value.length !== addresses.length) throw bad(`${value.length} accounts for ${addresses.length} addresses`)
      return { slot, value: value.map((account, i) => account === null ? null : readAccount(addresses[i]!, account)) }
    }
  }
}
