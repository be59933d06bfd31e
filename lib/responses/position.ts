import type { ChainPosition, PoolEvent } from '../history/history.js'

/** Positions of events in the order of the chain, and their ids in a stream. */

/** Behind everything of its slot. */
const END = 2 ** 31 - 1

export const positionOf = ({ slot, blockIndex, eventIndex }: PoolEvent): ChainPosition =>
  ({ slot, blockIndex: blockIndex ?? 0, eventIndex })

export const endOf = (slot: number): ChainPosition => ({ slot, blockIndex: END, eventIndex: 0 })

export const isBehind = (a: ChainPosition, b: ChainPosition): boolean =>
  (a.slot - b.slot || a.blockIndex - b.blockIndex || a.eventIndex - b.eventIndex) > 0

export const idOf = ({ slot, blockIndex, eventIndex }: ChainPosition): string => `${slot}-${blockIndex}-${eventIndex}`

/** undefined: it is no id. */
export function positionOfId (id: string): ChainPosition | undefined {
  const parts = /^(\d{1,12})-(\d{1,10})-(\d{1,10})$/.exec(id)?.slice(1).map(Number)
  const [slot = NaN, blockIndex = NaN, eventIndex = NaN] = parts ?? []
  return blockIndex <= END && eventIndex <= END ? { slot, blockIndex, eventIndex } : undefined
}
