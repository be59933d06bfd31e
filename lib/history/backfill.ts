import type { History, HistoryStatus } from './history.js'
import type { Sleep } from './pause.js'

/** Where progress is shown. */
export interface Output {
  write (text: string): unknown
  /** A terminal: one line is drawn over and over; otherwise a line now and then. */
  isTTY?: boolean
  columns?: number
}

export interface BackfillOptions {
  out: Output
  /** Milliseconds. */
  now: () => number
  sleep: Sleep
  /** Ends it early: the step at hand is finished, and the next start goes on from there. */
  signal: AbortSignal
}

const DRAW_MS = 250
const LINE_MS = 10_000
const BAR = 24

function duration (seconds: number): string {
  const [days, hours, minutes] = [Math.floor(seconds / 86_400), Math.floor(seconds / 3600) % 24, Math.floor(seconds / 60) % 60]
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
export function progressLine (status: HistoryStatus, since: HistoryStatus, seconds: number, bar: boolean): string {
  const { signatures, swaps, events, expected, oldestTime } = status
  const share = shareOf(status)
  const gained = events - since.events
  const left = expected === null || gained <= 0 ? undefined : Math.max(expected - events, 0) / gained * seconds
  const filled = Math.round((share ?? 0) * BAR)
  return [
    ...(bar ? [`${'█'.repeat(filled)}${'░'.repeat(BAR - filled)} ${share === undefined ? '  ?' : String(Math.floor(share * 100)).padStart(3)} %`] : []),
    `${signatures} signatures`,
    `${swaps} swaps`,
    `back to ${oldestTime === null ? '–' : new Date(oldestTime * 1000).toISOString().slice(0, 10)}`,
    `${Math.round(signatures / Math.max(seconds, 0.001))}/s`,
    status.complete ? 'done' : `${left === undefined ? '–' : duration(left)} left`
  ].join(', ')
}

/** What there is to say at the end. */
export function summary (status: HistoryStatus): string {
  const { complete, swaps, events, holes, missing } = status
  if (!complete) return `Stopped after ${swaps} swaps; the next start goes on from here.\n`
  const doubts = [...(holes > 0 ? [`${holes} events`] : []), ...(missing > 0 ? [`${missing} transactions`] : [])]
  return `The history is complete to the beginning that the node offers: ${events} events, ${swaps} swaps.\n` +
    (doubts.length === 0 ? 'Every DAO\'s events are numbered without a hole.\n' : `Not to be had from this node: ${doubts.join(' and ')}; they are looked for again whenever the service runs.\n`)
}

/** Compared with the accounts, and at rest: nothing more is to be expected of this node. */
const isDone = ({ complete, phase, expected, searched }: HistoryStatus) => complete && phase === 'following' && expected !== null && searched

/**
 * Runs `history` until it reaches the beginning, showing how far it is, or until the signal; stops it cleanly. Gives its last status.
 */
export async function backfill (history: History, { out, now, sleep, signal }: BackfillOptions): Promise<HistoryStatus> {
  const begun = now()
  let since: HistoryStatus | undefined
  let shown = -Infinity
  let last = ''
  const show = (text: string) => {
    if (out.isTTY === true) out.write(`\r\x1b[2K${text.slice(0, (out.columns ?? 80) - 1)}`)
    else if (text !== last) out.write(`${text}\n`)
    last = text
  }
  const draw = () => {
    const status = history.status()
    // What was stored before does not tell how fast it goes now
    if (status.phase !== 'starting') since ??= status
    show(progressLine(status, since ?? status, (now() - begun) / 1000, out.isTTY === true))
  }

  history.start()
  while (!signal.aborted && !isDone(history.status())) {
    if (now() - shown >= (out.isTTY === true ? DRAW_MS : LINE_MS)) {
      shown = now()
      draw()
    }
    await sleep(DRAW_MS, signal)
  }
  await history.stop()
  draw()
  if (out.isTTY === true) out.write('\n')
  const status = history.status()
  out.write(summary(status))
  return status
}
