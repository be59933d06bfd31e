/** The Clock account as nodes of tests show it, which are written by hand. */
import { CLOCK } from '../../lib/chain/accounts.js'
import type { Moment } from '../../lib/chain/moment.js'

export const SYSVAR_OWNER = 'Sysvar1111111111111111111111111111111111111'

/** As JSON. */
export function clockAccount ({ slot, time }: Moment, { owner = SYSVAR_OWNER, bytes = 40 } = {}) {
  const data = Buffer.alloc(40)
  data.writeBigUInt64LE(BigInt(slot), 0)
  data.writeBigInt64LE(BigInt(time), 32)
  return { owner, data: [data.subarray(0, bytes).toString('base64'), 'base64'], lamports: 1, executable: false }
}

/**
 * What a node whose newest moment is this one says to a call that asks for the Clock and, maybe, for accounts that
 * don't exist; undefined to another.
 */
export function clockAnswer (
  { method, params }: { method: string, params: readonly unknown[] }, moment: Moment,
  options?: { owner?: string, bytes?: number }
): unknown {
  const value = clockAccount(moment, options)
  if (method === 'getAccountInfo' && params[0] === CLOCK) return { context: { slot: moment.slot }, value }
  const addresses = params[0]
  if (method !== 'getMultipleAccounts' || !Array.isArray(addresses)) return undefined
  return { context: { slot: moment.slot }, value: addresses.map(address => address === CLOCK ? value : null) }
}
