import { inSlices } from '../async.js'
import { type AccountReader, missingOf } from '../chain/accounts.js'
import type { Moment } from '../chain/moment.js'
import type { AtMoment, RawAccount } from '../chain/types.js'
import { systemClock } from '../clock.js'
import type { Pair } from '../market/ticker.js'
import { badAnswer } from '../errors.js'
import { DecodeError } from '../protocol/bytes.js'
import type { ProgramClient } from '../protocol/client.js'
import { type Dao, decodeDao, seqNumOf } from '../protocol/dao.js'
import { type Kept, type Part, partOf } from './fresh.js'
import type { Token, TokenReader } from './tokens.js'

type LeftOutReason = 'excluded' | 'undecodable' | 'no reserves' | 'mint unreadable'

interface Discovered extends RawAccount { dao: Dao | undefined, leftOut: LeftOutReason | undefined }

export interface Listed extends Pair { readonly dao: Dao }

export interface Snapshot extends Moment {
  /** That the node states for the accounts: beyond the moment's where another backend gave the Clock beside them. */
  accountsSlot: number
  /** Every DAO account, listed or not. */
  discovered: Discovered[]
  /** Every DAO that can be decoded and is not excluded, by address: what answers may speak of. */
  daos: ReadonlyMap<string, Dao>
  /** By address. */
  pairs: ReadonlyMap<string, Listed>
  /** Tokens of every DAO that is not excluded, by mint; null where the key holds no mint. */
  tokens: ReadonlyMap<string, Token | null>
}

/** The slots of the first and the last final event of a DAO that are stored, null: not known, and the last number. */
export interface StoredDao { firstSlot: number | null, lastSlot: number | null, indexed: bigint }

interface SnapshotOptions {
  reader: AccountReader
  tokens: TokenReader
  client: ProgramClient
  excluded: ReadonlySet<string>
  /** How long after its read an answer may be served, ms. */
  servedMs: number
  /** A list that lacks one of them, or an event of one, is not believed. */
  stored?: () => Iterable<readonly [address: string, dao: StoredDao]>
  /** Resolves once what is stored is known. */
  loaded?: () => Promise<void>
}

/** Longest that the first list waits for what is stored, ms: a silent database may not stop prices. */
const LOADED_WITHIN = 2_000

/** Whether an account is at the address that its bytes lead to. */
const isOwn = (one: Discovered | undefined) => one !== undefined && one.dao?.ownAddress === one.address

/**
 * A DAO that was made so long ago, s by the chain's time, is final: no instruction of the program closes one. A younger
 * one may be gone after a halt: the cluster is restarted from before what was not final.
 */
const FINAL_AFTER = 60

/**
 * Reads all DAOs anew. Throws the ServiceError of the read that failed; a single account that can't be decoded is left
 * out with its reason.
 */
export function createSnapshotReader ({
  reader, tokens: tokenReader, client, excluded, servedMs, stored = () => [], loaded = async () => {}
}: SnapshotOptions): Kept<Snapshot> {
  /** DAOs that a list has had once they were final. */
  const final = new Set<string>()
  /** Earlier answers, newest first; accounts that are the same in the newest are not decoded again. */
  let answers: Array<{ slot: number, part: Part, found: ReadonlyMap<string, Discovered> }> = []

  function decode (account: RawAccount): Discovered {
    const { address, owner, data } = account
    const same = answers[0]?.found.get(address)
    if (same?.owner === owner && same.data.equals(data)) return same
    const leftOut = excluded.has(address) ? 'excluded' : undefined
    try {
      return { ...account, dao: decodeDao(client, account), leftOut }
    } catch (error) {
      if (!(error instanceof DecodeError)) throw error
      return { ...account, dao: undefined, leftOut: leftOut ?? 'undecodable' }
    }
  }

  async function make ({ moment, readAt, value }: AtMoment<RawAccount[]>): Promise<{ snapshot: Snapshot, part: Part }> {
    const { slot, time } = moment
    const found = new Map(await inSlices(value, account => [account.address, decode(account)]))
    for (const [address, made] of found) {
      const other = isOwn(made) ? undefined : found.get(made.dao?.ownAddress ?? '')
      const isMixedUp = other !== undefined &&
        (!isOwn(other) || isOwn(answers[0]?.found.get(address)) || other.data.equals(made.data))
      // an odd account alone proves nothing; the bytes of another one show that the answer is mixed up
      if (isMixedUp) throw badAnswer(`the node gave at ${address} the account of ${other.address}`)
    }
    const daos = new Map([...found].flatMap(([address, { dao, leftOut }]) =>
      dao === undefined || leftOut !== undefined ? [] : [[address, dao]]))
    // a list of none would look like a market without DAOs
    if (daos.size === 0 && [...found.values()].some(({ leftOut }) => leftOut === 'undecodable')) {
      throw badAnswer(`none of ${found.size} DAO accounts has a form that is known`)
    }
    const mints = [...daos.values()].flatMap(({ baseMint, quoteMint }) => [baseMint, quoteMint])
    const tokens = await tokenReader.read(mints, slot)
    const pairs = new Map<string, Listed>()
    const discovered = Array.from(found.values(), (one): Discovered => {
      const dao = daos.get(one.address)
      if (dao === undefined) return one
      const { address, baseReserves, quoteReserves } = dao
      if (baseReserves === 0n || quoteReserves === 0n) return { ...one, leftOut: 'no reserves' }
      const traded = tokensOf(dao, tokens)
      if (traded === undefined) return { ...one, leftOut: 'mint unreadable' }
      pairs.set(address, { address, baseReserves, quoteReserves, ...traded, dao })
      return one
    })
    for (const { address, dao } of found.values()) {
      if (dao !== undefined && time - dao.createdAt >= FINAL_AFTER) final.add(address)
    }
    const part = partOf({ moment, readAt })
    answers = [{ slot, part, found }, ...answers.filter(({ part }) => readAt - part.readAt <= servedMs)]
    return { snapshot: { ...moment, accountsSlot: moment.listSlot ?? slot, discovered, daos, pairs, tokens }, part }
  }

  /** The first account of a list that lacks an event from before its slot: the list is older than it says. */
  const oldOf = (daos: ReadonlyMap<string, StoredDao>, slot: number, accounts: readonly RawAccount[]) =>
    accounts.find(account => {
      const { lastSlot, indexed } = daos.get(account.address) ?? { lastSlot: null, indexed: 0n }
      return lastSlot !== null && lastSlot <= slot && (seqNumOf(account) ?? indexed) < indexed
    })

  /** Refutes lists that lack what is stored. Gives that, and from which slot on a list must have each DAO. */
  function judge () {
    // excluded ones may be missing: a way out, should an account be gone after all
    const daos = new Map([...stored()].filter(([address]) => !excluded.has(address)))
    const born = new Map(Array.from(daos).flatMap(([address, { firstSlot }]) =>
      firstSlot === null ? [] : [[address, firstSlot]]))
    const known = new Map(born)
    for (const address of final) known.set(address, 0)
    // a DAO first seen since may be younger than an earlier one
    for (const [at, { slot, part, found }] of answers.entries()) {
      const old = oldOf(daos, slot, [...found.values()])
      if (old !== undefined || missingOf(at === 0 ? known : born, slot, found).length > 0) part.isRefuted = true
    }
    return { daos, known }
  }

  async function read () {
    const { daos, known } = judge()
    const reading = reader.programAccounts(client.program, client.daoPrefix, known, (accounts, { slot }) => {
      const old = oldOf(daos, slot, accounts)
      if (old === undefined) return
      throw badAnswer(`the node's list has ${old.address} as it was before slot ${slot}`)
    })
    const [accounts] = await Promise.all([reading, client.load()])
    return await make(accounts)
  }

  let start: Promise<unknown> | undefined

  return async parts => {
    // a list that did not wait long enough is judged by it afterwards
    start ??= Promise.race([
      loaded().then(judge), new Promise<void>(resolve => { systemClock.after(LOADED_WITHIN, resolve) })
    ])
    // beside each other: of a node that does not answer the store's network is not known either
    const [first] = await Promise.all([read(), start])
    judge()
    const { snapshot, part } = first.part.isRefuted === true ? await read() : first
    parts.push(part)
    return snapshot
  }
}

/** What a pool trades, which never changes. */
export type PoolTokens = Pick<Pair, 'baseMint' | 'quoteMint' | 'baseDecimals' | 'quoteDecimals'>

/** Tokens of a DAO, with their texts; undefined where a mint can't be read. */
export function tokensOf ({ baseMint, quoteMint }: Dao, tokens: Snapshot['tokens']) {
  const [base, quote] = [tokens.get(baseMint), tokens.get(quoteMint)]
  return base == null || quote == null
    ? undefined
    : {
        baseMint,
        quoteMint,
        baseDecimals: base.decimals,
        quoteDecimals: quote.decimals,
        baseSymbol: base.symbol,
        baseName: base.name,
        quoteSymbol: quote.symbol,
        quoteName: quote.name
      }
}
