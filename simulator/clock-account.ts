/** The Clock sysvar as a node shows it: an account like any other, of the slot that is asked for. */
import { type Entry, createEntry } from './accounts.js'
import { Writer } from './bytes.js'
import { type Ledger } from './ledger.js'
import { type View } from './methods.js'
import { PROGRAMS } from './addresses.js'
import { RpcError } from './rpc-error.js'

export const CLOCK = 'SysvarC1ock11111111111111111111111111111111'
export const CLOCK_OWNER = 'Sysvar1111111111111111111111111111111111111'
const SLOTS_PER_EPOCH = 432_000
const LAMPORTS = 1_169_280

/** @throws RpcError where the node is to refuse it; undefined: the node is to know nothing of it. */
export function clockAccount (ledger: Ledger, { slot, fault }: View): Entry | undefined {
  const refused = fault('clock-refused')
  if (refused !== undefined) throw new RpcError(Number(refused.value ?? -32010), 'the account is refused')
  if (fault('clock-missing') !== undefined) return undefined
  const [late, short] = [fault('clock-ahead'), fault('clock-short')]
  const ahead = late === undefined ? 0 : Number(late.value ?? 3600)
  const epoch = Math.floor(slot / SLOTS_PER_EPOCH)
  const whole = new Writer(40).u64(BigInt(slot)).i64(ledger.timeOf(epoch * SLOTS_PER_EPOCH))
    .u64(BigInt(epoch)).u64(BigInt(epoch + 1)).i64(ledger.timeOf(slot) + ahead).buffer
  const data = short === undefined ? whole : whole.subarray(0, Number(short.value ?? 32))
  const owner = fault('clock-owner') === undefined ? CLOCK_OWNER : PROGRAMS.system
  return createEntry(CLOCK, owner, () => data, LAMPORTS)
}
