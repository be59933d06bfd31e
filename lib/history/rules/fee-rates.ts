import { observedBps } from '../../market/volume.js'
import type { FeeRate, StoredSwap } from './types.js'

/** The protocol fee rates that swaps show; one too small to tell a rate, or whose fee is not known, shows none. */
export function feeRatesOf (swaps: Iterable<{ dao: string, slot: number, swap: StoredSwap }>): FeeRate[] {
  const rates = new Map<string, FeeRate>()
  for (const { dao, slot, swap: { input, fee } } of swaps) {
    const bps = fee === null ? undefined : observedBps(fee, input)?.toString()
    if (bps === undefined) continue
    const known = rates.get(`${bps} ${dao}`)
    rates.set(
      `${bps} ${dao}`,
      { dao, bps, fromSlot: Math.min(known?.fromSlot ?? slot, slot), toSlot: Math.max(known?.toSlot ?? slot, slot) }
    )
  }
  return [...rates.values()]
}
