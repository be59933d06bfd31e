/** Stored sequence numbers of a DAO. Joining neighbours settles fees, in any order of arrival. */
import type { SequenceRange, StoredEvent, PendingSwap } from './rows.js'

/** Raw units of the input token. */
export interface FoundFee { swap: PendingSwap, fee: bigint }

const inputSide = (side: 'buy' | 'sell') => side === 'buy' ? 'quote' : 'base'

/** `keepsFees`: it can't change the fee balances. */
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
    pendingSwap: swap && fees &&
      { seq, at, side: swap.side, input: swap.input, output: swap.output, feeBalanceAfter: fees[inputSide(swap.side)] }
  }
}

/** The fee that this settles is added to `found`. */
function join (left: SequenceRange, right: SequenceRange, found: FoundFee[]): SequenceRange {
  const { feeBalancesAfter: before } = left
  const { pendingSwap: swap } = right
  if (swap !== null && before !== null) {
    const fee = swap.feeBalanceAfter - before[inputSide(swap.side)]
    // the balance may have fallen, for a cause that no event tells
    if (fee >= 0n) found.push({ swap, fee })
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

/** Inserts into sorted `ranges`; gives the fees that this settles, or undefined where its number is held already. */
export function insert (ranges: SequenceRange[], range: SequenceRange): FoundFee[] | undefined {
  const next = ranges.findIndex(({ last }) => last >= range.first)
  const at = next === -1 ? ranges.length : next
  const [before, after] = [ranges[at - 1], ranges[at]]
  if (after !== undefined && after.first <= range.first) return undefined
  const joinsBefore = before !== undefined && before.last + 1n === range.first
  const joinsAfter = after !== undefined && range.last + 1n === after.first
  const found: FoundFee[] = []
  let whole = range
  if (joinsBefore) whole = join(before, whole, found)
  if (joinsAfter) whole = join(whole, after, found)
  ranges.splice(joinsBefore ? at - 1 : at, Number(joinsBefore) + Number(joinsAfter), whole)
  return found
}
