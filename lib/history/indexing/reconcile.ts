import { CURRENT_MS, type Moment } from '../../chain/moment.js'
import { isLost } from '../rules/losses.js'
import { isKnown, provenReading, type SequenceGap } from '../rules/sequence-gaps.js'
import type { Accounts, AccountState } from '../rules/rows.js'
import type { Context } from './context.js'
import { createJudge } from './judge.js'
import { createMissingOwners } from './owners.js'
import { createSearch } from './search.js'

/** Readings that wait for the walk. If it stalls, the oldest is compared next, and the newest once it goes on. */
const MAX_WAITING = 8

export function createReconciler (context: Context) {
  const { writer, daos } = context
  const judge = createJudge(context)
  const owners = createMissingOwners(context)
  /** Readings that the walk may not have reached yet, oldest first. */
  let waiting: Accounts[] = []
  let verifiedTo: Moment | null = null
  let created = new Map<string, number | undefined>()
  /** The newest finalized moment up to which all that nodes list is stored. */
  let walked: Moment | undefined
  const search = createSearch(context)

  const lastStored = (dao: string): bigint => writer.state.sequenceRanges.get(dao)?.at(-1)?.last ?? 0n

  const verifiedSlot = () => verifiedTo?.slot ?? 0

  function note (accounts: Accounts): void {
    created = new Map(accounts.daos.map(({ address, createdAt }) => [address, createdAt]))
    const { slot } = accounts
    if (slot <= verifiedSlot() || waiting.some(other => other.slot === slot)) return
    waiting = [...waiting, accounts].sort((a, b) => a.slot - b.slot)
    if (waiting.length > MAX_WAITING) waiting.splice(1, 1)
  }

  /** The newest number of a DAO that is stored, or known to be missing or lost. */
  function lastKnown (dao: string): bigint {
    const { numbersAhead, numbersBefore } = writer.state
    return [numbersAhead.get(dao) ?? 0n, numbersBefore.get(dao)?.seq ?? 0n]
      .reduce((last, one) => one > last ? one : last, lastStored(dao))
  }

  /** Of DAOs without a stored event since the last loss: what they have may be lost, what comes from now on is not. */
  async function noteFirst ({ daos, slot, time }: Accounts): Promise<void> {
    const { indexedRanges, losses, numbersBefore, sequenceRanges } = writer.state
    const { toSlot: lostTo, until } = losses[0] ?? { toSlot: 0, until: 0 }
    if (slot <= lostTo) return
    const begun = Math.max(indexedRanges[0]?.oldestTime ?? Infinity, until ?? Infinity)
    const first = daos.filter(({ address }) => (sequenceRanges.get(address)?.at(-1)?.lastSlot ?? 0) <= lostTo &&
      (numbersBefore.get(address)?.slot ?? 0) <= lostTo)
      .map(({ address, seqNum, createdAt = 0 }) =>
        [address, { seq: createdAt > begun && !sequenceRanges.has(address) ? 0n : seqNum, slot, at: time }] as const)
    if (first.length > 0) await writer.commit({ events: [], numbersBefore: new Map([...numbersBefore, ...first]) })
  }

  /** Notes `accounts` as they are final, of which the walk shows sooner that all is stored, and nothing else. */
  async function noteFinal (accounts: Accounts): Promise<void> {
    const ahead = accounts.daos.filter(({ address, seqNum }) => seqNum > lastKnown(address))
    if (ahead.length === 0) return
    const { daos: final, slot, time } = await daos(ahead.map(({ address }) => address))
    // the next walk passes `accounts`; what is not shown may not be final at all
    if (slot >= accounts.slot || final.length < ahead.length) return
    const numbers = new Map(final.map(({ address, seqNum }) => [address, seqNum]))
    const asFinal = (dao: AccountState) => ({ ...dao, seqNum: numbers.get(dao.address) ?? dao.seqNum })
    // what it numbers beyond the list may not be final at all, as a node may give what is confirmed
    note({ slot, time, isFinal: true, daos: accounts.daos.map(asFinal) })
    await settle()
  }

  /** Compares with the newest reading that proves something. */
  async function settle (): Promise<void> {
    const found = walked && provenReading(waiting, walked, lastKnown)
    if (found === undefined) return
    const { reading, upTo } = found
    await noteFirst(reading)
    const { numbersAhead, sequenceRanges } = writer.state
    // nothing that is stored shows what is missing at the end of a DAO's numbers
    const ahead = new Map(reading.daos
      .filter(({ address, seqNum }) => !sequenceRanges.has(address) || seqNum > lastStored(address))
      .map(({ address, seqNum }) => [address, seqNum]))
    if (ahead.size !== numbersAhead.size || [...ahead].some(([dao, seq]) => numbersAhead.get(dao) !== seq)) {
      await writer.commit({ events: [], numbersAhead: ahead })
    }
    // a later slot's time may be an estimate
    if (upTo.slot > verifiedSlot()) verifiedTo = { ...upTo, time: Math.max(upTo.time, verifiedTo?.time ?? 0) }
    waiting = waiting.filter(({ slot }) => slot - 1 > verifiedSlot())
  }

  /** The accounts have not confirmed what is walked to within what finality takes, as after a start or an outage. */
  const isLate = () =>
    walked === undefined || verifiedTo === null || (walked.time - verifiedTo.time) * 1000 > CURRENT_MS.finalized

  return {
    search,
    get walked () { return walked },
    get verifiedTo () { return verifiedTo },
    get isLate () { return isLate() },
    known: () => ({
      ...writer.state,
      sequenceGaps: writer.sequenceGaps,
      verifiedTo,
      isLost: (gap: SequenceGap) => isLost(gap, search.met(gap), created.get(gap.dao), writer.state),
      missingOwners: owners.missingOwners
    }),
    /** Whether each sequence gap has been searched. */
    get searched () { return [...writer.sequenceGaps.values()].flat().every(search.met) },
    /** Whether a waiting reading would tell something new. */
    get needsWalk () {
      return waiting.length > 0 && (isLate() || writer.state.missing.size > 0 || writer.sequenceGaps.size > 0)
    },
    /** Whether a waiting reading is ahead of what is stored. */
    get isAhead () { return waiting.some(reading => !isKnown(reading, lastKnown)) },
    note,
    settle,
    /** All up to `asked` has been walked. Throws what the node throws. */
    async reached (asked: Moment): Promise<void> {
      if (walked === undefined || (asked.slot > walked.slot && asked.time >= walked.time)) walked = asked
      await settle()
      await owners.look(verifiedSlot())
    },
    /** Reads the accounts and compares; where it is late, and has read the last day, as they are final, too. */
    async check (isCovered: boolean): Promise<void> {
      const accounts = await daos()
      note(accounts)
      await settle()
      if (isCovered && isLate()) await noteFinal(accounts)
      await judge(accounts.daos)
    }
  }
}

export type Reconciler = ReturnType<typeof createReconciler>
