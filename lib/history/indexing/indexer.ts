import type { Moment } from '../../chain/moment.js'
import { backoff } from '../../backoff.js'
import { isServiceError, messageOf } from '../../errors.js'
import { pause, Stopped } from '../pause.js'
import { coversDay, lastDayEdge, lastDayText, type LastDayWork, type Phase, phaseOf } from '../status.js'
import { unindexedRanges, type UnindexedRange } from '../rules/signature-ranges.js'
import { firstAvailable, HistoryLost } from './list.js'
import type { createMissingOwners } from './owners.js'
import type { Reconciler } from './reconcile.js'
import type { Walk } from './signature-walk.js'
import type { Accounts, Context } from './context.js'
import type { StepResult } from './feed.js'

export interface IndexerOptions extends Context {
  walk: Walk
  reconciler: Reconciler
  owners: ReturnType<typeof createMissingOwners>
  /** Told when the head is reached; what it throws is thrown by the look at the head. */
  onReached: () => Promise<void>
  /** Told how far the last day is, while it is not covered. */
  onProgress?: ((work: LastDayWork | null) => Promise<void>) | undefined
  /** Between two looks at the head, where nobody tells that it moves and where somebody does, and two checks, ms. */
  pollMs: number
  listeningMs: number
  checkMs: number
  /** Whether somebody follows what is published: both come more often then. */
  isFollowed: () => boolean
}

interface Task { at: number, failures: number }

/** After so many answers that the past is unknown, over so long, it is taken for lost. */
const LOST_AFTER = 6
const LOST_MS = 20_000
/** However often it is woken, the head is not looked at more often. */
const WAKE_MS = 250
/** While the last day is read, the head takes little of what the node allows. */
const WARMING_POLLS = 5
/** Between two lines that say how far the last day is. */
const TELL_MS = 10_000
const HEAD_DEADLINE_MS = 10_000
/** While somebody follows what is published, or accounts are ahead of it, ms. */
const FOLLOWED_MS = 5_000

/** Follows the head and walks back, one step at a time, until the signal. */
export function createIndexer (options: IndexerOptions) {
  const { reader, writer, walk, reconciler, owners, clock, signal, onLog, onReached, onProgress, isFollowed } = options
  const { pollMs, listeningMs, checkMs } = options
  const now = () => clock.now()
  const task = (): Task => ({ at: 0, failures: 0 })
  const [head, back, check] = [task(), task(), task()]
  const lost = new Map<string, { times: number, since: number }>()
  /** The newest finalized moment, and the newest up to which all is stored. */
  let newest: Moment | undefined
  let reached: Moment | null = null
  let phase: Phase = 'starting'
  let wakeUp = () => {}
  let wasBehind = false
  let lookedAt = -Infinity
  let isListening = false
  let toldAt = -Infinity
  let lastDay: LastDayWork | null = null

  const edge = () => lastDayEdge(newest?.time)
  const isCovered = () => coversDay(writer.state, newest?.time)
  /** Whether the accounts' numbers would tell something new once the head has come past them. */
  const needsProof = () => reconciler.isPending && (reconciler.verifiedSlot === 0 || writer.state.missing.length > 0 ||
    reconciler.sequenceGaps().size > 0)

  function interval (): number {
    if (!isCovered()) return WARMING_POLLS * pollMs
    if (!isListening || needsProof()) return pollMs
    return isFollowed() || reconciler.isAhead ? Math.min(listeningMs, FOLLOWED_MS) : listeningMs
  }

  function setPhase (): void {
    const next = phaseOf(writer.state, reached)
    if (next === phase) return
    phase = next
    const { events, swaps } = writer.state
    onLog({ level: 'info', code: 'phase', message: `the history is ${next}`, detail: { phase, events, swaps } })
  }

  async function followWork (): Promise<void> {
    const from = edge()
    const remaining = from === undefined || isCovered() ? undefined : walk.remaining(from)
    if (remaining === undefined) {
      if (lastDay !== null) await onProgress?.(null)
      lastDay = null
      return
    }
    const processed = lastDay === null ? 0 : lastDay.total - lastDay.left + Math.max(lastDay.left - remaining.left, 0)
    lastDay = { ...remaining, total: processed + remaining.left }
    if (now() - toldAt < TELL_MS) return
    toldAt = now()
    onLog({ level: 'info', code: 'progress', message: lastDayText(lastDay), detail: { ...lastDay } })
    await onProgress?.(lastDay)
  }

  async function ask (): Promise<Moment> {
    const { moment } = await reader.head({ priority: 'head', deadlineMs: HEAD_DEADLINE_MS, signal })
    if (newest === undefined || moment.time > newest.time) newest = moment
    return moment
  }

  function settle (task: Task, { failure, waitUntil }: StepResult): void {
    if (failure !== undefined) throw failure
    if (waitUntil !== undefined) task.at = Math.max(task.at, waitUntil)
  }

  async function lookAtHead (): Promise<void> {
    lookedAt = now()
    const result = await walk.head(ask, edge() ?? -Infinity)
    const { behind } = result
    if (result.taken > 0) head.failures = 0
    if (behind && !wasBehind) {
      const message = 'the newest finalized signature of the node is older than one that is processed'
      onLog({ level: 'warn', code: 'node-behind', message })
    }
    wasBehind = behind
    head.at = result.reached === undefined && !behind ? now() : lookedAt + interval()
    if (result.reached !== undefined) await atHead(result.reached)
    settle(head, result)
  }

  async function atHead (asked: Moment): Promise<void> {
    if (reached === null || asked.time > reached.time) reached = asked
    reconciler.reached(asked.slot)
    await owners.look(reconciler.verifiedSlot)
    // a gap nobody has looked for yet keeps its DAO out of answers
    if (!reconciler.searched) check.at = Math.min(check.at, now() + pollMs)
    await onReached()
  }

  async function stepBack (ranges: readonly UnindexedRange[]): Promise<void> {
    const [range] = ranges
    const from = edge()
    try {
      if (from !== undefined && await walk.listNext(ranges, from)) return
      const result = await walk.backfillStep(range!, from ?? -Infinity)
      if (result.taken > 0) back.failures = 0
      lost.delete(range!.above.oldest)
      settle(back, result)
    } catch (error) {
      if (!(error instanceof HistoryLost)) throw error
      await lose(error.range ?? range!, error)
    } finally {
      await followWork()
    }
  }

  /** Not at the first answer: it may come from a node that lags. */
  async function lose (range: UnindexedRange, error: HistoryLost): Promise<void> {
    const { times, since } = lost.get(range.above.oldest) ?? { times: 0, since: now() }
    lost.set(range.above.oldest, { times: times + 1, since })
    if (times + 1 < LOST_AFTER || now() - since < LOST_MS) throw error
    onLog({ level: 'error', code: 'past-lost', message: `${error.message}: what was there shows as sequence gaps` })
    await walk.giveUp(range, await firstAvailable(reader))
    lost.delete(range.above.oldest)
  }

  async function attempt (task: Task, work: () => Promise<void>): Promise<void> {
    try {
      await work()
      task.failures = 0
    } catch (error) {
      if (error instanceof Stopped || signal.aborted) return
      task.failures++
      const ours = isServiceError(error)
      const retryAfter = ours ? error.retryAfter : undefined
      const delay = Math.round(backoff(task.failures, { random: clock.random, retryAfter }))
      task.at = now() + delay
      const message = `${messageOf(error)}; tried again in ${delay} ms`
      const detail = { failures: task.failures, ...(!ours && { error }) }
      onLog({ level: ours ? 'warn' : 'error', code: 'retry', message, detail })
    }
  }

  async function idle (until: number): Promise<void> {
    const waking = new AbortController()
    wakeUp = () => waking.abort()
    await pause(clock, Math.max(until - now(), 0), waking.signal, signal)
    wakeUp = () => {}
  }

  async function checkAll (): Promise<void> {
    await reconciler.check(isCovered())
    check.at = now() + (isFollowed() ? Math.min(checkMs, FOLLOWED_MS) : checkMs)
  }

  async function run (): Promise<void> {
    while (!signal.aborted) {
      const ranges = unindexedRanges(writer.state.indexedRanges, writer.state.ended)
      if (head.at <= now()) await attempt(head, lookAtHead)
      else if (check.at <= now()) await attempt(check, checkAll)
      else if (ranges.length > 0 && back.at <= now()) await attempt(back, () => stepBack(ranges))
      else await idle(Math.min(head.at, check.at, ranges.length === 0 ? Infinity : back.at))
      setPhase()
    }
  }

  return {
    run,
    wake (): void {
      if (head.failures === 0) head.at = Math.min(head.at, lookedAt + WAKE_MS)
      wakeUp()
    },
    /** Accounts were read: what they number and is not stored is on its way, or left out by the node. */
    compare (accounts: Accounts): void {
      reconciler.note(accounts)
      if (!reconciler.isAhead || head.failures > 0) return
      head.at = Math.min(head.at, lookedAt + FOLLOWED_MS)
      wakeUp()
    },
    /** Somebody has begun to follow what is published. */
    follow (): void {
      if (check.failures === 0) check.at = Math.min(check.at, now())
      if (head.failures === 0) head.at = Math.min(head.at, lookedAt + FOLLOWED_MS)
      wakeUp()
    },
    listening (is: boolean): void {
      if (isListening && !is) head.at = Math.min(head.at, now())
      isListening = is
      wakeUp()
    },
    get walked () { return walk.walked },
    get reached () { return reached },
    /** The chain's time as of the newest finalized moment, Unix seconds. */
    get time () { return newest?.time },
    get lastDay () { return lastDay }
  }
}

export type Indexer = ReturnType<typeof createIndexer>
