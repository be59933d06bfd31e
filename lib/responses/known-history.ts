/** What an answer may tell of the past, and what it says of what it can't. */
import { unusable, warmingUp, type ServiceError } from '../errors.js'
import { isWalked, type Reading, type TradesQuery } from '../history/history.js'
import type { Part } from '../live/fresh.js'
import type { Dao } from '../protocol/dao.js'
import { DAY, timeText } from '../time.js'
import type { Sources } from './sources.js'

/** The head of the history, added to `parts`. */
export function headOf ({ history, now }: Pick<Sources, 'history' | 'now'>, parts: Part[], head = history.head()) {
  parts.push({ time: head.time, readAt: now(), commitment: 'finalized' })
  return head
}

/** Whether a DAO has events by its account, up to a Unix second: if none is stored, they are missing. */
export const hasEvents = ({ seqNum, createdAt }: Pick<Dao, 'seqNum' | 'createdAt'>, time: number) =>
  seqNum > 0n && createdAt <= time

/** More days than any DAO has lived. */
const MAX_DAYS = 100_000
export const ALL_DAYS = { from: 0, to: MAX_DAYS * DAY, limit: MAX_DAYS }

/** Throws WARMING_UP until what events tell of decisions is read, which version 1.0 did not. */
export async function checkTold (reading: Reading, dao: string): Promise<void> {
  if (await reading.untold(dao)) throw warmingUp('events of decisions are still being read')
}

/** Throws HISTORY_UNAVAILABLE where none of `all` pools is left: an empty list would look like an empty market. */
export function checkLeft (left: number, all: number): void {
  if (left === 0 && all > 0) throw unusable('the last 24 hours of no pool are known')
}

/** Unix seconds of a DAO's first event; null: not known. */
export function createdAt ({ known }: Reading, dao: string): number | null {
  const [first] = known.sequenceRanges.get(dao) ?? []
  return first?.first === 1n ? first.firstAt : null
}

/** Seconds: a history that catches up is faster than the chain. */
const MAX_RETRY_AFTER = 60

/**
 * Throws `invalid` for a Unix second to come, WARMING_UP until the head of the history is `beyond` seconds
 * past it: other blocks of that moment's own second may still have trades.
 */
export function checkFinal (sources: Sources, at: number, invalid: ServiceError, beyond = 0): void {
  const { time: head } = sources.history.head()
  const wait = at + beyond - head
  if (wait <= 0) return
  if (at > Math.max(head, sources.time.utc() / 1000)) throw invalid
  const retryAfter = Math.min(wait, MAX_RETRY_AFTER)
  throw warmingUp(`${timeText(at)} is not final yet`, retryAfter)
}

/** ISO 8601 of the first second after `after`; null: all is known, or nothing. */
export const sinceText = (after = Infinity) => Number.isFinite(after) ? timeText(after + 1) : null

/** Whether all that an answer covers is known; if not, after which Unix second. */
export function historyHeaders (isWhole: boolean, after?: number): Record<string, string> {
  const since = isWhole ? null : sinceText(after)
  return { 'x-history-complete': String(isWhole), ...since !== null && { 'x-history-since': since } }
}

/**
 * After which second, `after` or later, what happened to a DAO up to `until` can be told: all where it is known or
 * lost, else as far back as the walk has come without a gap. Throws WARMING_UP and HISTORY_UNAVAILABLE where nothing
 * can, with `mustBeWhole` where not all can.
 */
export function extentOf (
  reading: Reading,
  dao: string,
  after: number,
  { until = Infinity, mustBeWhole = false } = {}
) {
  const known = reading.knowledge(dao, after, until)
  if (known === 'whole') return { after, isWhole: true, headers: historyHeaders(true) }
  const { walkedTo } = reading
  const isComing = !isWalked(walkedTo, after)
  const from = reading.wholeAfter(dao)
  // a gap within what is stored is waited for: a page that ends there would pass for the last one
  const isCut = from === undefined || from >= until || !isComing || from > walkedTo + 1
  if (known === 'partly' && (mustBeWhole || isCut)) {
    throw (isComing ? warmingUp : unusable)(`not all events of ${dao} are known`)
  }
  return { after: known === 'lost' ? after : from!, isWhole: false, headers: historyHeaders(false, from) }
}

/** The newest of the asked trades, as far back as `extentOf` says. Throws as that. */
export async function knownTrades (reading: Reading, asked: TradesQuery, mustBeWhole = false) {
  const found = await reading.trades(asked)
  const oldest = found.length === asked.limit ? found.at(-1)!.at : asked.since
  const extent = extentOf(reading, asked.dao, (oldest ?? -Infinity) - 1, { until: asked.until, mustBeWhole })
  return { ...extent, trades: found.filter(({ at }) => at > extent.after) }
}
