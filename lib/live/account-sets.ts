import { LRUCache } from 'lru-cache'
import { createPauses, inSlices } from '../async.js'
import { type AccountReader, MAX_ACCOUNTS } from '../chain/accounts.js'
import { isRefusedAsAsked } from '../chain/node-errors.js'
import type { RawAccount } from '../chain/types.js'
import { chunks } from '../chunks.js'
import { badAnswer, isServiceError, type ServiceError } from '../errors.js'
import { PROGRAMS } from '../protocol/addresses.js'
import { DecodeError } from '../protocol/bytes.js'
import { type Part, partOf } from './fresh.js'

export type Accounts = Map<string, RawAccount>

/** Accounts that were read together: of one slot where one call holds them all. */
export interface AccountSet {
  slot: number
  asked: ReadonlySet<string>
  /** By address, without those that merely hold lamports: anyone can send some to an unused address. */
  accounts: Accounts
}

/** Times that accounts are read before some that change between reads count as a failure. */
const MAX_ROUNDS = 3
/** Node calls sent together: public nodes allow 40 of one method in 10 s. */
const CALLS_AT_ONCE = 4
const MAX_KEPT = 2_000

const isUnused = ({ owner, data }: RawAccount) => owner === PROGRAMS.system && data.length === 0

/** A DecodeError or ServiceError as the ServiceError of `key`'s accounts; rethrows anything else. */
export function wrongWith (key: string, error: unknown): ServiceError {
  if (error instanceof DecodeError) return badAnswer(`${key}: ${error.message}`, error)
  if (isServiceError(error)) return error
  throw error
}

export type SetReader = ReturnType<typeof createSetReader>

export function createSetReader (reader: AccountReader) {
  /** Further addresses that were needed the last time, so that reading once is enough. */
  const needed = new LRUCache<string, readonly string[]>({ max: MAX_KEPT })
  /** Accounts that nodes give by one call. */
  let most = MAX_ACCOUNTS

  /** Halves the accounts of a call where a node refuses that many. */
  async function read (
    parts: Part[], wanted: ReadonlyMap<string, ReadonlySet<string>>, minSlot?: number, size = most
  ): Promise<Map<string, AccountSet>> {
    const found = new Map<string, AccountSet>()
    const calls: Array<Array<{ address: string, set: AccountSet }>> = []
    for (const [key, asked] of wanted) {
      const set = { slot: Infinity, asked, accounts: new Map<string, RawAccount>() }
      found.set(key, set)
      for (const some of chunks([...asked], size)) {
        if (calls.length === 0 || calls.at(-1)!.length + some.length > size) calls.push([])
        for (const address of some) calls.at(-1)!.push({ address, set })
      }
    }
    try {
      for (const some of chunks(calls, CALLS_AT_ONCE)) {
        const { value, ...at } = await reader.accounts(some.map(call => call.map(({ address }) => address)), minSlot)
        parts.push(partOf(at))
        for (const [index, call] of some.entries()) {
          call.forEach(({ address, set }, place) => {
            const account = value[index]![place]!
            set.slot = Math.min(set.slot, at.moment.slot)
            if (account !== null && !isUnused(account)) set.accounts.set(address, account)
          })
        }
      }
    } catch (error) {
      if (size === 1 || !isRefusedAsAsked(error)) throw error
      return await read(parts, wanted, minSlot, size >> 1)
    }
    most = Math.min(most, size)
    return found
  }

  /**
   * What `make` gives of each item, or what is wrong with it, by its key, from its accounts at `minSlot` or later:
   * those of `firstOf`, the key first; where `make` returns addresses, all are read again with these. `make` may throw
   * a DecodeError. Throws the ServiceError of a failed read.
   */
  return async function readSets<T, V> (
    parts: Part[],
    items: Iterable<T>,
    firstOf: (item: T) => readonly [key: string, ...others: string[]],
    make: (item: T, set: AccountSet) => Promise<V | string[]> | V | string[],
    minSlot?: number
  ): Promise<Map<string, V | ServiceError>> {
    const all = new Map(await inSlices(items, item => {
      const first = firstOf(item)
      return [first[0], { item, first }] as const
    }))
    const done = new Map<string, V | ServiceError>()
    let open = [...all.keys()]
    for (let round = 0; round < MAX_ROUNDS && open.length > 0; round++) {
      const sets = await read(parts, new Map(open.map(key =>
        [key, new Set([...all.get(key)!.first, ...needed.get(key) ?? []])])), minSlot)
      const pause = createPauses()
      open = []
      for (const [key, set] of sets) {
        await pause()
        try {
          const made = await make(all.get(key)!.item, set)
          if (Array.isArray(made)) {
            needed.set(key, made)
            open.push(key)
          } else done.set(key, made)
        } catch (error) {
          done.set(key, wrongWith(key, error))
        }
      }
    }
    for (const key of open) done.set(key, badAnswer(`the accounts of ${key} changed with every read`))
    return done
  }
}
