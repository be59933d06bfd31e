/**
 * The protocol fee of a swap: the fee balance of its input side after it, less the same balance after the event before
 * it. Fees are taken on the input leg only. Never from the account's own balance, which a collection resets.
 */
import type { Sides, SpotSwap } from '../../protocol/events.js'
import type { PendingSwap } from './types.js'

/** A swap whose fee has become known, in raw units of its input token. */
export interface FoundFee { swap: PendingSwap, fee: bigint }

const inputSide = (side: 'buy' | 'sell'): keyof Sides => side === 'buy' ? 'quote' : 'base'

/** A swap that waits for the event before it; `fees` are the balances after the swap. */
export const pendingSwapOf = (seq: bigint, at: number, { side, input, output }: SpotSwap, fees: Sides): PendingSwap =>
  ({ seq, at, side, input, output, feeBalanceAfter: fees[inputSide(side)] })

/**
 * The fee of a swap by the balances before it; undefined where the balance fell over the swap: that has a cause which
 * no event tells.
 */
export function feeOf ({ side, feeBalanceAfter }: PendingSwap, before: Sides): bigint | undefined {
  const fee = feeBalanceAfter - before[inputSide(side)]
  return fee >= 0n ? fee : undefined
}
