/**
 * Runs of known sequence numbers of one DAO. Joining two neighbours tells all that their events mean for each other, and does not
 * depend on which of them came first: so the fees found are the same whatever the order in which events arrive.
 */
import type { Sides } from '../protocol/events.js'
import type { Interval, OpenSwap, StoredEvent } from './store.js'

/** A swap whose fee has become known. */
export interface FoundFee { swap: OpenSwap, fee: bigint }

const inputSide = (side: 'buy' | 'sell'): keyof Sides => side === 'buy' ? 'quote' : 'base'

/** The run of one event. `keepsFees`: it can't change the fee balances. */
export function runOf (event: StoredEvent, keepsFees: boolean): Interval {
  const { seq, slot, at, swap, fees } = event
  return {
    low: seq,
    high: seq,
    lowSlot: slot,
    highSlot: slot,
    lowAt: at,
    highAt: at,
    through: keepsFees && fees === null,
    top: fees,
    open: swap === null || fees === null
      ? null
      : { seq, at, side: swap.side, input: swap.input, output: swap.output, post: fees[inputSide(swap.side)] }
  }
}

/** The run of `left` and the one that follows it; the fee that this settles goes to `found`. */
function join (left: Interval, right: Interval, found: FoundFee[]): Interval {
  if (right.open !== null && left.top !== null) {
    const fee = right.open.post - left.top[inputSide(right.open.side)]
    // A balance that fell over a swap has another cause, one that no event tells: the fee stays unknown
    if (fee >= 0n) found.push({ swap: right.open, fee })
  }
  return {
    low: left.low,
    high: right.high,
    lowSlot: left.lowSlot,
    highSlot: right.highSlot,
    lowAt: left.lowAt,
    highAt: right.highAt,
    through: left.through && right.through,
    top: right.through ? left.top : right.top,
    open: left.through ? right.open : left.open
  }
}

/** Index of the run that holds `seq`, or of the first one above it. */
function search (runs: readonly Interval[], seq: bigint): number {
  let [from, to] = [0, runs.length]
  while (from < to) {
    const middle = (from + to) >> 1
    if (runs[middle]!.high < seq) from = middle + 1
    else to = middle
  }
  return from
}

export function holds (runs: readonly Interval[], seq: bigint): boolean {
  const run = runs[search(runs, seq)]
  return run !== undefined && run.low <= seq
}

/** Puts the run of one new event among `runs`, sorted, which it changes; its number must not be held yet. */
export function insert (runs: Interval[], run: Interval, found: FoundFee[]): void {
  const at = search(runs, run.low)
  const [before, after] = [runs[at - 1], runs[at]]
  const joinsBefore = before !== undefined && before.high + 1n === run.low
  const joinsAfter = after !== undefined && run.high + 1n === after.low
  let whole = run
  if (joinsBefore) whole = join(before, whole, found)
  if (joinsAfter) whole = join(whole, after, found)
  runs.splice(joinsBefore ? at - 1 : at, Number(joinsBefore) + Number(joinsAfter), whole)
}

/** What has to be written and deleted to turn the stored runs `old` into `runs`. */
export function difference (old: readonly Interval[], runs: readonly Interval[]): { put: Interval[], drop: bigint[] } {
  const kept = new Set(runs.map(({ low }) => low))
  const same = new Set(old)
  return { put: runs.filter(run => !same.has(run)), drop: old.map(({ low }) => low).filter(low => !kept.has(low)) }
}
