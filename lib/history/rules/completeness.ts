/** What is known of a DAO's past: the one place that says whether a figure may be made of it. */
import type { SequenceRange, StoreState } from './types.js'
import { reachesBeyond, spans } from './losses.js'
import { mayOwnOf, type MissingOwners } from './missing-owners.js'
import { mayReach, type SequenceGap } from './sequence-gaps.js'

/** What is known of the completeness of what is stored. */
export interface Completeness extends Pick<StoreState, 'unreadable' | 'missing' | 'losses'> {
  sequenceRanges: ReadonlyMap<string, readonly SequenceRange[]>
  sequenceGaps: ReadonlyMap<string, readonly SequenceGap[]>
  /** Sequence numbers by account; a DAO may be here without any event. */
  accounts: ReadonlyMap<string, bigint>
  /** The slot of those numbers. */
  verifiedSlot: number
  /** Whose the transactions are that are missing beyond it. */
  missingOwners: MissingOwners
  /** Unix second at which the nodes' past begins; null: not walked to it yet. */
  lostBefore: number | null
  /** Whether a sequence gap has been looked for in the DAO's own signatures. */
  searched: (gap: SequenceGap) => boolean
  /** Unix second down to which the walk has come; −Infinity: to the beginning; Infinity: nowhere yet. */
  walkedTo: number
}

/** 'whole': all is stored and understood. 'lost': all that any node has; what came before is a stated loss. */
export type Known = 'whole' | 'lost' | 'partly'

/** Whether a walk down to a Unix second covers all after another. */
export const isWalked = (walkedTo: number, after: number): boolean => walkedTo === -Infinity || walkedTo < after

/** Whether a gap is a stated loss: looked for in vain, and before all that nodes have, or within a loss. */
export const isLost = (
  gap: SequenceGap, { searched, lostBefore, losses }: Pick<Completeness, 'searched' | 'lostBefore' | 'losses'>
): boolean => searched(gap) && ((gap.from === 1n && lostBefore !== null) || spans(gap, losses))

/** What is known of any DAO after the Unix second `after`, −Infinity: from its beginning, up to `until`. */
export function knowledgeOf (known: Completeness, after: number, until = Infinity): (dao: string) => Known {
  const { sequenceRanges, unreadable, sequenceGaps, verifiedSlot, lostBefore, losses, searched, walkedTo } = known
  if (!isWalked(walkedTo, after)) return () => 'partly'
  const missing = known.missing.filter(({ at }) => at === null || (at > after && at <= until))
  const mayOwn = mayOwnOf(missing, known)
  const reaching = losses.filter(loss => reachesBeyond(loss, after))
  const lost = { lostBefore, losses, missing }
  return dao => {
    if ((unreadable.get(dao) ?? -Infinity) > after) return 'partly'
    // whose it is shows as a sequence gap once the accounts are compared; a DAO without any event shows none
    if (mayOwn(dao)) return 'partly'
    // So it is with what is lost
    if (reaching.some(({ toSlot }) => toSlot > verifiedSlot || !sequenceRanges.has(dao))) return 'partly'
    const reached = (sequenceGaps.get(dao) ?? []).filter(gap =>
      mayReach(gap, after, searched(gap) ? lost : null) && !(gap.since !== null && gap.since > until))
    if (reached.length === 0) return 'whole'
    return reached.every(gap => isLost(gap, known)) ? 'lost' : 'partly'
  }
}

/** The earliest Unix second after which all of a DAO is known, −Infinity: from its beginning; undefined: none. */
export function wholeAfterOf (known: Completeness): (dao: string) => number | undefined {
  const { walkedTo, missing, losses, lostBefore, unreadable, sequenceGaps } = known
  const asked = new Map<number, (dao: string) => Known>()
  const isWhole = (dao: string, after: number): boolean => {
    const ask = asked.get(after) ?? knowledgeOf(known, after)
    asked.set(after, ask)
    return ask(dao) === 'whole'
  }
  // where something ends that may be missing
  const ends = [walkedTo + 1, ...missing.map(({ at }) => at), ...losses.map(({ until }) => until), lostBefore]
  return dao => {
    if (isWhole(dao, -Infinity)) return -Infinity
    const own = sequenceGaps.get(dao)?.map(({ until }) => until) ?? []
    const bounds = [...new Set([...ends, ...own, unreadable.get(dao) ?? null])]
      .filter(end => end !== null && Number.isFinite(end)).sort((a, b) => a! - b!) as number[]
    let [low, high] = [0, bounds.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if (isWhole(dao, bounds[middle]!)) high = middle
      else low = middle + 1
    }
    return bounds[low]
  }
}
