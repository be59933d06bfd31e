/**
 * The proof of completeness: a DAO's events are numbered 1, 2, 3 … and its account holds the newest number (every file
 * in programs/futarchy/src/instructions increments `seq_num` and emits one event).
 */
import type { Moment } from '../../chain/moment.js'
import { isComplete, type Walked } from './signature-ranges.js'
import type { Accounts, NumberAt, SequenceRange } from './rows.js'

/** Missing numbers of a DAO, both ends included, and between which Unix seconds and slots they happened. */
export type SequenceGap = ReturnType<typeof gapBetween>

export interface Numbered {
  sequenceRanges: ReadonlyMap<string, readonly SequenceRange[]>
  numbersAhead: ReadonlyMap<string, bigint>
  numbersBefore: ReadonlyMap<string, NumberAt>
}

const NO_NUMBER: NumberAt = { seq: 0n, slot: 0, at: 0 }

/** Without `left` or `right`: before or after what is stored. */
const gapBetween = (
  dao: string, left: SequenceRange | undefined, right: SequenceRange | undefined, newest: bigint
) => ({
  dao,
  from: (left?.last ?? 0n) + 1n,
  to: right === undefined ? newest : right.first - 1n,
  since: left?.lastAt ?? null,
  until: right?.firstAt ?? null,
  fromSlot: left?.lastSlot ?? 0,
  toSlot: right?.firstSlot ?? Number.MAX_SAFE_INTEGER
})

/** In two where the first numbers may be lost: the others happened after that. */
function splitAt (gap: SequenceGap, { seq, slot, at }: NumberAt = NO_NUMBER): SequenceGap[] {
  if (seq === 0n || gap.to <= seq || gap.fromSlot >= slot) return [gap]
  const after = { ...gap, since: at, fromSlot: slot }
  return gap.from > seq ? [after] : [{ ...gap, to: seq, until: at, toSlot: slot }, { ...after, from: seq + 1n }]
}

/** Numbers of a DAO that are not stored, up to its account's; not walked yet, or gaps. */
export function unstored (dao: string, { sequenceRanges, numbersAhead, numbersBefore }: Numbered): SequenceGap[] {
  const ranges = sequenceRanges.get(dao) ?? []
  const newest = numbersAhead.get(dao) ?? 0n
  // nearly all DAOs
  if (ranges.length <= 1 && (ranges[0]?.first ?? 1n) === 1n && newest <= (ranges[0]?.last ?? 0n)) return []
  return Array.from({ length: ranges.length + 1 }, (_, at) => gapBetween(dao, ranges[at - 1], ranges[at], newest))
    .filter(({ from, to }) => from <= to)
    .flatMap(gap => splitAt(gap, numbersBefore.get(dao)))
}

function sequenceGapsOfDao (dao: string, view: Walked & Numbered): SequenceGap[] {
  const { indexedRanges } = view
  return unstored(dao, view).filter(({ from, fromSlot, toSlot }) => {
    if (isComplete(view)) return true
    // they may lie before what is indexed
    if (from === 1n && view.numbersBefore.get(dao)?.seq !== 0n) return false
    return toSlot === Number.MAX_SAFE_INTEGER
      ? indexedRanges.length <= 1
      : indexedRanges.some(({ oldestSlot, newestSlot }) => oldestSlot <= fromSlot && toSlot <= newestSlot)
  })
}

/** DAOs that have events, stored or numbered by an account. */
export const daosOf = ({ sequenceRanges, numbersAhead }: Numbered) =>
  new Set([...sequenceRanges.keys(), ...numbersAhead.keys()])

/** Of DAOs that have any. */
export const sequenceGapsOf = (view: Walked & Numbered): Map<string, SequenceGap[]> =>
  new Map(Array.from(daosOf(view), dao => [dao, sequenceGapsOfDao(dao, view)] as const)
    .filter(([, gaps]) => gaps.length > 0))

export const gapKey = ({ dao, from }: Pick<SequenceGap, 'dao' | 'from'>): string => `${dao} ${from}`

export const sizeOf = (sequenceGaps: ReadonlyArray<Pick<SequenceGap, 'from' | 'to'>>): bigint =>
  sequenceGaps.reduce((size, { from, to }) => size + to - from + 1n, 0n)

/** Whether all that the accounts number is known; `newest`: a DAO's newest known number, or 0. */
export const isKnown = ({ daos }: Accounts, newest: (dao: string) => bigint): boolean =>
  daos.every(({ address, seqNum }) => newest(address) >= seqNum)

/** By how much lists of signatures may be behind accounts, s: a node's index trails what it executes. */
const LIST_LAG = 10

/**
 * The newest of `readings`, oldest first, that proves something, and up to which moment: below its own slot, which was
 * not over. One does where all that it numbers is known; where its slot is `walked`, also if nothing is known of a DAO,
 * whose events are then older than what is indexed; else once what is not known should have been listed.
 */
export function provenReading (
  readings: readonly Accounts[], walked: Moment, newest: (dao: string) => bigint
): { reading: Accounts, upTo: Moment } | undefined {
  const reading = readings.findLast(({ slot, listSlot = slot, isFinal = false, time, daos }) => {
    const isWalked = isFinal ? slot <= walked.slot : listSlot < walked.slot
    return (isWalked && !isFinal && time + LIST_LAG <= walked.time) || daos.every(({ address, seqNum }) =>
      newest(address) >= seqNum || (isWalked && newest(address) === 0n))
  })
  if (reading === undefined) return undefined
  const slot = reading.slot - 1
  // a node may date its accounts after a head that is beyond them
  return { reading, upTo: slot < walked.slot ? { slot, time: Math.min(reading.time, walked.time) } : walked }
}
