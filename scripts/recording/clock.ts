/** The Clock sysvar in a recording: slot and time of all that was read. */
import { CLOCK_OWNER, clockBytes, SLOTS_PER_EPOCH } from '../../simulator/clock-account.js'

/** Of a slot while a recording goes on, as on mainnet. */
export const SLOT_MS = 200

/** The Clock sysvar of a slot and its Unix second, as `getAccountInfo` gives it. */
export function clockOf (slot: number, time: number): object {
  const data = clockBytes({ slot, time, begun: time - Math.floor(slot % SLOTS_PER_EPOCH * SLOT_MS / 1000) })
  const common = { executable: false, lamports: 1_169_280, owner: CLOCK_OWNER, rentEpoch: 0, space: 40 }
  return { data: [data.toString('base64'), 'base64'], ...common }
}

/** Slot and Unix second of a Clock account as a node gives it. */
export function momentOf (account: unknown): { slot: number, time: number } {
  const data = Buffer.from((account as { data: [string, string] }).data[0], 'base64')
  return { slot: Number(data.readBigUInt64LE(0)), time: Number(data.readBigInt64LE(32)) }
}
