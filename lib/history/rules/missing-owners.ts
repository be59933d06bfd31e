import { type SequenceGap, unstored } from './sequence-gaps.js'
import type { MissingTransaction, SequenceRange } from './types.js'

/**
 * Whose the missing transactions are. Up to the last comparison they show as sequence gaps, or may lie where a DAO's
 * numbers have an open end; beyond it the DAOs' own lists tell the owners, and until then it may be anybody.
 */
export interface MissingOwners {
  /** Up to this slot every missing one has been looked for in those lists. */
  slot: number
  /** Slots of the transactions that are in a DAO's list. */
  owners: ReadonlyMap<string, ReadonlySet<number>>
}

export const NO_OWNERS: MissingOwners = { slot: 0, owners: new Map() }

export interface OwnerFacts {
  /** Slot of the accounts that the history has been compared with, and their numbers. */
  verifiedSlot: number
  accounts: ReadonlyMap<string, bigint>
  missingOwners: MissingOwners
  sequenceRanges: ReadonlyMap<string, readonly SequenceRange[]>
  sequenceGaps: ReadonlyMap<string, readonly SequenceGap[]>
}

/** Whether one of `missing` may be a DAO's without showing as its gap. */
export function mayOwnOf (missing: readonly MissingTransaction[], facts: OwnerFacts): (dao: string) => boolean {
  const { verifiedSlot, missingOwners, sequenceRanges } = facts
  const slots = Float64Array.from(missing, ({ slot }) => slot).sort()
  const open = new Set(slots.filter(slot => slot > verifiedSlot))
  const isUnknown = open.size > 0 && slots.at(-1)! > missingOwners.slot
  /** The first slot from one on. */
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
    if (isUnknown || !sequenceRanges.has(dao)) return true
    for (const slot of missingOwners.owners.get(dao) ?? []) if (open.has(slot)) return true
    const gaps = facts.sequenceGaps.get(dao) ?? []
    return unstored(dao, facts).some(({ from, fromSlot, toSlot }) =>
      slotFrom(fromSlot) <= Math.min(toSlot, verifiedSlot) && !gaps.some(gap => gap.from === from))
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
export const ownersText = ({ slot, owners }: MissingOwners): string =>
  JSON.stringify([slot, ...Array.from(owners, ([dao, slots]) => [dao, ...slots])])

export function parseOwners (text: string | undefined): MissingOwners {
  if (text === undefined) return NO_OWNERS
  const [slot, ...owners] = JSON.parse(text) as [number, ...Array<[string, ...number[]]>]
  return { slot, owners: new Map(owners.map(([dao, ...slots]) => [dao, new Set(slots)])) }
}
