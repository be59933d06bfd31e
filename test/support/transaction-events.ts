/** What a transaction of the simulated chain carries, read back from its JSON. */
import { fromBase58 } from '../../simulator/bytes.js'
import { EVENT_TAG } from '../../simulator/events.js'
import { type Ledger } from '../../simulator/ledger.js'

/** Inner instructions that the program made to itself, with its event authority alone. */
export function eventsOf (ledger: Ledger, index = ledger.history.length - 1): Buffer[] {
  const { meta, transaction: { message } } = JSON.parse(ledger.history.json(index))
  const keys: string[] = [...message.accountKeys, ...meta.loadedAddresses.writable, ...meta.loadedAddresses.readonly]
  const found: Buffer[] = []
  for (const { instructions } of meta.innerInstructions ?? []) {
    for (const { programIdIndex, accounts, data } of instructions) {
      if (keys[programIdIndex] !== ledger.program || accounts.length !== 1 ||
        keys[accounts[0]] !== ledger.eventAuthority) continue
      const bytes = fromBase58(data)
      if (bytes.subarray(0, 8).equals(EVENT_TAG)) found.push(bytes)
    }
  }
  return found
}

/** The event of the newest transaction. */
export function lastEvent (ledger: Ledger): Buffer {
  const events = eventsOf(ledger)
  if (events.length !== 1) throw new Error(`${events.length} events`)
  return events[0]!
}

export const u64 = (data: Buffer, offset: number): bigint => data.readBigUInt64LE(offset)
export const u128 = (data: Buffer, offset: number): bigint => u64(data, offset) | (u64(data, offset + 8) << 64n)
