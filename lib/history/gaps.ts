/**
 * The proof of completeness. The events of one DAO are numbered 1, 2, 3 … without holes, and its account holds the number of the newest
 * (every file in programs/futarchy/src/instructions increments `seq_num` and emits one event): a number that should be there and is not
 * is an event that was missed.
 */
import type { Interval, Segment } from './store.js'

/** Numbers of one DAO that are missing although everything around them is covered. Both ends are included. */
export interface Hole {
  dao: string
  from: bigint
  to: bigint
  /** Unix seconds between which the missing events happened; null: no bound is known. */
  since: number | null
  until: number | null
  /** Slots between which they are to be found. */
  fromSlot: number
  toSlot: number
}

/** What a check is made on. */
export interface View {
  intervals: ReadonlyMap<string, readonly Interval[]>
  segments: readonly Segment[]
  /** The walk has reached the beginning that the node offers. */
  ended: boolean
  /** Sequence numbers by account, at a slot that the walk has covered. */
  accounts: ReadonlyMap<string, bigint>
}

const covered = (segments: readonly Segment[], from: number, to: number) =>
  segments.some(({ oldestSlot, newestSlot }) => oldestSlot <= from && to <= newestSlot)

function between (dao: string, runs: readonly Interval[], { segments, ended }: View): Hole[] {
  const all = ended && segments.length <= 1
  return runs.slice(1).flatMap((right, at) => {
    const left = runs[at]!
    if (!all && !covered(segments, left.highSlot, right.lowSlot)) return []
    return [{
      dao, from: left.high + 1n, to: right.low - 1n, since: left.highAt, until: right.lowAt, fromSlot: left.highSlot, toSlot: right.lowSlot
    }]
  })
}

function holesOfDao (dao: string, runs: readonly Interval[], view: View): Hole[] {
  const { segments, ended, accounts } = view
  const whole = segments.length <= 1
  const [first, last] = [runs[0], runs.at(-1)]
  const holes = between(dao, runs, view)
  if (first !== undefined && first.low > 1n && ended && whole) {
    holes.unshift({ dao, from: 1n, to: first.low - 1n, since: null, until: first.lowAt, fromSlot: 0, toSlot: first.lowSlot })
  }
  const newest = accounts.get(dao) ?? 0n
  const known = last?.high ?? 0n
  // Without any event, all of them may lie before what is covered
  if (newest > known && whole && (last !== undefined || ended)) {
    holes.push({ dao, from: known + 1n, to: newest, since: last?.highAt ?? null, until: null, fromSlot: last?.highSlot ?? 0, toSlot: Number.MAX_SAFE_INTEGER })
  }
  return holes
}

/** All holes, by DAO; DAOs without one are left out. Costs a look at each DAO's runs, not at its events. */
export function holesOf (view: View): Map<string, Hole[]> {
  const found = new Map<string, Hole[]>()
  for (const dao of new Set([...view.intervals.keys(), ...view.accounts.keys()])) {
    const holes = holesOfDao(dao, view.intervals.get(dao) ?? [], view)
    if (holes.length > 0) found.set(dao, holes)
  }
  return found
}

export const sizeOf = (holes: Iterable<Hole>): number => {
  let size = 0n
  for (const { from, to } of holes) size += to - from + 1n
  return Number(size)
}

/**
 * Whether an event that happened after the Unix second `time` may be among the missing ones. `lostBefore` is where the past begins that the
 * node offers: a DAO's first numbers, looked for in vain where the node still has a list, lie before it.
 */
export function mayReach ({ from, until }: Hole, time: number, lostBefore: number | null): boolean {
  const bound = from === 1n && lostBefore !== null ? Math.min(until ?? Infinity, lostBefore) : until
  return bound === null || bound > time
}
