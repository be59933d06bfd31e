/** Ranges of known sequence numbers of one DAO. Joining neighbours settles fees, whatever the order of arrival. */
import type { SequenceRange, StoredEvent, PendingSwap } from './types.js'
import type { Sides, SpotSwap } from '../../protocol/events.js'

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

/** The fee that this settles goes to `found`. */
function join (left: SequenceRange, right: SequenceRange, found: FoundFee[]): SequenceRange {
  if (right.pendingSwap !== null && left.feeBalancesAfter !== null) {
    const fee = feeOf(right.pendingSwap, left.feeBalancesAfter)
    if (fee !== undefined) found.push({ swap: right.pendingSwap, fee })
  }
  return {
    ...left,
    last: right.last,
    lastSlot: right.lastSlot,
    lastAt: right.lastAt,
    keepsFees: left.keepsFees && right.keepsFees,
    feeBalancesAfter: right.keepsFees ? left.feeBalancesAfter : right.feeBalancesAfter,
    pendingSwap: left.keepsFees ? right.pendingSwap : left.pendingSwap
  }
}

/** Index of the range that holds `seq`, or of the first one above it. A DAO has few. */
function search (ranges: readonly SequenceRange[], seq: bigint): number {
  const at = ranges.findIndex(({ last }) => last >= seq)
  return at === -1 ? ranges.length : at
}

export const holds = (ranges: readonly SequenceRange[], seq: bigint): boolean =>
  ranges.some(({ first, last }) => first <= seq && seq <= last)

/** Whether it is not held, and its slot lies between its neighbours'. */
export function mayHold (ranges: readonly SequenceRange[], seq: bigint, slot: number): boolean {
  const at = search(ranges, seq)
  const [before, after] = [ranges[at - 1], ranges[at]]
  if (after !== undefined && (after.first <= seq || after.firstSlot < slot)) return false
  return before === undefined || before.lastSlot <= slot
}

/** Changes `ranges`, which are sorted and must not hold its number yet. */
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

/** A swap whose fee has become known, in raw units of its input token. */
export interface FoundFee { swap: PendingSwap, fee: bigint }

const inputSide = (side: 'buy' | 'sell'): keyof Sides => side === 'buy' ? 'quote' : 'base'

/** Waits for the event before it; `fees`: the balances after the swap. */
export const pendingSwapOf = (seq: bigint, at: number, { side, input, output }: SpotSwap, fees: Sides): PendingSwap =>
  ({ seq, at, side, input, output, feeBalanceAfter: fees[inputSide(side)] })

/** Undefined where the balance fell over the swap, which has a cause that no event tells. */
export function feeOf ({ side, feeBalanceAfter }: PendingSwap, before: Sides): bigint | undefined {
  const fee = feeBalanceAfter - before[inputSide(side)]
  return fee >= 0n ? fee : undefined
}
