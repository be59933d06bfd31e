/**
 * The proof of completeness: a DAO's events are numbered 1, 2, 3 … and its account holds the newest number (every file
 * in programs/futarchy/src/instructions increments `seq_num` and emits one event).
 */
import type { Moment } from '../../chain/moment.js'
import { isOfUnreadableVersion, reachesBeyond, spans } from './losses.js'
import { beginningOf, isComplete, type Walked } from './signature-ranges.js'
import type { Accounts, SequenceRange, Loss, StoreState } from './types.js'

/** Missing numbers of a DAO, both ends included. */
export interface SequenceGap {
  dao: string
  from: bigint
  to: bigint
  /** Unix seconds between which they happened; null: not known. And slots. */
  since: number | null
  until: number | null
  fromSlot: number
  toSlot: number
}

export interface Numbered {
  sequenceRanges: ReadonlyMap<string, readonly SequenceRange[]>
  numbersAhead: ReadonlyMap<string, bigint>
}

/** Without `left` or `right`: before or after what is stored. */
const gapBetween = (
  dao: string, left: SequenceRange | undefined, right: SequenceRange | undefined, newest = 0n
): SequenceGap => ({
  dao,
  from: (left?.last ?? 0n) + 1n,
  to: right === undefined ? newest : right.first - 1n,
  since: left?.lastAt ?? null,
  until: right?.firstAt ?? null,
  fromSlot: left?.lastSlot ?? 0,
  toSlot: right?.firstSlot ?? Number.MAX_SAFE_INTEGER
})

const NONE: SequenceGap[] = []

/** Numbers of a DAO that are not stored, from 1 to its account's; not walked yet, or gaps. */
export function unstored (dao: string, { sequenceRanges, numbersAhead }: Numbered): SequenceGap[] {
  const ranges = sequenceRanges.get(dao) ?? []
  const newest = numbersAhead.get(dao) ?? 0n
  // nearly all DAOs
  if (ranges.length <= 1 && (ranges[0]?.first ?? 1n) === 1n && newest <= (ranges[0]?.last ?? 0n)) return NONE
  return Array.from({ length: ranges.length + 1 }, (_, at) => gapBetween(dao, ranges[at - 1], ranges[at], newest))
    .filter(({ from, to }) => from <= to)
}

function sequenceGapsOfDao (dao: string, view: Walked & Numbered): SequenceGap[] {
  const { indexedRanges } = view
  return unstored(dao, view).filter(({ from, fromSlot, toSlot }) => {
    if (isComplete(view)) return true
    // they may lie before what is indexed
    if (from === 1n) return false
    return toSlot === Number.MAX_SAFE_INTEGER
      ? indexedRanges.length <= 1
      : indexedRanges.some(({ oldestSlot, newestSlot }) => oldestSlot <= fromSlot && toSlot <= newestSlot)
  })
}

/** DAOs that have events, stored or numbered by an account. */
export const daosOf = ({ sequenceRanges, numbersAhead }: Numbered) =>
  new Set([...sequenceRanges.keys(), ...numbersAhead.keys()])

/** By DAO; without DAOs that have none. */
export const sequenceGapsOf = (view: Walked & Numbered): Map<string, SequenceGap[]> =>
  new Map(Array.from(daosOf(view), dao => [dao, sequenceGapsOfDao(dao, view)] as const)
    .filter(([, gaps]) => gaps.length > 0))

export const gapKey = ({ dao, from }: Pick<SequenceGap, 'dao' | 'from'>): string => `${dao} ${from}`

export const sizeOf = (sequenceGaps: ReadonlyArray<Pick<SequenceGap, 'from' | 'to'>>): bigint =>
  sequenceGaps.reduce((size, { from, to }) => size + to - from + 1n, 0n)

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

export interface KnownDao {
  /** When it was made, Unix seconds; undefined: not known. */
  createdAt: number | undefined
  /** The first number that proved anything, or a later one a day old. */
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

/**
 * Whether a gap is what transactions of an unreadable version hold: its DAO's list has no others there that are
 * `missed`. At the end of a DAO's numbers there is one for each of them: what is more may not be listed yet.
 */
function isUnreadable (gap: SequenceGap, missed: ReadonlySet<string>, missing: StoreState['missing']): boolean {
  const isLast = gap.toSlot === Number.MAX_SAFE_INTEGER
  // in the slot of the newest stored event one may have come before that
  const from = isLast ? gap.fromSlot + 1 : gap.fromSlot
  const held = [...missed].filter(signature => {
    const row = missing.get(signature)
    return row !== undefined && isOfUnreadableVersion(row) && row.slot >= from && row.slot <= gap.toSlot
  }).length
  return held > 0 && (isLast ? sizeOf([gap]) <= BigInt(held) : held === missed.size)
}

/** Whether a gap that was searched in vain is a stated loss; `missed`: what its DAO's list has and no node gives. */
export function isLost (
  gap: SequenceGap, missed: ReadonlySet<string>, dao: KnownDao, state: Walked & Pick<StoreState, 'losses' | 'missing'>
): boolean {
  const { losses, missing } = state
  const lostBefore = beginningOf(state)
  return isUnreadable(gap, missed, missing) ||
    (((gap.from === 1n && lostBefore !== null) || spans(gap, losses)) && !isToCome(gap, dao, { lostBefore, losses }))
}

/** Whether all that the accounts number is stored; `newest`: a DAO's newest stored number, or 0. */
export const isStored = ({ daos }: Accounts, newest: (dao: string) => bigint): boolean =>
  daos.every(({ address, seqNum }) => newest(address) >= seqNum)

/**
 * The newest of `readings`, oldest first, that proves something, and up to which moment: below its own slot, which was
 * not over. One beyond what is `walked` does so only where all that it numbers is stored.
 */
export function provenReading (
  readings: readonly Accounts[], walked: Moment, newest: (dao: string) => bigint
): { reading: Accounts, upTo: Moment } | undefined {
  const reading = readings.findLast(one => (one.listSlot ?? one.slot) < walked.slot || isStored(one, newest))
  if (reading === undefined) return undefined
  const slot = reading.slot - 1
  return { reading, upTo: slot < walked.slot ? { slot, time: reading.time } : walked }
}
