/** Which parts of the program's signatures have been processed: ranges, newest first. */
import type { SignatureInfo } from '../../chain/types.js'
import type { IndexedRange, StoreState } from './types.js'

/** What remains below an indexed range: down to `until`, or to the beginning. */
export interface UnindexedRange {
  /** Index of the indexed range above. */
  index: number
  above: IndexedRange
  until: IndexedRange | undefined
}

export type Walked = Pick<StoreState, 'indexedRanges' | 'ended'>

/** Those of a page that are above `until`; all of them where there is none. */
export function above (page: readonly SignatureInfo[], until: IndexedRange | undefined): SignatureInfo[] {
  const end = page.findIndex(({ signature, slot }) =>
    until !== undefined && (signature === until.newest || slot < until.newestSlot))
  return end === -1 ? [...page] : page.slice(0, end)
}

/** The low end of what ended with `before`, once `entries`, at least one, newest first, are added below it. */
function lowEnd (entries: readonly SignatureInfo[], before?: IndexedRange) {
  const last = entries.at(-1)!
  return {
    oldest: last.signature,
    oldestSlot: last.slot,
    oldestTime: entries.findLast(({ blockTime }) => blockTime !== null)?.blockTime ?? before?.oldestTime ?? null,
    anchor: entries.at(-2)?.signature ?? before?.oldest ?? null
  }
}

/** Of consecutive entries, newest first; there is at least one. */
export const beginRange = (entries: readonly SignatureInfo[]): IndexedRange =>
  ({ newest: entries[0]!.signature, newestSlot: entries[0]!.slot, ...lowEnd(entries) })

/** A range continued downwards by the entries that follow it, newest first. */
export const extend = (range: IndexedRange, entries: readonly SignatureInfo[]): IndexedRange =>
  entries.length === 0 ? range : { ...range, ...lowEnd(entries, range) }

/** Upwards by entries, oldest first; there is at least one. */
export function extendUp (range: IndexedRange, entries: readonly SignatureInfo[]): IndexedRange {
  const last = entries.at(-1)!
  return {
    ...range,
    newest: last.signature,
    newestSlot: last.slot,
    oldestTime: range.oldestTime ?? entries.find(({ blockTime }) => blockTime !== null)?.blockTime ?? null,
    anchor: range.anchor ?? entries[0]!.signature
  }
}

/** The indexed range `index` and the one below it, found to touch, as one. */
export function merge (indexedRanges: readonly IndexedRange[], index: number): IndexedRange[] {
  const [upper, lower] = [indexedRanges[index]!, indexedRanges[index + 1]!]
  return indexedRanges.toSpliced(index, 2, {
    ...lower,
    newest: upper.newest,
    newestSlot: upper.newestSlot,
    oldestTime: lower.oldestTime ?? upper.oldestTime,
    anchor: lower.anchor ?? upper.oldest
  })
}

/** Newest first; the last leads to the beginning, unless that has been reached. */
export function unindexedRanges ({ indexedRanges, ended }: Walked): UnindexedRange[] {
  return indexedRanges
    .map((range, index) => ({ index, above: range, until: indexedRanges[index + 1] }))
    .filter(({ until }) => until !== undefined || !ended)
}

/** The walk has reached the beginning that the node offers, and nothing between is left. */
export const isComplete = ({ indexedRanges, ended }: Walked): boolean => ended && indexedRanges.length <= 1

/**
 * Unix second down to which all is covered, that second excluded; −Infinity: to the nodes' beginning; Infinity: nothing
 * is, or its time is unknown.
 */
export const walkedTo = (walked: Walked): number =>
  isComplete(walked) ? -Infinity : walked.indexedRanges[0]?.oldestTime ?? Infinity

/** Unix second at which the nodes' past begins; null: not walked to it, or its time is unknown. */
export const beginningOf = (walked: Walked): number | null =>
  isComplete(walked) ? walked.indexedRanges[0]?.oldestTime ?? null : null
