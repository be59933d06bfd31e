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

export const reachesBeyond = ({ until }: Loss, time: number): boolean => until === null || until > time

/** An account's number, up to which slot it proved something, and when, ms. */
export interface ProvedNumber { seq: bigint, slot: number, at: number }

/** What lies beyond `base` is waited for, until `next`, the first higher number, takes its place a day later. */
export interface ProvedNumbers { base: ProvedNumber, next?: ProvedNumber }

/** How long what an account has numbered is waited for, ms. */
const WAITED_MS = 86_400_000

/** A lower number shows that a higher one was wrong. */
export function withProved (known: ProvedNumbers | undefined, number: ProvedNumber): ProvedNumbers {
  if (known === undefined || number.seq < known.base.seq) return { base: number }
  const { base, next } = known
  if (next !== undefined && next.seq <= number.seq) {
    return number.at - next.at < WAITED_MS ? known : withProved({ base: next }, number)
  }
  return number.seq > base.seq ? { base, next: number } : { base }
}

/** `createdAt`: Unix seconds; `first`: the first number that proved anything, or a later one a day old. */
export interface KnownDao {
  createdAt: number | undefined
  first: Pick<ProvedNumber, 'seq' | 'slot'> | undefined
}

/**
 * Whether what is missing is yet to come, as lists may be behind accounts: it happened after all that is lost. A DAO's
 * newest numbers are waited for a day at most: an account may have been wrong once, and would stop block ranges.
 */
export function isToCome (
  gap: SequenceGap, { createdAt, first }: KnownDao,
  { lostBefore, losses }: { lostBefore: number | null, losses: readonly Loss[] }
): boolean {
  if (first !== undefined && gap.to > first.seq) return !losses.some(({ toSlot }) => toSlot >= first.slot)
  return gap.from === 1n && createdAt !== undefined && lostBefore !== null && createdAt > lostBefore &&
    !losses.some(loss => reachesBeyond(loss, createdAt))
}

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
  gap: SequenceGap, met: Met | undefined, dao: KnownDao, state: Walked & Pick<StoreState, 'losses' | 'missing'>
): boolean {
  if (met === undefined) return false
  const { losses, missing } = state
  const lostBefore = beginningOf(state)
  return isUnreadable(gap, met, missing) ||
    (((gap.from === 1n && lostBefore !== null) || spans(gap, losses)) && !isToCome(gap, dao, { lostBefore, losses }))
}
