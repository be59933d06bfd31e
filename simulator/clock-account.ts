/** The Clock sysvar as a node shows it: an account like any other, of the slot that is asked for. */
import { type Entry } from './accounts.js'
import { Writer } from './bytes.js'
import { type ActiveFault } from './faults.js'
import { type Ledger } from './ledger.js'
import { PROGRAMS } from './addresses.js'
import { RpcError } from './rpc-error.js'

export const CLOCK = 'SysvarC1ock11111111111111111111111111111111'
const OWNER = 'Sysvar1111111111111111111111111111111111111'
export const SLOTS_PER_EPOCH = 432_000
const LAMPORTS = 1_169_280

/** @throws RpcError where the node is to refuse it; undefined: the node is to know nothing of it. */
export function clockAccount (ledger: Ledger, slot: number, fault: ActiveFault | undefined): Entry | undefined {
  if (fault?.kind === 'clock-refused') throw new RpcError(Number(fault.value ?? -32010), 'the account is refused')
  if (fault?.kind === 'clock-missing') return undefined
  const epoch = Math.floor(slot / SLOTS_PER_EPOCH)
  const ahead = fault?.kind === 'clock-ahead' ? Number(fault.value ?? 3600) : 0
  const whole = new Writer(40).u64(BigInt(slot)).i64(ledger.timeOf(epoch * SLOTS_PER_EPOCH))
    .u64(BigInt(epoch)).u64(BigInt(epoch + 1)).i64(ledger.timeOf(slot) + ahead).buffer
  const data = fault?.kind === 'clock-short' ? whole.subarray(0, Number(fault.value ?? 32)) : whole
  const owner = fault?.kind === 'clock-owner' ? PROGRAMS.system : OWNER
  const base64 = () => data.toString('base64')
  return { address: CLOCK, owner, lamports: LAMPORTS, data: () => data, base64, touch: () => {} }
}
