/** Time and slots of the chain: a slot takes 0.4 s, or what is set, or for ever while the chain stands. */

const SLOT_MS = 400

/** @param start Unix seconds and the slot at that moment */
export function createSlotClock (start: { time: number, slot: number }) {
  let elapsed = 0
  /** From where on how long a slot takes, oldest first. */
  const paces: Array<{ at: number, slot: number, ms: number | null }> = [{ at: 0, slot: start.slot, ms: SLOT_MS }]
  const slot = (): number => {
    const pace = paces[paces.length - 1]!
    return pace.ms === null ? pace.slot : pace.slot + Math.floor((elapsed - pace.at) / pace.ms)
  }
  return {
    get time () { return start.time + Math.floor(elapsed / 1000) },
    get slot () { return slot() },
    advance (ms: number): void { elapsed += ms },
    /** Unix seconds of the block at a slot. */
    timeOf (wanted: number): number {
      const pace = paces.findLast(({ slot }) => slot <= wanted) ?? paces[0]!
      return start.time + Math.floor((pace.at + (wanted - pace.slot) * (pace.ms ?? 0)) / 1000)
    },
    get slotMs () { return paces[paces.length - 1]!.ms },
    set slotMs (ms: number | null) { paces.push({ at: elapsed, slot: slot() + (ms === null ? 0 : 1), ms }) }
  }
}
