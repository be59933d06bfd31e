import type { MissingTransaction, SequenceRange } from './types.js'

/**
 * Whose the missing transactions are. Up to the last comparison they show as sequence gaps; beyond it the DAOs' own
 * lists name the owners, and until then it may be anybody.
 */
export interface NamedOwners {
  /** Up to this slot every missing one has been looked for in those lists. */
  slot: number
  /** Slots of the transactions that a DAO's list names. */
  owners: ReadonlyMap<string, ReadonlySet<number>>
}

export const NOBODY_NAMED: NamedOwners = { slot: 0, owners: new Map() }

export interface OwnerFacts {
  /** Slot of the accounts that the history has been compared with. */
  verifiedSlot: number
  named: NamedOwners
  sequenceRanges: ReadonlyMap<string, readonly SequenceRange[]>
}

/** Whether one of `missing` may be a DAO's without showing as its gap. */
export function mayOwnOf (
  missing: readonly MissingTransaction[], { verifiedSlot, named, sequenceRanges }: OwnerFacts
): (dao: string) => boolean {
  const open = new Set<number>()
  let isUnnamed = false
  for (const { slot } of missing) {
    if (slot > verifiedSlot) open.add(slot)
    if (slot > verifiedSlot && slot > named.slot) isUnnamed = true
  }
  return dao => {
    // a DAO without any event shows no sequence gap
    if (isUnnamed || (missing.length > 0 && !sequenceRanges.has(dao))) return true
    for (const slot of named.owners.get(dao) ?? []) if (open.has(slot)) return true
    return false
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
