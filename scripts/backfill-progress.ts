import { setTimeout } from 'node:timers/promises'
import type { History, HistoryStatus } from '../lib/history/history.js'
import { ServiceError } from '../lib/errors.js'
import { bar, createProgress, type Output } from './command-line.js'

export interface BackfillOptions {
  out: Output
  /** Ends it early: what has come is stored, and the next start goes on from there. */
  signal: AbortSignal
}

const LOOK_MS = 250

function duration (seconds: number): string {
  const [days, hours, minutes] = [
    Math.floor(seconds / 86_400), Math.floor(seconds / 3600) % 24, Math.floor(seconds / 60) % 60
  ]
  if (days > 0) return `${days} d ${hours} h`
  if (hours > 0) return `${hours} h ${minutes} min`
  return minutes > 0 ? `${minutes} min ${Math.floor(seconds % 60)} s` : `${Math.ceil(seconds)} s`
}

/** Share of the numbered events that are stored, 0 to 1; undefined before their number is known. */
function shareOf ({ events, expected, complete }: HistoryStatus): number | undefined {
  if (expected === null || expected === 0) return complete ? 1 : undefined
  return Math.min(events / expected, 1)
}

/** One line of progress: `since` is the status at the start, `seconds` the time since. */
export function progressLine (status: HistoryStatus, since: HistoryStatus, seconds: number, hasBar: boolean): string {
  const { signatures, swaps, events, expected, oldestTime } = status
  const share = shareOf(status)
  const gained = events - since.events
  const left = expected === null || gained <= 0 ? undefined : Math.max(expected - events, 0) / gained * seconds
  const percent = share === undefined ? '  ?' : String(Math.floor(share * 100)).padStart(3)
  return [
    ...hasBar ? [`${bar(share ?? 0)} ${percent} %`] : [],
    `${signatures} signatures`,
    `${swaps} swaps`,
    `back to ${oldestTime === null ? '–' : new Date(oldestTime * 1000).toISOString().slice(0, 10)}`,
    `${Math.round(signatures / Math.max(seconds, 0.001))}/s`,
    status.complete ? 'done' : `${left === undefined ? '–' : duration(left)} left`
  ].join(', ')
}

/** What there is to say at the end. */
export function summary (status: HistoryStatus): string {
  const { complete, swaps, events, missingEvents, missingTransactions } = status
  if (!complete) return `Stopped after ${swaps} swaps; the next start goes on from here.\n`
  const missing = [
    ...(missingEvents > 0 ? [`${missingEvents} events`] : []),
    ...(missingTransactions > 0 ? [`${missingTransactions} transactions`] : [])
  ]
  return `The history is complete to the beginning that the node offers: ${events} events, ${swaps} swaps.\n` +
    (missing.length === 0
      ? 'Every DAO\'s events are numbered without a sequence gap.\n'
      : `Not to be had from this node: ${missing.join(' and ')}; they are looked for again whenever the service ` +
        'runs.\n')
}

/** Compared with the accounts, and at rest: nothing more is to be expected of this node. */
const isDone = ({ complete, phase, expected, searched }: HistoryStatus) =>
  complete && phase === 'following' && expected !== null && searched

/**
 * Runs `history` until it reaches the beginning, showing how far it is, or until the signal; stops it cleanly. Gives
 * its last status. Throws WRONG_NETWORK where the store holds the rows of another one.
 */
export async function backfill (history: History, { out, signal }: BackfillOptions): Promise<HistoryStatus> {
  const begun = performance.now()
  const progress = createProgress(out)
  let since: HistoryStatus | undefined
  const show = (isLast = false): void => {
    const status = history.status()
    // What was stored before does not tell how fast it goes now
    if (status.phase !== 'starting') since ??= status
    const seconds = (performance.now() - begun) / 1000
    progress(progressLine(status, since ?? status, seconds, out.isTTY === true), isLast)
  }

  history.start()
  while (!signal.aborted && history.status().refusal === null && !isDone(history.status())) {
    show()
    await setTimeout(LOOK_MS, undefined, { signal }).catch(() => {})   // the signal has been given
  }
  const { refusal } = history.status()
  await history.stop()
  if (refusal !== null) throw new ServiceError('WRONG_NETWORK', refusal)
  show(true)
  const status = history.status()
  out.write(summary(status))
  return status
}
