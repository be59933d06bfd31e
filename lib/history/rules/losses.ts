/** Parts of the past that no node has any more: stated, so that nothing waits for them. */
import { type SequenceGap, sizeOf } from './sequence-gaps.js'
import { beginningOf, type UnindexedRange, type Walked } from './signature-ranges.js'
import type { Loss, MissingTransaction, StoreState } from './rows.js'

/** Why a transaction of a version that is newer than this service is missing. */
export const UNREADABLE_VERSION = "its version can't be read yet"

export const isOfUnreadableVersion = ({ reason }: MissingTransaction): boolean => reason === UNREADABLE_VERSION

/** Newest first, one of each first slot. */
export const withLoss = (losses: readonly Loss[], loss: Loss): Loss[] =>
  [...losses.filter(({ fromSlot }) => fromSlot !== loss.fromSlot), loss].sort((a, b) => b.toSlot - a.toSlot)

/** The loss of a range that no node knows; undefined for the beginning, which is no loss within what is indexed. */
export const lossOf = ({ above, until }: UnindexedRange): Loss | undefined => until && {
  fromSlot: until.newestSlot,
  toSlot: Math.max(until.newestSlot, above.oldestSlot - 1),
  until: above.oldestTime
}

/** Whether one of `losses` touches some slots. */
export const spans = ({ fromSlot, toSlot }: { fromSlot: number, toSlot: number }, losses: readonly Loss[]): boolean =>
  losses.some(loss => loss.fromSlot <= toSlot && loss.toSlot >= fromSlot)

/** Whether what is missing is of a DAO made after all that is lost, Unix seconds: lists may be behind accounts. */
export const isToCome = (
  gap: SequenceGap, createdAt: number | undefined,
  { lostBefore, losses }: { lostBefore: number | null, losses: readonly Loss[] }
): boolean => gap.from === 1n && createdAt !== undefined && lostBefore !== null && createdAt > lostBefore &&
  !losses.some(({ until }) => until === null || until > createdAt)

/** What a search for a gap met in its DAO's list: signatures that no node gives; `toSlot`: where the gap ended. */
export interface Met { missed: ReadonlySet<string>, toSlot: number }

/**
 * Whether a gap is what transactions of an unreadable version hold: no others are missed. At the end of a DAO's numbers
 * there is one for each of them: what is more may not have been listed yet.
 */
function isUnreadable (gap: SequenceGap, { missed, toSlot }: Met, missing: StoreState['missing']): boolean {
  const wasLast = toSlot === Number.MAX_SAFE_INTEGER
  // in the slot of the newest stored event one may have come before that
  const from = wasLast ? gap.fromSlot + 1 : gap.fromSlot
  const unreadable = [...missed].flatMap(signature => missing.get(signature) ?? []).filter(isOfUnreadableVersion)
  const held = unreadable.filter(({ slot }) => slot >= from && slot <= gap.toSlot).length
  return held > 0 && unreadable.length === missed.size && (!wasLast || sizeOf([gap]) <= BigInt(held))
}

/** Whether a gap is a stated loss: searched in vain, and unreadable, or of a part of the past that is stated. */
export function isLost (
  gap: SequenceGap, met: Met | undefined, createdAt: number | undefined,
  state: Walked & Pick<StoreState, 'losses' | 'missing'>
): boolean {
  if (met === undefined) return false
  const { losses, missing } = state
  const lostBefore = beginningOf(state)
  const mayBe = (gap.from === 1n && lostBefore !== null) || spans(gap, losses)
  return isUnreadable(gap, met, missing) || (mayBe && !isToCome(gap, createdAt, { lostBefore, losses }))
}
