import { type ServiceError, unusable, warmingUp } from '../errors.js'
import { DAY, timeText } from '../time.js'
import { isWalked, type Reading, type TradesQuery } from '../history/history.js'
import type { Sources } from './sources.js'

/** More days than anything here has lived. */
const MAX_DAYS = 100_000
export const ALL_DAYS = { from: 0, to: MAX_DAYS * DAY, limit: MAX_DAYS }

/** Throws WARMING_UP until what events tell of decisions has been read, which version 1.0 did not. */
export async function checkTold (reading: Reading, dao: string): Promise<void> {
  if (await reading.untold(dao)) throw warmingUp('events of decisions are still being read')
}

/** Throws HISTORY_UNAVAILABLE where none is left of so many pools: the list would look like a market without any. */
export function checkLeft (left: number, all: number): void {
  if (left === 0 && all > 0) throw unusable('the last 24 hours of no pool are known')
}

/** Unix seconds of a DAO's first event; null: it is not known. */
export function createdAt ({ known }: Reading, dao: string): number | null {
  const [first] = known.sequenceRanges.get(dao) ?? []
  return first?.first === 1n ? first.firstAt : null
}

/** A history that is catching up passes a second sooner than the chain took to get to it, s. */
const MAX_RETRY_AFTER = 60

/**
 * Throws `invalid` for a Unix second to come, WARMING_UP until the head is `beyond` seconds behind it: other blocks of
 * the head's own second may still bring a trade.
 */
export function checkFinal (sources: Sources, at: number, invalid: ServiceError, beyond = 0): void {
  const { time: head } = sources.history.head()
  const wait = at + beyond - head
  if (wait <= 0) return
  if (at > Math.max(head, sources.time.utc() / 1000)) throw invalid
  const retryAfter = Math.min(wait, MAX_RETRY_AFTER)
  throw warmingUp(`${timeText(at)} is not final yet`, retryAfter)
}

/** ISO 8601 of the first second of what is known after another; undefined: from the beginning, or not at all. */
export const sinceText = (after: number | undefined): string | undefined =>
  after === undefined || !Number.isFinite(after) ? undefined : timeText(after + 1)

/** Says of an answer whether all that it covers is known and, where not, from when on. */
export function historyHeaders (isWhole: boolean, after?: number): Record<string, string> {
  const since = isWhole ? undefined : sinceText(after)
  return { 'x-history-complete': String(isWhole), ...since !== undefined && { 'x-history-since': since } }
}

/**
 * After which second, `after` or a later one, what happened to a DAO up to `until` can be told: all of it where it is
 * known or lost, else as far as the past has been walked without a gap. Throws WARMING_UP and HISTORY_UNAVAILABLE where
 * it is not known, with `mustBeWhole` where not all is.
 */
export function extentOf (
  reading: Reading,
  dao: string,
  after: number,
  { until = Infinity, mustBeWhole = false }: { until?: number, mustBeWhole?: boolean } = {}
): { after: number, isWhole: boolean, headers: Record<string, string> } {
  const known = reading.knowledge(dao, after, until)
  if (known === 'whole') return { after, isWhole: true, headers: historyHeaders(true) }
  const { walkedTo } = reading.known
  const isComing = !isWalked(walkedTo, after)
  const from = reading.wholeAfter(dao)
  // what is missing in the midst of what is stored is waited for: a page cut there would pass for the last one
  const isCut = from === undefined || from >= until || !isComing || from > walkedTo + 1
  if (known === 'partly' && (mustBeWhole || isCut)) {
    throw (isComing ? warmingUp : unusable)(`not all events of ${dao} are known`)
  }
  return { after: known === 'lost' ? after : from!, isWhole: false, headers: historyHeaders(false, from) }
}

/** The newest trades that are asked for, as far back as `extentOf` lets them be told, which throws. */
export async function knownTrades (reading: Reading, asked: TradesQuery, mustBeWhole = false) {
  const found = await reading.trades(asked)
  const oldest = found.length === asked.limit ? found.at(-1)!.at : asked.since
  const extent = extentOf(reading, asked.dao, (oldest ?? -Infinity) - 1, { until: asked.until, mustBeWhole })
  return { ...extent, trades: found.filter(({ at }) => at > extent.after) }
}
