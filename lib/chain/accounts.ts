import bs58 from 'bs58'
import { ServiceError } from '../errors.js'
import { MAX_TIME } from '../time.js'
import { isRecord, type Question, type Rpc } from './rpc.js'
import { type Moment, momentOfList } from './moment.js'
import type { AccountReader, AtMoment, CallOptions, KnownAccounts, RawAccount } from './types.js'

/**
 * Reading accounts, each list with the Clock that dates it. A node's answer is `unknown` until every field that is used
 * has been checked.
 */

/** The account of the chain's own slot and time. */
export const CLOCK = 'SysvarC1ock11111111111111111111111111111111'
const SYSVAR_OWNER = 'Sysvar1111111111111111111111111111111111111'
const CLOCK_BYTES = 40
/** Most accounts that a node gives in one call, and what the Clock leaves of them. */
export const MAX_ACCOUNTS = 99
const COMMITMENT = 'confirmed'

const bad = (what: string): ServiceError => new ServiceError('NODE_BAD_ANSWER', `the node's answer: ${what}`)

function readContext (answer: unknown): { slot: number, value: unknown } {
  if (!isRecord(answer) || !isRecord(answer.context) || !('value' in answer)) throw bad('no context and value')
  const { slot } = answer.context
  if (typeof slot !== 'number' || !Number.isSafeInteger(slot) || slot < 0) throw bad('no slot')
  return { slot, value: answer.value }
}

function readList (answer: unknown): { slot: number, value: unknown[] } {
  const { slot, value } = readContext(answer)
  if (!Array.isArray(value)) throw bad('no list of accounts')
  return { slot, value }
}

function readAccount (address: string, account: unknown): RawAccount {
  if (!isRecord(account) || typeof account.owner !== 'string') throw bad('an account without an owner')
  const { data } = account
  if (!Array.isArray(data) || data[1] !== 'base64') throw bad('account data that are not base64')
  return { address, owner: account.owner, data: readData(data[0]) }
}

function readData (data: unknown): Buffer {
  const bytes = Buffer.from(typeof data === 'string' ? data : '', 'base64')
  // Buffer.from passes over what is no base64: count what it should have given
  if (typeof data !== 'string' || bytes.length !== Buffer.byteLength(data, 'base64')) {
    throw bad('account data that are not base64')
  }
  return bytes
}

/** The moment that the Clock sysvar states: slot u64 at 0, unix_timestamp i64 at 32. */
function readClock (account: unknown): Moment {
  const { owner, data } = readAccount(CLOCK, account)
  if (owner !== SYSVAR_OWNER) throw bad('a Clock of another owner')
  if (data.length !== CLOCK_BYTES) throw bad(`a Clock of ${data.length} bytes`)
  const [slot, time] = [Number(data.readBigUInt64LE(0)), Number(data.readBigInt64LE(32))]
  if (!Number.isSafeInteger(slot) || time < 0 || time > MAX_TIME) throw bad('a Clock that states no time')
  return { slot, time }
}

const clockCall = (commitment: string) =>
  ({ method: 'getAccountInfo', params: [CLOCK, { commitment, encoding: 'base64' }] })

/** Asks for the Clock alone. */
export const clockQuestion = (commitment: Question<null>['commitment']): Question<null> => ({
  calls: [clockCall(commitment)],
  commitment,
  read: ([answer]) => ({ moment: readClock(readContext(answer).value), value: null })
})

/** The known accounts that a state of `slot` would hold, and `addresses` don't. */
function lacking (slot: number, addresses: ReadonlySet<string>, known: KnownAccounts): string[] {
  return Array.from(known).flatMap(([address, from]) => from <= slot && !addresses.has(address) ? [address] : [])
}

/** An AccountReader over JSON-RPC. */
export function createAccountReader (rpc: Rpc): AccountReader {
  async function accountLists (
    lists: ReadonlyArray<readonly string[]>, minSlot?: number, options?: CallOptions
  ): Promise<AtMoment<Array<Array<RawAccount | null>>>> {
    if (lists.some(({ length }) => length > MAX_ACCOUNTS)) {
      throw new RangeError(`at most ${MAX_ACCOUNTS} accounts in one call`)
    }
    const least = minSlot === undefined ? {} : { minContextSlot: minSlot }
    const config = { commitment: COMMITMENT, encoding: 'base64', ...least }
    return await rpc.ask({
      calls: lists.map(addresses => ({ method: 'getMultipleAccounts', params: [[...addresses, CLOCK], config] })),
      commitment: COMMITMENT,
      read (results) {
        const read = results.map((result, at) => {
          const addresses = lists[at]!
          const { value } = readList(result)
          if (value.length !== addresses.length + 1) {
            throw bad(`${value.length} accounts for ${addresses.length + 1} addresses`)
          }
          const moment = readClock(value.at(-1))
          if (minSlot !== undefined && moment.slot < minSlot) {
            const what = `the node is at slot ${moment.slot}, behind ${minSlot}, which was seen already`
            throw new ServiceError('NODE_UNAVAILABLE', what)
          }
          const accounts = addresses.map((address, i) => value[i] === null ? null : readAccount(address, value[i]))
          return { moment, accounts }
        })
        const oldest = read.reduce((oldest, { moment }) => moment.time < oldest.time ? moment : oldest, read[0]!.moment)
        return { moment: oldest, value: read.map(({ accounts }) => accounts) }
      }
    }, options)
  }

  return {
    async programAccounts (program, prefix, options) {
      const filters = [{ memcmp: { offset: 0, bytes: bs58.encode(prefix) } }]
      const known: KnownAccounts = options?.known ?? new Map()
      return await rpc.ask({
        calls: [
          {
            method: 'getProgramAccounts',
            params: [program, { commitment: COMMITMENT, encoding: 'base64', withContext: true, filters }]
          },
          clockCall(COMMITMENT)
        ],
        commitment: COMMITMENT,
        read ([listed, clock], node) {
          const { slot, value } = readList(listed)
          const moment = momentOfList(slot, readClock(readContext(clock).value), node)
          const accounts = value.map(item => {
            if (!isRecord(item) || typeof item.pubkey !== 'string') throw bad('a program account without an address')
            return readAccount(item.pubkey, item.account)
          })
          // left out one by one they would make a list that is short and looks whole
          if (accounts.some(({ owner }) => owner !== program)) throw bad('an account of another program than asked for')
          const addresses = new Set(accounts.map(({ address }) => address))
          if (addresses.size !== accounts.length) throw bad('a program account twice')
          const missing = lacking(moment.slot, addresses, known)
          if (missing.length > 0) {
            throw bad(`${missing.length} of ${known.size} known program accounts are missing, ${missing[0]} first`)
          }
          return { moment, value: accounts }
        }
      }, options)
    },

    async accounts (addresses, minSlot, options) {
      const { value: [accounts], ...rest } = await accountLists([addresses], minSlot, options)
      return { ...rest, value: accounts! }
    },
    accountLists
  }
}
