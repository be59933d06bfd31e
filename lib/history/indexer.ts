import type { HistoryReader } from '../chain/types.js'
import { isServiceError } from '../errors.js'
import type { Completeness } from './completeness.js'
import type { OnFact } from './facts.js'
import { backoff, Stopped, type Sleep } from './pause.js'
import type { Recorder } from './recorder.js'
import { covers, gapsOf, type Gap } from './segments.js'
import { HistoryLost, type Walk } from './walk.js'

export type Phase = 'starting' | 'last-day' | 'walking-back' | 'following'

/** The head, once it is reached: what a process that only reads the store can't know from its rows. */
export interface Reached {
  /** Milliseconds at which the node was asked. */
  at: number
  /** Sequence numbers by account at `provenSlot`, all of which should be stored; empty until the first comparison. */
  accounts: ReadonlyMap<string, bigint>
  provenSlot: number
  /** DAOs whose first numbers are missing and have been looked for in vain. */
  lost: readonly string[]
}

export interface IndexerOptions {
  reader: HistoryReader
  recorder: Recorder
  walk: Walk
  completeness: Completeness
  now: () => number
  sleep: Sleep
  signal: AbortSignal
  onFact: OnFact
  /** Told each time the head is reached. Where it throws, the look at the head has failed. */
  onReached?: ((reached: Reached) => Promise<void>) | undefined
  /** Between two looks at the head, and between two checks of completeness. */
  pollMs: number
  checkMs: number
}

interface Task { at: number, failures: number }

/** After so many failures of one step, transactions that can't be had are noted as missing and left behind. */
const LENIENT_AFTER = 3
/** After so many answers that the past is unknown, a gap is left alone for a while, or the beginning taken for reached. */
const LOST_AFTER = 6
const LOST_MS = 600_000
/** However often it is woken, the head is not looked at more often. */
const WAKE_MS = 250
const DAY = 86_400
/** Block times and this machine's clock may differ by so many seconds. */
const CLOCK_MARGIN = 60

/** Follows the head and walks back, one step at a time, until the signal. What it finds is in the recorder. */
export function createIndexer (options: IndexerOptions) {
  const { reader, recorder, walk, completeness, now, signal, onFact, onReached, pollMs, checkMs } = options
  const [head, back, check]: [Task, Task, Task] = [{ at: 0, failures: 0 }, { at: 0, failures: 0 }, { at: 0, failures: 0 }]
  const lost = new Map<string, { times: number, until: number }>()
  let reachedAt: number | null = null
  let phase: Phase = 'starting'
  let wakeUp = () => {}
  let wasBehind = false
  let lookedAt = -Infinity

  const coversDay = () => covers(recorder.state.segments, recorder.state.ended, Math.floor(now() / 1000) - DAY - CLOCK_MARGIN)

  function setPhase (): void {
    const { segments, ended } = recorder.state
    const next = reachedAt === null ? 'starting' : !coversDay() ? 'last-day' : segments.length > 1 || !ended ? 'walking-back' : 'following'
    if (next === phase) return
    phase = next
    onFact({ level: 'info', code: 'phase', message: `the history is ${next}`, detail: { phase, events: recorder.state.events, swaps: recorder.state.swaps } })
  }

  async function lookAtHead (): Promise<void> {
    const slot = completeness.isPending ? await reader.finalizedSlot() : undefined
    const asked = now()
    const { reached, behind } = await walk.head(head.failures >= LENIENT_AFTER)
    if (behind && !wasBehind) onFact({ level: 'warn', code: 'node-behind', message: 'the newest finalized signature of the node is older than one that is processed' })
    wasBehind = behind
    head.at = now() + pollMs
    lookedAt = now()
    if (!reached) return
    reachedAt = asked
    if (slot !== undefined) completeness.reached(slot)
    // a hole nobody has looked for yet keeps its DAO out of answers: not for longer than it must
    if (!completeness.searched) check.at = Math.min(check.at, now() + pollMs)
    if (onReached === undefined) return
    const lost = [...completeness.holes().values()].flat().filter(hole => hole.from === 1n && completeness.wasSearched(hole)).map(({ dao }) => dao)
    await onReached({ at: asked, accounts: completeness.accounts, provenSlot: completeness.provenSlot, lost })
  }

  async function walkDown (gap: Gap): Promise<void> {
    try {
      await walk.down(gap, back.failures >= LENIENT_AFTER)
      lost.delete(gap.above.oldest)
    } catch (error) {
      if (error instanceof HistoryLost) await lose(gap, error)
      throw error
    }
  }

  /** The node seems to have forgotten. One answer may come from a node that lags; many are taken for the truth, and told. */
  async function lose (gap: Gap, error: HistoryLost): Promise<void> {
    const times = (lost.get(gap.above.oldest)?.times ?? 0) + 1
    lost.set(gap.above.oldest, { times, until: times >= LOST_AFTER ? now() + LOST_MS : 0 })
    if (times !== LOST_AFTER) return
    onFact({ level: 'error', code: 'history-lost', message: `${error.message}: what was there shows as holes` })
    if (gap.until === undefined) await recorder.commit({ events: [], ended: true })
  }

  const nextGap = () => {
    const { segments, ended } = recorder.state
    return gapsOf(segments, ended).find(({ above }) => (lost.get(above.oldest)?.until ?? 0) <= now())
  }

  async function attempt (task: Task, work: () => Promise<void>): Promise<void> {
    try {
      await work()
      task.failures = 0
    } catch (error) {
      if (error instanceof Stopped) return
      task.failures++
      const ours = isServiceError(error)
      const delay = backoff(task.failures, ours ? error.retryAfter : undefined)
      task.at = now() + delay
      const message = error instanceof Error ? error.message : String(error)
      onFact({ level: ours ? 'warn' : 'error', code: 'retry', message: `${message}; tried again in ${delay} ms`, detail: { failures: task.failures, ...(!ours && { error }) } })
    }
  }

  async function idle (until: number): Promise<void> {
    const waking = new AbortController()
    wakeUp = () => waking.abort()
    await options.sleep(Math.max(until - now(), 0), waking.signal)
    wakeUp = () => {}
  }

  async function run (): Promise<void> {
    signal.addEventListener('abort', () => wakeUp(), { once: true })
    while (!signal.aborted) {
      const gap = nextGap()
      if (head.at <= now()) await attempt(head, lookAtHead)
      else if (check.at <= now()) await attempt(check, async () => { await completeness.check(); check.at = now() + checkMs })
      else if (gap !== undefined && back.at <= now()) await attempt(back, () => walkDown(gap))
      else await idle(Math.min(head.at, check.at, gap === undefined ? Infinity : back.at))
      setPhase()
    }
  }

  return {
    run,
    /** The head may have moved. */
    wake (): void {
      if (head.failures === 0) head.at = Math.min(head.at, lookedAt + WAKE_MS)
      wakeUp()
    },
    coversDay,
    get phase () { return phase },
    get walked () { return walk.walked },
    get reachedAt () { return reachedAt }
  }
}

export type Indexer = ReturnType<typeof createIndexer>
