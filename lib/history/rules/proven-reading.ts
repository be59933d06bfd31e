/** Sequence numbers by DAO as its account had them at a slot. */
export interface AccountReading {
  slot: number
  seqNums: ReadonlyMap<string, bigint>
  /** Whether the slot was over by then: it had been shown before, for longer than slots take. */
  isOver: boolean
}

/**
 * The newest of `readings`, oldest first, that proves something, and the slot up to which a missing event then shows as
 * a sequence gap; `newest`: number of a DAO's newest stored event, 0 for none. A reading of a slot that is not walked
 * yet proves something only where all that it numbers is stored, and none does of a slot that was not over.
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
