import type { SequenceGap } from './sequence-gaps.js'
import type { MissingTransaction, SequenceRange } from './types.js'

/**
 * Whose the missing transactions are. Up to the last comparison they show as sequence gaps, or may lie where a DAO's
 * numbers have an open end; beyond it the DAOs' own lists name the owners, and until then it may be anybody.
 */
export interface NamedOwners {
  /** Up to this slot every missing one has been looked for in those lists. */
  slot: number
  /** Slots of the transactions that a DAO's list names. */
  owners: ReadonlyMap<string, ReadonlySet<number>>
}

export const NOBODY_NAMED: NamedOwners = { slot: 0, owners: new Map() }

export interface OwnerFacts {
  /** Slot of the accounts that the history has been compared with, and their numbers. */
  verifiedSlot: number
  accounts: ReadonlyMap<string, bigint>
  named: NamedOwners
  sequenceRanges: ReadonlyMap<string, readonly SequenceRange[]>
  sequenceGaps: ReadonlyMap<string, readonly SequenceGap[]>
}

/**
 * Slots between which numbers of a DAO are not stored and are no gap, since the walk has not come to all that lies
 * there: before its first event that is stored, as a rule.
 */
function openEnds (
  dao: string, { verifiedSlot, accounts, sequenceRanges, sequenceGaps }: OwnerFacts
): Array<{ from: number, to: number }> {
  const ranges = sequenceRanges.get(dao) ?? []
  const gaps = sequenceGaps.get(dao) ?? []
  return Array.from({ length: ranges.length + 1 }, (_, at) => [ranges[at - 1], ranges[at]] as const)
    .filter(([left, right]) => {
      const first = (left?.last ?? 0n) + 1n
      const next = right?.first ?? (accounts.get(dao) ?? 0n) + 1n
      return first < next && !gaps.some(({ from }) => from === first)
    })
    .map(([left, right]) => ({ from: left?.lastSlot ?? 0, to: right?.firstSlot ?? verifiedSlot }))
}

/** Whether one of `missing` may be a DAO's without showing as its gap. */
export function mayOwnOf (missing: readonly MissingTransaction[], facts: OwnerFacts): (dao: string) => boolean {
  const { verifiedSlot, named, sequenceRanges } = facts
  const slots = Float64Array.from(missing, ({ slot }) => slot).sort()
  const open = new Set(slots.filter(slot => slot > verifiedSlot))
  const isUnnamed = open.size > 0 && slots.at(-1)! > named.slot
  /** The first from a slot on. */
  function slotFrom (from: number): number {
    let [low, high] = [0, slots.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if (slots[middle]! < from) low = middle + 1
      else high = middle
    }
    return slots[low] ?? Infinity
  }
  return dao => {
    if (slots.length === 0) return false
    // a DAO without any event shows no sequence gap
    if (isUnnamed || !sequenceRanges.has(dao)) return true
    for (const slot of named.owners.get(dao) ?? []) if (open.has(slot)) return true
    return openEnds(dao, facts).some(({ from, to }) => slotFrom(from) <= to)
  }
}

/** DAOs of which something up to `slot` may not be stored, by accounts read at `readAt`. */
export function suspectsAt (
  slot: number, accounts: Iterable<readonly [string, bigint]>, readAt: number,
  sequenceRanges: OwnerFacts['sequenceRanges']
): string[] {
  return Array.from(accounts)
    .filter(([dao, seqNum]) => readAt < slot || (sequenceRanges.get(dao)?.at(-1)?.last ?? 0n) < seqNum)
    .map(([dao]) => dao)
}

/** As text that another process reads. */
export const namedText = ({ slot, owners }: NamedOwners): string =>
  JSON.stringify([slot, ...Array.from(owners, ([dao, slots]) => [dao, ...slots])])

export function parseNamed (text: string | undefined): NamedOwners {
  if (text === undefined) return NOBODY_NAMED
  const [slot, ...owners] = JSON.parse(text) as [number, ...Array<[string, ...number[]]>]
  return { slot, owners: new Map(owners.map(([dao, ...slots]) => [dao, new Set(slots)])) }
}
