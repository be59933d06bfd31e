/** The Clock sysvar as a node shows it: an account like any other, of the slot that is asked for. */
import { type Entry, createEntry } from './accounts.js'
import { Writer } from './bytes.js'
import { type Ledger } from './ledger.js'
import { type View } from './methods.js'
import { PROGRAMS } from './addresses.js'
import { RpcError } from './rpc-error.js'

export const CLOCK = 'SysvarC1ock11111111111111111111111111111111'
export const CLOCK_OWNER = 'Sysvar1111111111111111111111111111111111111'
export const SLOTS_PER_EPOCH = 432_000
const LAMPORTS = 1_169_280

/** The account's bytes; times are Unix seconds, `begun` that of the epoch's first slot. */
export function clockBytes ({ slot, time, begun }: { slot: number, time: number, begun: number }): Buffer {
  const epoch = BigInt(Math.floor(slot / SLOTS_PER_EPOCH))
  return new Writer(40).u64(BigInt(slot)).i64(begun).u64(epoch).u64(epoch + 1n).i64(time).buffer
}

/** @throws RpcError where the node is to refuse it; undefined: the node is to know nothing of it. */
export function clockAccount (ledger: Ledger, { slot, fault }: View): Entry | undefined {
  const refused = fault('clock-refused')
  if (refused !== undefined) throw new RpcError(Number(refused.value ?? -32010), 'the account is refused')
  if (fault('clock-missing') !== undefined) return undefined
  const [late, short] = [fault('clock-ahead'), fault('clock-short')]
  const ahead = late === undefined ? 0 : Number(late.value ?? 3600)
  const whole = clockBytes(
    { slot, time: ledger.timeOf(slot) + ahead, begun: ledger.timeOf(slot - slot % SLOTS_PER_EPOCH) }
  )
  const data = short === undefined ? whole : whole.subarray(0, Number(short.value ?? 32))
  const owner = fault('clock-owner') === undefined ? CLOCK_OWNER : PROGRAMS.system
  return createEntry(CLOCK, owner, () => data, LAMPORTS)
}
