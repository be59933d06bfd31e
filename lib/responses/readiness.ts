import { faultOf } from '../chain/node-errors.js'
import { haltSentence } from '../chain/timekeeper.js'
import { isServiceError, type ServiceError } from '../errors.js'
import type { Ready } from '../../schemas/ready.js'
import { ALL, type Sources } from './sources.js'
import type { Tickers } from './tickers.js'

/**
 * Whether the tickers can be served, which is found out by asking for them as any client would; and what prevents it.
 */
export async function readiness (
  { snapshot: snapshots, history, time }: Sources, tickers: Pick<Tickers, 'get'>
): Promise<Ready> {
  const failure = await tickers.get().then(() => undefined, (error: unknown) => {
    if (isServiceError(error)) return error
    throw error
  })
  const snapshot = snapshots.peek(ALL)
  const {
    phase,
    last24h,
    complete,
    headAge,
    headSlot,
    lastDay,
    missingEvents,
    losses,
    leads,
    refusal
  } = history.status()
  const halted = time.halted()
  const seconds = (ms: number | null | undefined): number | null => ms == null ? null : ms / 1000
  return {
    ready: failure === undefined,
    problems: failure === undefined ? [] : [sentenceOf(failure), ...refusal === null ? [] : [refusal]],
    chain: {
      utc: new Date(time.utc()).toISOString(),
      clock_offset_seconds: time.offsets().clock / 1000,
      drift_seconds: time.offsets().drift / 1000,
      halted: halted === undefined ? null : haltSentence(halted)
    },
    snapshot: { slot: snapshot?.value.slot ?? null, age_seconds: seconds(snapshot?.age) },
    history: {
      phase,
      last_day_covered: last24h,
      complete,
      head_age_seconds: seconds(headAge),
      head_slot: headSlot,
      last_day: lastDay === null
        ? null
        : { left: lastDay.left, total: lastDay.total, seconds_left: lastDay.secondsLeft },
      missing_events: missingEvents,
      losses,
      leads
    }
  }
}

/** Why there are none; of a node's fault no more than what it was, since a message names its host. */
function sentenceOf (error: ServiceError): string {
  const fault = faultOf(error)
  return fault === undefined ? error.message : `no node gives what is needed: ${fault.reason}`
}
