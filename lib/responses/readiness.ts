import { faultOf, FAULTS } from '../chain/node-errors.js'
import { haltSentence } from '../chain/timekeeper.js'
import { isServiceError, type ServiceError } from '../errors.js'
import type { Kept } from '../live/fresh.js'
import { ifKnown } from '../market/pool-figures.js'
import type { Ready } from '../../schemas/ready.js'
import { DAY } from '../time.js'
import { firstWholeDay } from './aggregate.js'
import { sinceText } from './known-history.js'
import type { Sources } from './sources.js'

/**
 * Whether the tickers can be served, found out by asking for them, and what prevents it. Nothing else is asked of nodes
 * and store: a silent database would hold up a probe.
 */
export async function readiness (
  { snapshot: snapshots, history, time }: Sources, tickers: Kept<unknown>
): Promise<Ready> {
  const failure = await tickers([]).then(() => undefined, (error: unknown) => {
    if (isServiceError(error)) return error
    throw error
  })
  const snapshot = snapshots.peek()
  const status = history.status()
  const { phase, lastDay, refusal, complete, oldestTime } = status
  const firstDay = firstWholeDay(status)
  // the tickers ask for the state first, then for the history
  const hasState = failure === undefined ||
    isServiceError(failure, 'WARMING_UP', 'HISTORY_UNAVAILABLE', 'WRONG_NETWORK')
  const canRead = hasState && (failure === undefined || status.isReadable)
  const hasHead = canRead && phase !== 'starting' && !status.isBehind && status.hasSums
  /** What a group of paths can tell by now. */
  const group = (ready: boolean, paths: string[], after?: number, left: number | null = null) =>
    ({ paths, ready, since: ready ? sinceText(after) : null, seconds_left: ready ? null : left })
  const seconds = (ms: number | null | undefined) => ifKnown(ms, known => known / 1000)
  return {
    ready: failure === undefined,
    problems: failure === undefined ? [] : [sentenceOf(failure), ...refusal === null ? [] : [refusal]],
    answers: [
      group(hasState, ['/api/supply', '/api/daos', '/api/daos/{dao}/treasury', '/api/treasuries', '/jupiter']),
      group(
        hasHead,
        ['/api/pools', '/market', '/api/daos/{dao}'],
        complete || oldestTime === null ? undefined : oldestTime + 1
      ),
      // sooner where none is older than what is read, which proposals alone tell
      group(hasHead && complete, ['/api/proposals']),
      group(
        failure === undefined, ['/api/tickers', '/api/prices', '/coingecko', '/cmc'], undefined, lastDay?.secondsLeft
      ),
      group(
        hasHead && firstDay * DAY <= history.head().time,
        ['/api/volume/aggregate', '/api/fees/aggregate', '/api/liquidity/aggregate', '/api/days'],
        firstDay * DAY - 1
      ),
      group(canRead && status.isPublished, ['/dexscreener', '/geckoterminal'])
    ],
    chain: {
      utc: new Date(time.utc()).toISOString(),
      clock_offset_seconds: time.offsets().clock / 1000,
      drift_seconds: time.offsets().drift / 1000,
      halted: ifKnown(time.halted(), haltSentence)
    },
    snapshot: { slot: snapshot?.value.slot ?? null, age_seconds: seconds(snapshot?.age) },
    history: {
      phase,
      last_day_covered: status.last24h,
      complete,
      head_age_seconds: seconds(status.headAge),
      head_slot: status.headSlot,
      last_day: lastDay && { left: lastDay.left, total: lastDay.total, seconds_left: lastDay.secondsLeft },
      missing_events: status.missingEvents,
      losses: status.losses,
      leads: status.leads
    }
  }
}

/** Why there are no tickers: of a node only the kind of fault, as its own message may name its host. */
function sentenceOf (error: ServiceError): string {
  const fault = faultOf(error)
  return fault === undefined ? error.message : `no node gives what is needed: ${FAULTS[fault.reason]}`
}
