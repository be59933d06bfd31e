/**
 * Which reading of the accounts' sequence numbers proves what is stored, and up to where: the slot that block ranges
 * are published to moves by this.
 */

/** Sequence numbers by DAO as its account had them at a slot. */
export interface AccountReading {
  slot: number
  seqNums: ReadonlyMap<string, bigint>
  /** Whether the slot was over by then: it had been shown before, for longer than slots take. */
  isOver: boolean
}

/**
 * The newest of `readings`, oldest first, that tells something, and the slot up to which a missing event shows as a
 * sequence gap. Of a slot that has been walked it does: what is not stored is missing. Of a later one only where all
 * that it numbers is stored: then nothing is missing up to where the walk is, and finality need not be waited for once
 * more. What a node may have shown in the midst of a slot tells nothing of that slot. Undefined: none does, or nothing
 * has been walked. `newest`: number of a DAO's newest stored event, 0 for none.
 */
export function provenReading (
  readings: readonly AccountReading[], walkedSlot: number, newest: (dao: string) => bigint
): { reading: AccountReading, upTo: number } | undefined {
  if (walkedSlot === 0) return undefined
  const isStored = ({ seqNums }: AccountReading): boolean =>
    [...seqNums].every(([dao, seqNum]) => newest(dao) >= seqNum)
  const reading = readings.findLast(one => one.slot <= walkedSlot || isStored(one))
  return reading === undefined
    ? undefined
    : { reading, upTo: Math.min(reading.isOver ? reading.slot : reading.slot - 1, walkedSlot) }
}
