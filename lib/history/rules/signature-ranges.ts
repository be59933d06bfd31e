/** Which parts of the program's signatures have been processed: ranges, newest first. */
import type { SignatureInfo } from '../../chain/types.js'
import { ServiceError } from '../../errors.js'
import type { IndexedRange, StoreState } from './types.js'

/** What remains below an indexed range: down to `until`, or to the beginning. */
export interface UnindexedRange {
  /** Index of the indexed range above. */
  index: number
  above: IndexedRange
  until: IndexedRange | undefined
}

const bad = (message: string) => new ServiceError('NODE_BAD_ANSWER', message)

/** Throws NODE_BAD_ANSWER for a page out of slot order, newer than `before`, or with one signature twice. */
export function checkPageOrder (page: readonly SignatureInfo[], before?: { signature: string, slot: number }): void {
  let slot = before?.slot ?? Infinity
  const seen = new Set(before === undefined ? [] : [before.signature])
  for (const entry of page) {
    if (seen.has(entry.signature)) throw bad(`the node repeats signature ${entry.signature}`)
    if (entry.slot > slot) throw bad(`the node lists slot ${entry.slot} after slot ${slot}, newest first`)
    seen.add(entry.signature)
    slot = entry.slot
  }
}

/** Coming from above. */
export const reaches = (entry: SignatureInfo, range: IndexedRange): boolean =>
  entry.signature === range.newest || entry.slot < range.newestSlot

/** All of them where there is no `until`. */
export function above (page: readonly SignatureInfo[], until: IndexedRange | undefined): SignatureInfo[] {
  if (until === undefined) return [...page]
  const end = page.findIndex(entry => reaches(entry, until))
  return end === -1 ? [...page] : page.slice(0, end)
}

function timeOf (entries: readonly SignatureInfo[], before: number | null): number | null {
  return entries.findLast(({ blockTime }) => blockTime !== null)?.blockTime ?? before
}

/** Of consecutive entries, newest first; there is at least one. */
export function beginRange (entries: readonly SignatureInfo[]): IndexedRange {
  const [first, last] = [entries[0]!, entries.at(-1)!]
  return {
    newest: first.signature,
    newestSlot: first.slot,
    oldest: last.signature,
    oldestSlot: last.slot,
    oldestTime: timeOf(entries, null),
    anchor: entries.at(-2)?.signature ?? null
  }
}

/** A range continued downwards by the entries that follow it, newest first. */
export function extend (range: IndexedRange, entries: readonly SignatureInfo[]): IndexedRange {
  const last = entries.at(-1)
  if (last === undefined) return range
  return {
    ...range,
    oldest: last.signature,
    oldestSlot: last.slot,
    oldestTime: timeOf(entries, range.oldestTime),
    anchor: entries.at(-2)?.signature ?? range.oldest
  }
}

/** Upwards by entries, oldest first; there is at least one. */
export function extendUp (range: IndexedRange, entries: readonly SignatureInfo[]): IndexedRange {
  const [first, last] = [entries[0]!, entries.at(-1)!]
  return {
    ...range,
    newest: last.signature,
    newestSlot: last.slot,
    oldestTime: range.oldestTime ?? entries.find(({ blockTime }) => blockTime !== null)?.blockTime ?? null,
    anchor: range.anchor ?? first.signature
  }
}

/** The indexed range `index` and the one below it, found to touch, as one. */
export function merge (indexedRanges: readonly IndexedRange[], index: number): IndexedRange[] {
  const [upper, lower] = [indexedRanges[index]!, indexedRanges[index + 1]!]
  const whole = {
    ...lower,
    newest: upper.newest,
    newestSlot: upper.newestSlot,
    oldestTime: lower.oldestTime ?? upper.oldestTime
  }
  return indexedRanges.toSpliced(index, 2, lower.anchor === null ? { ...whole, anchor: upper.oldest } : whole)
}

/** Newest first; the last leads to the beginning, unless that has been reached. */
export function unindexedRanges (indexedRanges: readonly IndexedRange[], ended: boolean): UnindexedRange[] {
  return indexedRanges
    .map((range, index) => ({ index, above: range, until: indexedRanges[index + 1] }))
    .filter(({ until }) => until !== undefined || !ended)
}

/**
 * Unix second down to which all is covered, that second excluded; −Infinity: to the nodes' beginning; Infinity: nothing
 * is, or its time is unknown.
 */
export function walkedTo (indexedRanges: readonly IndexedRange[], ended: boolean): number {
  return indexedRanges.length <= 1 && ended ? -Infinity : indexedRanges[0]?.oldestTime ?? Infinity
}

/** Unix second at which the nodes' past begins; null: not walked to it, or its time is unknown. */
export const beginningOf = ({ indexedRanges, ended }: Pick<StoreState, 'indexedRanges' | 'ended'>): number | null =>
  ended && indexedRanges.length === 1 ? indexedRanges[0]!.oldestTime : null
