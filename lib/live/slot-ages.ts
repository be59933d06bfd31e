/** When slots were first seen: the age of a state counts from there, so that a node that stands still never passes for fresh. */

export interface SlotAges {
  /** Moment at which a state of `slot` was first seen, ms; now, where that is the first time, or when the chain went past it. */
  seenAt (slot: number): number
  /** Takes note that a state of `slot` was seen at a moment by another process, ms. */
  note (slot: number, at: number): void
}

// A state is served for about a minute: of older slots it is enough that they are old.
const MAX_SLOTS = 1_000

/** `now` in milliseconds, steadily growing; `pastMs`: for how long the chain is known to have been past a slot. */
export function createSlotAges (now: () => number, pastMs: (slot: number) => number = () => 0): SlotAges {
  const seen = new Map<number, number>()
  function earliest (slot: number, seenNow: number): number {
    const at = Math.min(seen.get(slot) ?? Infinity, seenNow)
    seen.set(slot, at)
    if (seen.size > MAX_SLOTS) seen.delete(seen.keys().next().value!)
    return at
  }

  return {
    seenAt: slot => earliest(slot, now() - pastMs(slot)),
    note: (slot, at) => { earliest(slot, at) }
  }
}
