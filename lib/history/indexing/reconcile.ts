import type { Moment } from '../../chain/moment.js'
import { isLost, type KnownDao } from '../rules/losses.js'
import { isStored, provenReading, type SequenceGap } from '../rules/sequence-gaps.js'
import type { Accounts } from '../rules/rows.js'
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
  let created = new Map<string, KnownDao['createdAt']>()
  const proved = new Map<string, NonNullable<KnownDao['first']>>()
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

  /** Compares with the newest reading that proves something. */
  async function settle (): Promise<void> {
    const found = walked && provenReading(waiting, walked, lastStored)
    if (found === undefined) return
    const { reading, upTo } = found
    const { numbersAhead, sequenceRanges } = writer.state
    // nothing that is stored shows what is missing at the end of a DAO's numbers
    const ahead = new Map(reading.daos
      .filter(({ address, seqNum }) => !sequenceRanges.has(address) || seqNum > lastStored(address))
      .map(({ address, seqNum }) => [address, seqNum]))
    if (ahead.size !== numbersAhead.size || [...ahead].some(([dao, seq]) => numbersAhead.get(dao) !== seq)) {
      await writer.commit({ events: [], numbersAhead: ahead })
    }
    if (upTo.slot > verifiedSlot()) verifiedTo = upTo
    for (const { address, seqNum: seq } of reading.daos) {
      if (seq < (proved.get(address)?.seq ?? Infinity)) proved.set(address, { seq, slot: upTo.slot })
    }
    waiting = waiting.filter(({ slot }) => slot - 1 > verifiedSlot())
  }

  return {
    search,
    known: () => ({
      ...writer.state,
      sequenceGaps: writer.sequenceGaps,
      verifiedTo,
      isLost: (gap: SequenceGap) => isLost(
        gap, search.met(gap), { createdAt: created.get(gap.dao), first: proved.get(gap.dao) }, writer.state
      ),
      missingOwners: owners.missingOwners
    }),
    /** Whether each sequence gap has been searched. */
    get searched () { return [...writer.sequenceGaps.values()].flat().every(search.met) },
    /** Whether a waiting reading would tell something new. */
    get needsWalk () {
      return waiting.length > 0 &&
        (verifiedTo === null || writer.state.missing.size > 0 || writer.sequenceGaps.size > 0)
    },
    /** Whether a waiting reading is ahead of what is stored. */
    get isAhead () { return waiting.some(reading => !isStored(reading, lastStored)) },
    note,
    settle,
    /** All up to `head` has been walked. Throws what the node throws. */
    async reached (head: Moment): Promise<void> {
      if (walked === undefined || head.slot > walked.slot) walked = head
      await settle()
      await owners.look(verifiedSlot())
    },
    /** Reads the accounts and compares. */
    async check (): Promise<void> {
      const accounts = await daos()
      note(accounts)
      await settle()
      await judge(accounts.daos)
    }
  }
}

export type Reconciler = ReturnType<typeof createReconciler>
