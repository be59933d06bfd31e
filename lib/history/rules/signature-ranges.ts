/** Ranges of the program's signatures that are indexed, newest first. */
import type { SignatureInfo } from '../../chain/types.js'
import type { IndexedRange, StoreState } from './rows.js'

/** Below an indexed range, down to `until` or to the beginning. */
export interface UnindexedRange {
  /** Of the range above. */
  index: number
  above: IndexedRange
  until: IndexedRange | undefined
}

export type Walked = Pick<StoreState, 'indexedRanges' | 'ended'>

/** Those of a page that are above `until`, if there is one. */
export function above (page: readonly SignatureInfo[], until: IndexedRange | undefined): SignatureInfo[] {
  const end = page.findIndex(({ signature, slot }) =>
    until !== undefined && (signature === until.newest || slot < until.newestSlot))
  return end === -1 ? [...page] : page.slice(0, end)
}

/** Of consecutive entries, at least one, newest first. */
export function rangeOf (entries: readonly SignatureInfo[]): IndexedRange {
  const [first, last] = [entries[0]!, entries.at(-1)!]
  return {
    newest: first.signature,
    newestSlot: first.slot,
    oldest: last.signature,
    oldestSlot: last.slot,
    oldestTime: entries.findLast(({ blockTime }) => blockTime !== null)?.blockTime ?? null,
    anchor: entries.at(-2)?.signature ?? null
  }
}

/** Of two that touch. */
export const joinRanges = (upper: IndexedRange, lower: IndexedRange): IndexedRange => ({
  ...lower,
  newest: upper.newest,
  newestSlot: upper.newestSlot,
  oldestTime: lower.oldestTime ?? upper.oldestTime,
  anchor: lower.anchor ?? upper.oldest
})

/** Downwards by the entries that follow, newest first. */
export const extend = (range: IndexedRange, entries: readonly SignatureInfo[]): IndexedRange =>
  entries.length === 0 ? range : joinRanges(range, rangeOf(entries))

/** Newest first. */
export function unindexedRanges ({ indexedRanges, ended }: Walked): UnindexedRange[] {
  return indexedRanges
    .map((range, index) => ({ index, above: range, until: indexedRanges[index + 1] }))
    .filter(({ until }) => until !== undefined || !ended)
}

/** All is indexed down to the beginning that the node offers. */
export const isComplete = ({ indexedRanges, ended }: Walked): boolean => ended && indexedRanges.length <= 1

/** All after this Unix second is indexed; −Infinity: from the nodes' beginning; Infinity: nothing is known to be. */
export const walkedTo = (walked: Walked): number =>
  isComplete(walked) ? -Infinity : walked.indexedRanges[0]?.oldestTime ?? Infinity

/** Unix second at which the nodes' past begins; null: not known. */
export const beginningOf = (walked: Walked): number | null =>
  isComplete(walked) ? walked.indexedRanges[0]?.oldestTime ?? null : null
