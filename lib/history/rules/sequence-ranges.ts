/**
 * Ranges of known sequence numbers of one DAO. Joining two neighbours tells all that their events mean for each other,
 * whichever came first: the fees found do not depend on the order of arrival.
 */
import { feeOf, type FoundFee, pendingSwapOf } from './swap-fee.js'
import type { SequenceRange, StoredEvent } from './types.js'

/** The range of one event. `keepsFees`: it can't change the fee balances. */
export function rangeOf (event: StoredEvent, keepsFees: boolean): SequenceRange {
  const { seq, slot, at, swap, fees } = event
  return {
    first: seq,
    last: seq,
    firstSlot: slot,
    lastSlot: slot,
    firstAt: at,
    lastAt: at,
    keepsFees: keepsFees && fees === null,
    feeBalancesAfter: fees,
    pendingSwap: swap === null || fees === null ? null : pendingSwapOf(seq, at, swap, fees)
  }
}

/** The range of `left` and the one that follows it; the fee that this settles goes to `found`. */
function join (left: SequenceRange, right: SequenceRange, found: FoundFee[]): SequenceRange {
  if (right.pendingSwap !== null && left.feeBalancesAfter !== null) {
    const fee = feeOf(right.pendingSwap, left.feeBalancesAfter)
    if (fee !== undefined) found.push({ swap: right.pendingSwap, fee })
  }
  return {
    first: left.first,
    last: right.last,
    firstSlot: left.firstSlot,
    lastSlot: right.lastSlot,
    firstAt: left.firstAt,
    lastAt: right.lastAt,
    keepsFees: left.keepsFees && right.keepsFees,
    feeBalancesAfter: right.keepsFees ? left.feeBalancesAfter : right.feeBalancesAfter,
    pendingSwap: left.keepsFees ? right.pendingSwap : left.pendingSwap
  }
}

/** Index of the range that holds `seq`, or of the first one above it. */
function search (ranges: readonly SequenceRange[], seq: bigint): number {
  let [from, to] = [0, ranges.length]
  while (from < to) {
    const middle = (from + to) >> 1
    if (ranges[middle]!.last < seq) from = middle + 1
    else to = middle
  }
  return from
}

export function holds (ranges: readonly SequenceRange[], seq: bigint): boolean {
  const range = ranges[search(ranges, seq)]
  return range !== undefined && range.first <= seq
}

/** Whether an event of this number is not held, and its slot lies between those of its neighbours. */
export function mayHold (ranges: readonly SequenceRange[], seq: bigint, slot: number): boolean {
  const at = search(ranges, seq)
  const [before, after] = [ranges[at - 1], ranges[at]]
  if (after !== undefined && (after.first <= seq || after.firstSlot < slot)) return false
  return before === undefined || before.lastSlot <= slot
}

/** Puts the range of one new event among `ranges`, sorted, which it changes; its number must not be held yet. */
export function insert (ranges: SequenceRange[], range: SequenceRange, found: FoundFee[]): void {
  const at = search(ranges, range.first)
  const [before, after] = [ranges[at - 1], ranges[at]]
  const joinsBefore = before !== undefined && before.last + 1n === range.first
  const joinsAfter = after !== undefined && range.last + 1n === after.first
  let whole = range
  if (joinsBefore) whole = join(before, whole, found)
  if (joinsAfter) whole = join(whole, after, found)
  ranges.splice(joinsBefore ? at - 1 : at, Number(joinsBefore) + Number(joinsAfter), whole)
}

/** What has to be written and deleted to turn the stored ranges `old` into `ranges`. */
export function difference (
  old: readonly SequenceRange[], ranges: readonly SequenceRange[]
): { put: SequenceRange[], drop: bigint[] } {
  const kept = new Set(ranges.map(({ first }) => first))
  const same = new Set(old)
  return {
    put: ranges.filter(range => !same.has(range)),
    drop: old.map(({ first }) => first).filter(low => !kept.has(low))
  }
}
