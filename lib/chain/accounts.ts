/** Reading accounts, each list with the Clock that dates it. Every field that is used is checked. */
import bs58 from 'bs58'
import { badAnswer } from '../errors.js'
import { MAX_TIME } from '../time.js'
import { type Commitment, type Moment, momentOfList } from './moment.js'
import { faultOf, isRefusedAsAsked, nodeError } from './node-errors.js'
import { isCount, isRecord } from './checks.js'
import type { KnownAccounts, Question, RawAccount, Rpc } from './types.js'

export const CLOCK = 'SysvarC1ock11111111111111111111111111111111'
const SYSVAR_OWNER = 'Sysvar1111111111111111111111111111111111111'
const CLOCK_BYTES = 40
/** Of one call beside the Clock; plans may allow fewer. */
export const MAX_ACCOUNTS = 99
const at = (commitment: Commitment) => ({ commitment, encoding: 'base64' })
// Of a token account: mint, owner, amount.
const HEAD = { offset: 0, length: 72 }
// An owner that the node's index leaves out.
const EXCLUDED = -32010

const bad = (what: string) => badAnswer(`the node's answer: ${what}`)

function readContext (answer: unknown): { slot: number, value: unknown } {
  if (!isRecord(answer) || !isRecord(answer.context) || !('value' in answer)) throw bad('no context and value')
  const { slot } = answer.context
  if (!isCount(slot)) throw bad('no slot')
  return { slot, value: answer.value }
}

function readList (answer: unknown): { slot: number, value: unknown[] } {
  const { slot, value } = readContext(answer)
  if (!Array.isArray(value)) throw bad('no list of accounts')
  return { slot, value }
}

function readAccount (address: string, account: unknown): RawAccount {
  if (!isRecord(account) || typeof account.owner !== 'string') throw bad('an account without an owner')
  const [text, encoding] = Array.isArray(account.data) ? account.data as unknown[] : []
  const data = Buffer.from(typeof text === 'string' ? text : '', 'base64')
  // Buffer.from skips what is no base64
  if (encoding !== 'base64' || typeof text !== 'string' || data.length !== Buffer.byteLength(text, 'base64')) {
    throw bad('account data that are not base64')
  }
  return { address, owner: account.owner, data, ...account.executable === true && { executable: true } }
}

function readListed (item: unknown): RawAccount {
  if (!isRecord(item) || typeof item.pubkey !== 'string') throw bad('an account without an address')
  return readAccount(item.pubkey, item.account)
}

/** The Clock sysvar: slot u64 at 0, unix_timestamp i64 at 32. */
function readClock (account: unknown): Moment {
  const { owner, data } = readAccount(CLOCK, account)
  if (owner !== SYSVAR_OWNER) throw bad('a Clock of another owner')
  if (data.length !== CLOCK_BYTES) throw bad(`a Clock of ${data.length} bytes`)
  const [slot, time] = [Number(data.readBigUInt64LE(0)), Number(data.readBigInt64LE(32))]
  if (!Number.isSafeInteger(slot) || time < 0 || time > MAX_TIME) throw bad('a Clock that states no time')
  return { slot, time }
}

export const clockQuestion = (commitment: Commitment): Question<null> => ({
  calls: [{ method: 'getAccountInfo', params: [CLOCK, at(commitment)] }],
  commitment,
  read: ([answer]) => ({ moment: readClock(readContext(answer).value), value: null })
})

/** What `take` makes of a list of accounts, dated by the Clock of the same request. */
function listQuestion<T> (
  method: string, params: readonly unknown[], commitment: Commitment,
  take: (accounts: RawAccount[], moment: Moment) => T
): Question<T> {
  const clock = clockQuestion(commitment)
  return {
    calls: [{ method, params }, ...clock.calls],
    commitment,
    read ([listed, ...dated], node) {
      const { slot, value } = readList(listed)
      const moment = momentOfList(slot, clock.read(dated, node).moment, node)
      return { moment, value: take(value.map(readListed), moment) }
    }
  }
}

/** Known accounts that a list of this slot should have, and lacks. */
export const missingOf = (known: KnownAccounts, slot: number, listed: { has (address: string): boolean }): string[] =>
  [...known].flatMap(([address, from]) => from <= slot && !listed.has(address) ? [address] : [])

export type AccountReader = ReturnType<typeof createAccountReader>

/** Throws a ServiceError. */
export const createAccountReader = (rpc: Rpc, commitment: Commitment = 'confirmed') => ({
  /**
   * Every account of `program` whose data begin with `prefix`. A list that lacks one of `known`, or by which `check`
   * throws NODE_BAD_ANSWER, is not believed: the next node is asked, then that is thrown.
   */
  async programAccounts (
    program: string, prefix: Buffer, known: KnownAccounts = new Map(),
    check: (accounts: readonly RawAccount[], moment: Moment) => void = () => {}
  ) {
    const filters = [{ memcmp: { offset: 0, bytes: bs58.encode(prefix) } }]
    const params = [program, { ...at(commitment), withContext: true, filters }]
    return await rpc.ask(listQuestion('getProgramAccounts', params, commitment, (accounts, moment) => {
      // left out one by one they would make a short list look whole
      if (accounts.some(({ owner }) => owner !== program)) throw bad('an account of another program than asked for')
      const addresses = new Set(accounts.map(({ address }) => address))
      if (addresses.size !== accounts.length) throw bad('a program account twice')
      const missing = missingOf(known, moment.slot, addresses)
      if (missing.length > 0) {
        throw bad(`${missing.length} of ${known.size} known program accounts are missing, ${missing[0]} first`)
      }
      check(accounts, moment)
      return accounts
    }), { priority: 'state' })
  },

  /**
   * Accounts of each list of at most 99, in the order asked for; null: there is none. At `minSlot` or later, dated by
   * the oldest list. `length`: bytes to read of each, at least the Clock's 40.
   */
  async accounts (lists: ReadonlyArray<readonly string[]>, minSlot = 0, length?: number) {
    const config = { ...at(commitment), ...length !== undefined && { dataSlice: { offset: 0, length } } }
    return await rpc.ask({
      // without `minContextSlot`, which not every node takes: the Clock tells
      calls: lists.map(addresses => ({ method: 'getMultipleAccounts', params: [[...addresses, CLOCK], config] })),
      commitment,
      read (results, { host }) {
        const read = lists.map((addresses, at) => {
          const { value } = readList(results[at])
          if (value.length !== addresses.length + 1) {
            throw bad(`${value.length} accounts for ${addresses.length + 1} addresses`)
          }
          const moment = readClock(value.at(-1))
          if (moment.slot < minSlot) {
            throw nodeError(host, 'behind', `is at slot ${moment.slot}, behind ${minSlot}, which was seen already`)
          }
          return { moment, accounts: addresses.map((one, i) => value[i] === null ? null : readAccount(one, value[i])) }
        })
        const [oldest] = read.map(({ moment }) => moment).sort((a, b) => a.time - b.time)
        return { moment: oldest!, value: read.map(({ accounts }) => accounts) }
      }
    })
  },

  /** First 72 bytes of an owner's accounts of one token program; undefined: no node lists them, or not so many. */
  async tokenAccounts (owner: string, programId: string) {
    const params = [owner, { programId }, { ...at(commitment), dataSlice: HEAD }]
    return await rpc.ask(listQuestion('getTokenAccountsByOwner', params, commitment, accounts => {
      // some nodes ignore dataSlice
      if (accounts.some(({ data }) => data.length < HEAD.length)) throw bad('a token account of another length')
      return accounts.map(({ address, data }) => ({ address, data: data.subarray(0, HEAD.length) }))
    })).catch((error: unknown) => {
      const { reason = '', rpcCode = 0 } = faultOf(error) ?? {}
      const isOffered = !['unsupported', 'too-large'].includes(reason) && rpcCode !== EXCLUDED
      if (isOffered && !isRefusedAsAsked(error)) throw error
      return undefined
    })
  }
})
