/** What is known of a DAO's past: whether a figure may be made of it is decided here alone. */
import type { Moment } from '../../chain/moment.js'
import type { AccountState, MissingTransaction, StoreState } from './rows.js'
import { isOfUnreadableVersion, spans } from './losses.js'
import { type Numbered, type SequenceGap, unstored } from './sequence-gaps.js'
import { beginningOf, type Walked, walkedTo } from './signature-ranges.js'

/**
 * Whose the missing transactions are: up to the last comparison with the accounts they show as sequence gaps; up to
 * `slot` the DAOs' own lists tell, by DAO the slots; beyond, they may be anybody's.
 */
export interface MissingOwners {
  slot: number
  owners: Readonly<Record<string, readonly number[]>>
}

export const NO_OWNERS: MissingOwners = { slot: 0, owners: {} }

/** Accounts, read at `readAt`, of DAOs of which something up to `slot` may not be stored. */
export const suspectsAt = (
  slot: number, accounts: readonly AccountState[], readAt: number, ranges: Numbered['sequenceRanges']
): AccountState[] => accounts.filter(({ address, seqNum }) =>
  readAt < slot || (ranges.get(address)?.at(-1)?.last ?? 0n) < seqNum)

export interface Completeness extends Numbered, Walked, Pick<StoreState, 'unreadable' | 'missing' | 'losses'> {
  sequenceGaps: ReadonlyMap<string, readonly SequenceGap[]>
  /** Up to which what is stored has been compared with the accounts; null: not yet. */
  verifiedTo: Moment | null
  missingOwners: MissingOwners
  /** Whether a sequence gap has been searched in vain in the DAO's own signatures, and is a stated loss. */
  isLost: (gap: SequenceGap) => boolean
}

/** 'whole': all is stored and understood. 'lost': all but a stated loss, which no node has any more. */
export type Known = 'whole' | 'lost' | 'partly'

/** Whether a walk down to a Unix second covers all after another. */
export const isWalked = (end: number, after: number): boolean => end === -Infinity || end < after

/** Something that may be missing, of `since` to `until`, Unix seconds. */
interface Doubt { since: number, until: number, isLost: boolean }

const doubt = (until: number | null, since: number | null = null): Doubt =>
  ({ since: since ?? -Infinity, until: until ?? Infinity, isLost: false })

/** By DAO all that may be missing of it; `few`: what is needed of the doubts, perhaps many, that all DAOs share. */
function doubtsOf (known: Completeness, few: (shared: Doubt[]) => Doubt[]): (dao: string) => Doubt[] {
  const { sequenceRanges, sequenceGaps, unreadable, verifiedTo, missingOwners, losses } = known
  const missing = [...known.missing.values()]
  const [lostBefore, end, verifiedSlot] = [beginningOf(known), walkedTo(known), verifiedTo?.slot ?? 0]
  /** All that is stated. */
  const lost = losses.concat(missing.filter(isOfUnreadableVersion)
    .map(({ slot, at }) => ({ fromSlot: slot, toSlot: slot, until: at })))
  const decided = Math.max(verifiedSlot, missingOwners.slot)
  const ofMissing = (some: readonly MissingTransaction[]) => some.map(({ at }) => doubt(at, at))
  const ofLosses = (some: typeof losses) => some.map(({ until }) => doubt(until))
  const ofWalk = end === -Infinity ? [] : [doubt(end + 1)]
  const anybodys = few([
    ...ofWalk,
    ...ofLosses(losses.filter(({ toSlot }) => toSlot > verifiedSlot)),
    ...ofMissing(missing.filter(({ slot }) => slot > decided))
  ])
  // a DAO without any event shows no sequence gap
  const withoutEvent = few([...ofWalk, ...ofLosses(losses), ...ofMissing(missing)])

  /** A lost gap lies before the nodes' past, if it is the first, or in a loss that it spans. */
  function ofGap (gap: SequenceGap): Doubt[] {
    const { since, until, fromSlot, toSlot } = gap
    const whole = doubt(until, since)
    if (!known.isLost(gap)) return [whole]
    const spanned = lost.filter(loss => spans(gap, [loss]))
    const ends = spanned.map(loss => loss.until ?? Infinity)
    if (gap.from === 1n && lostBefore !== null) ends.push(lostBefore)
    if (ends.length === 0) return [whole]   // what was lost has been given since
    const within = spanned.length === 0 ? [] : missing.filter(({ slot }) => slot >= fromSlot && slot <= toSlot)
    return [doubt(Math.max(...ends)), ...ofMissing(within)].map(({ since, until }) =>
      ({ since: Math.max(whole.since, since), until: Math.min(whole.until, until), isLost: true }))
  }

  return dao => {
    const [slots, gaps] = [missingOwners.owners[dao], sequenceGaps.get(dao) ?? []]
    const found = gaps.flatMap(ofGap).concat(sequenceRanges.has(dao) ? anybodys : withoutEvent)
    if (unreadable.has(dao)) found.push(doubt(unreadable.get(dao)!))
    const open = unstored(dao, known).filter(({ from }) => !gaps.some(gap => gap.from === from))
    if (slots === undefined && open.length === 0) return found
    const named = new Set(slots)
    return found.concat(ofMissing(missing.filter(({ slot }) => (slot > verifiedSlot && named.has(slot)) ||
      open.some(({ fromSlot, toSlot }) => fromSlot <= slot && slot <= toSlot))))
  }
}

/** What is known of any DAO after the Unix second `after`, −Infinity: from its beginning, up to `until`. */
export function knowledgeOf (known: Completeness, after: number, until = Infinity): (dao: string) => Known {
  const reaching = (doubts: Doubt[]) => doubts.filter(one => one.until > after && one.since <= until)
  const doubts = doubtsOf(known, shared => reaching(shared).slice(0, 1))
  return dao => {
    const reached = reaching(doubts(dao))
    return reached.length === 0 ? 'whole' : reached.every(({ isLost }) => isLost) ? 'lost' : 'partly'
  }
}

/** The earliest Unix second after which all of a DAO is known, −Infinity: from its beginning; undefined: none. */
export function wholeAfterOf (known: Completeness): (dao: string) => number | undefined {
  const endOf = (doubts: Doubt[]) => doubts.reduce((end, { until }) => Math.max(end, until), -Infinity)
  const doubts = doubtsOf(known, shared => [doubt(endOf(shared))])
  return dao => {
    const end = endOf(doubts(dao))
    return end === Infinity ? undefined : end
  }
}
