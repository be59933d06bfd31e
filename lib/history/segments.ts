/** Which parts of the program's list of signatures have been processed. Pure functions over segments, newest first. */
import type { SignatureInfo } from '../chain/types.js'
import { ServiceError } from '../errors.js'
import type { Segment } from './store.js'

/** What remains to be walked below a segment: down to `until`, or to the beginning. */
export interface Gap {
  /** Index of the segment above. */
  index: number
  above: Segment
  until: Segment | undefined
}

const bad = (message: string) => new ServiceError('NODE_BAD_ANSWER', message)

/**
 * Refuses a page of signatures that can't be true: out of slot order, newer than the entry it was asked to come after, or naming one
 * signature twice. Throws NODE_BAD_ANSWER: such a node must not move any cursor.
 */
export function checkPage (page: readonly SignatureInfo[], before?: { signature: string, slot: number }): void {
  let slot = before?.slot ?? Infinity
  const seen = new Set(before === undefined ? [] : [before.signature])
  for (const entry of page) {
    if (seen.has(entry.signature)) throw bad(`the node repeats signature ${entry.signature}`)
    if (entry.slot > slot) throw bad(`the node lists slot ${entry.slot} after slot ${slot}, newest first`)
    seen.add(entry.signature)
    slot = entry.slot
  }
}

/** Whether an entry belongs to what `segment` covers already, coming from above. */
export const reaches = (entry: SignatureInfo, segment: Segment): boolean =>
  entry.signature === segment.newest || entry.slot < segment.newestSlot

/** The entries of a page that lie above `until`; all of them where there is none. */
export function above (page: readonly SignatureInfo[], until: Segment | undefined): SignatureInfo[] {
  if (until === undefined) return [...page]
  const end = page.findIndex(entry => reaches(entry, until))
  return end === -1 ? [...page] : page.slice(0, end)
}

function timeOf (entries: readonly SignatureInfo[], before: number | null): number | null {
  return entries.findLast(({ blockTime }) => blockTime !== null)?.blockTime ?? before
}

/** A new segment of consecutive entries, newest first; there is at least one. */
export function segmentOf (entries: readonly SignatureInfo[]): Segment {
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

/** `segment` continued downwards by entries that follow it without a gap. */
export function extend (segment: Segment, entries: readonly SignatureInfo[]): Segment {
  const last = entries.at(-1)
  if (last === undefined) return segment
  return {
    ...segment,
    oldest: last.signature,
    oldestSlot: last.slot,
    oldestTime: timeOf(entries, segment.oldestTime),
    anchor: entries.at(-2)?.signature ?? segment.oldest
  }
}

/** Segment `index` and the one below it, found to touch, as one. */
export function merge (segments: readonly Segment[], index: number): Segment[] {
  const [upper, lower] = [segments[index]!, segments[index + 1]!]
  const whole = { ...lower, newest: upper.newest, newestSlot: upper.newestSlot, oldestTime: lower.oldestTime ?? upper.oldestTime }
  return segments.toSpliced(index, 2, lower.anchor === null ? { ...whole, anchor: upper.oldest } : whole)
}

/** What remains to be walked, newest first. The last gap is the way to the beginning, unless that has been reached. */
export function gapsOf (segments: readonly Segment[], ended: boolean): Gap[] {
  return segments
    .map((segment, index) => ({ index, above: segment, until: segments[index + 1] }))
    .filter(({ until }) => until !== undefined || !ended)
}

/** Whether everything after the Unix second `time` is covered, as far as the walk goes. */
export function covers (segments: readonly Segment[], ended: boolean, time: number): boolean {
  const [top] = segments
  if (segments.length <= 1 && ended) return true
  return top !== undefined && top.oldestTime !== null && top.oldestTime < time
}

/** Unix second at which the past begins that the node offers; null while the walk has not come to it, or does not know its time. */
export const beginningOf = ({ segments, ended }: { segments: readonly Segment[], ended: boolean }): number | null =>
  ended && segments.length === 1 ? segments[0]?.oldestTime ?? null : null
