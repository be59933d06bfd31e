import { inSlices } from '../async.js'
import { missingOf } from '../chain/accounts.js'
import type { AccountReader, AtMoment, KnownAccounts, RawAccount } from '../chain/types.js'
import type { Pair } from '../market/ticker.js'
import { ServiceError } from '../errors.js'
import { DecodeError } from '../protocol/bytes.js'
import type { ProgramClient } from '../protocol/client.js'
import { type Dao, decodeDao } from '../protocol/dao.js'
import { type Made, type Part, partOf } from './fresh.js'
import type { Token, TokenReader } from './tokens.js'

type LeftOutReason = 'excluded' | 'undecodable' | 'no reserves' | 'mint unreadable'

/** What became of one discovered account. */
interface Discovered {
  address: string
  /** Undefined where the account can't be decoded. */
  dao: Dao | undefined
  /** Why it is not listed; undefined where it is. */
  leftOut: LeftOutReason | undefined
}

export interface Snapshot {
  slot: number
  /** Every DAO account, listed or not. */
  discovered: Discovered[]
  /** Every DAO that can be decoded and is not excluded, by address: what answers may speak of. */
  daos: ReadonlyMap<string, Dao>
  /** The pools that are listed. */
  pairs: Pair[]
  /** Tokens of every DAO that is not excluded, by mint; null where the key holds no mint. */
  tokens: ReadonlyMap<string, Token | null>
}

interface SnapshotOptions {
  reader: AccountReader
  tokens: TokenReader
  client: ProgramClient
  excluded: ReadonlySet<string>
  /** Milliseconds, steadily growing. */
  now: () => number
  /** Whether there are DAOs by other sources: then an empty list is the node's fault. */
  expectsSome?: () => boolean
  /** DAOs that are stored, with the slot of a final event: none of them may be missing. */
  stored?: () => Iterable<readonly [address: string, slot: number]>
}

/** An account, and what was made of it. */
interface Known {
  account: RawAccount
  entry: Discovered
}

/** Whether an account is at the address that its own bytes lead to. */
const isOwn = (known: Known | undefined): boolean =>
  known !== undefined && known.entry.dao?.ownAddress === known.account.address

// An account that was seen over so long is final: no instruction of the program closes one.
const FINAL_MS = 60_000

/**
 * Reads all DAOs anew. Throws the ServiceError of the read that failed; a single account that can't be decoded is left
 * out with its reason.
 */
export function createSnapshotReader (
  { reader, tokens: tokenReader, client, excluded, now, expectsSome = () => false, stored = () => [] }: SnapshotOptions
): () => Promise<Made<Snapshot>> {
  /** When each DAO was first seen. */
  const firstSeen = new Map<string, number>()
  /** The accounts of the answer before: of those that are the same nothing is made again. */
  let before = new Map<string, Known>()
  let last: { slot: number, part: Part, all: ReadonlyMap<string, unknown> } | undefined

  /** What one account is, whatever is beside it. */
  function decode (account: RawAccount): Known {
    const { address, owner, data } = account
    const same = before.get(address)
    if (same !== undefined && same.account.owner === owner && same.account.data.equals(data)) return same
    const leftOut = excluded.has(address) ? 'excluded' : undefined
    try {
      return { account, entry: { address, dao: decodeDao(client, account), leftOut } }
    } catch (error) {
      if (!(error instanceof DecodeError)) throw error
      return { account, entry: { address, dao: undefined, leftOut: leftOut ?? 'undecodable' } }
    }
  }

  async function make ({ moment, readAt, value }: AtMoment<RawAccount[]>): Promise<Made<Snapshot>> {
    const { slot } = moment
    if (value.length === 0 && (firstSeen.size > 0 || expectsSome())) {
      throw new ServiceError('NODE_BAD_ANSWER', 'the node gave no DAO at all, though there are some')
    }
    const all = new Map((await inSlices(value, decode)).map(made => [made.account.address, made]))
    const found = [...all.values()]
    for (const made of found) {
      const { account: { address, data }, entry } = made
      const other = isOwn(made) ? undefined : all.get(entry.dao?.ownAddress ?? '')
      // an odd account is like any other; the bytes of another one show that the answer is mixed up
      if (other !== undefined && (!isOwn(other) || isOwn(before.get(address)) || other.account.data.equals(data))) {
        throw new ServiceError('NODE_BAD_ANSWER', `the node gave at ${address} the account of ${other.account.address}`)
      }
    }
    before = all
    const daos = new Map(found.flatMap(({ entry: { address, dao, leftOut } }) =>
      dao === undefined || leftOut !== undefined ? [] : [[address, dao]]))
    const mints = [...daos.values()].flatMap(({ baseMint, quoteMint }) => [baseMint, quoteMint])
    const tokens = await tokenReader.read(mints, slot)
    const pairs: Pair[] = []
    const discovered = found.map(({ entry }): Discovered => {
      const dao = daos.get(entry.address)
      const result = dao && list(dao, tokens)
      if (typeof result === 'string') return { ...entry, leftOut: result }
      if (result !== undefined) pairs.push(result)
      return entry
    })
    for (const { account: { address } } of found) if (!firstSeen.has(address)) firstSeen.set(address, readAt)
    const part = partOf({ moment, readAt })
    last = { slot, part, all }
    return { value: { slot, discovered, daos, pairs, tokens }, parts: [part] }
  }

  /** Excluded ones are nobody's loss, and a way out should an account be gone after all. */
  function knownAt (begun: number): KnownAccounts {
    const known = new Map<string, number>()
    for (const [address, slot] of stored()) if (!excluded.has(address)) known.set(address, slot)
    for (const [address, at] of firstSeen) if (begun - at >= FINAL_MS) known.set(address, 0)
    return known
  }

  /** What has been stored since the answer before may show that it was short. */
  function refuteLast (known: KnownAccounts): void {
    if (last !== undefined && missingOf(known, last.slot, last.all).length > 0) last.part.isRefuted = true
  }

  return async () => {
    const known = knownAt(now())
    refuteLast(known)
    const reading = reader.programAccounts(client.program, client.daoPrefix, known)
    const [accounts] = await Promise.all([reading, client.load()])
    return await make(accounts)
  }
}

/** The pool of a DAO, or why it is not listed. */
function list (
  { address, baseMint, quoteMint, baseReserves, quoteReserves }: Dao, tokens: ReadonlyMap<string, Token | null>
): Pair | LeftOutReason {
  if (baseReserves === 0n || quoteReserves === 0n) return 'no reserves'
  const [base, quote] = [tokens.get(baseMint), tokens.get(quoteMint)]
  if (base == null || quote == null) return 'mint unreadable'
  return {
    address,
    baseMint,
    quoteMint,
    baseReserves,
    quoteReserves,
    baseDecimals: base.decimals,
    quoteDecimals: quote.decimals,
    baseSymbol: base.symbol,
    baseName: base.name,
    quoteSymbol: quote.symbol,
    quoteName: quote.name
  }
}
