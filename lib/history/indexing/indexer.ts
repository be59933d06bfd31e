import type { Moment } from '../../chain/moment.js'
import {
  coversDay, lastDayEdge, lastDayText, type LastDayWork, type Phase, phaseOf, type Progress
} from '../status.js'
import { unindexedRanges } from '../rules/signature-ranges.js'
import { createCompletion } from './complete.js'
import type { Accounts } from '../rules/rows.js'
import type { Context } from './context.js'
import type { StepResult, WalkSizes } from './feed.js'
import { createPublisher } from './publish.js'
import { createReconciler } from './reconcile.js'
import { createSignatureWalk } from './signature-walk.js'
import { createLane, createTask, type Task } from './work.js'

export interface IndexerOptions extends WalkSizes {
  /** Told at each head, and while the last day is not covered. What it throws fails the piece of work. */
  onProgress?: ((progress: Progress) => Promise<void>) | undefined
  /** Between two looks at the head while it is polled, and while a subscription tells that it moves, ms. */
  pollMs?: number
  listeningMs?: number
  /** Whether a subscription calls `wake`, also when it ends. */
  isListening?: () => boolean
  /** Between two comparisons with the accounts, ms: with finality, what they confirm is still current. */
  checkMs?: number
  /** DAOs that are left out of block ranges. */
  excluded?: ReadonlySet<string>
  /** Whether other processes answer from the store: they may be asked for block ranges at any time. */
  isShared?: boolean
}

/** Between two looks at the head at least, however often it is woken. */
const WAKE_MS = 250
/** Times `pollMs` while the last day is read, which needs the node's rate. */
const WARMING_POLLS = 5
/** Between two log lines on the progress of the last day. */
const TELL_MS = 10_000
/** Before that no time left is estimated. */
const KNOWN_FROM_MS = 2_000
const HEAD_DEADLINE_MS = 10_000
/** Between two looks, and two comparisons, while block ranges are read, or accounts are ahead of what is stored. */
const FOLLOWED_MS = 5_000
/** How long after a question for block ranges more are expected. */
const FOLLOWING_MS = 60_000

/** Follows the head, compares with the accounts and walks back, a step at a time; aside, searches what is missing. */
export function createIndexer (context: Context, options: IndexerOptions) {
  const { reader, writer, clock: { now }, signal, onLog } = context
  const { onProgress, isShared = false, isListening = () => false } = options
  const { pollMs = 2000, listeningMs = 30_000, checkMs = 20_000 } = options
  const walk = createSignatureWalk(context, options)
  const reconciler = createReconciler(context)
  const publish = createPublisher(context, reconciler, options.excluded ?? new Set())
  /** The newest finalized moment. */
  let newest: Moment | undefined
  let phase: Phase = 'starting'
  let wasBehind = false
  let lookedAt = -Infinity
  let checkedAt = -Infinity
  let toldAt = -Infinity
  let lastDay: LastDayWork | null = null
  let lastDayBegan = 0
  let isPublished = false
  let followedUntil = isShared ? Infinity : -Infinity

  const head = createTask(lookAtHead)
  const check = createTask(compareAll)
  const back = createTask(stepBack)
  const settling = createTask(settleNoted)
  const lane = createLane([head, check, back, settling], context, tellPhase)
  const missing = createTask(() => searched(reconciler.search.missing))
  const gaps = createTask(() => searched(reconciler.search.gaps))
  const aside = createLane([missing, gaps, createTask(createCompletion(context, pollMs))], context)

  const isFollowed = () => now() < followedUntil
  const edge = () => newest && lastDayEdge(newest.time)
  const isCovered = () => newest !== undefined && coversDay(writer.state, newest.time)

  const progress = (): Progress => ({ ...reconciler.known(), lastDay, isPublished })

  async function tell (): Promise<void> { await onProgress?.(progress()) }

  function interval (): number {
    if (!isCovered()) return WARMING_POLLS * pollMs
    if (!isListening() || reconciler.needsWalk) return pollMs
    return isFollowed() || reconciler.isAhead ? Math.min(listeningMs, FOLLOWED_MS) : listeningMs
  }

  function tellPhase (): void {
    const next = phaseOf(writer.state, reconciler.verifiedTo)
    if (next === phase) return
    phase = next
    const { events, swaps } = writer.state
    onLog({ level: 'info', code: 'phase', message: `the history is ${next}`, detail: { phase, events, swaps } })
  }

  async function followWork (): Promise<void> {
    const from = edge()
    const left = from === undefined || isCovered() ? undefined : walk.remaining(from)
    if (left === undefined) {
      if (lastDay === null) return
      lastDay = null
    } else {
      if (lastDay === null) lastDayBegan = now()
      const done = lastDay === null ? 0 : lastDay.total - Math.min(left, lastDay.left)
      const ms = now() - lastDayBegan
      const secondsLeft = done === 0 || ms < KNOWN_FROM_MS ? null : Math.ceil(left * ms / done / 1000)
      lastDay = { left, total: done + left, secondsLeft }
      if (now() - toldAt < TELL_MS) return
      toldAt = now()
      onLog({ level: 'info', code: 'progress', message: lastDayText(lastDay), detail: { ...lastDay } })
    }
    await tell()
  }

  async function ask (): Promise<Moment> {
    const { moment } = await reader.head({ priority: 'head', deadlineMs: HEAD_DEADLINE_MS, signal })
    if (newest === undefined || moment.time > newest.time) newest = moment
    return moment
  }

  /** When the next step can do something. Throws what failed in this one. */
  function settle (task: Task, { taken, failure, waitUntil = 0 }: StepResult): number {
    if (taken > 0) task.failures = 0
    if (failure !== undefined) throw failure
    return waitUntil
  }

  async function lookAtHead (): Promise<number> {
    lookedAt = now()
    const result = await walk.head(
      ask, edge() ?? -Infinity, reconciler.walked?.slot ?? 0, reconciler.verifiedTo !== null)
    const { behind = false } = result
    if (behind && !wasBehind) {
      const message = 'the newest finalized signature of the node is older than one that is processed'
      onLog({ level: 'warn', code: 'node-behind', message })
    }
    wasBehind = behind
    if (unindexedRanges(writer.state).length > 0) lane.hasten(back, now())
    if (result.reached !== undefined) await atHead(result.reached)
    return Math.max(settle(head, result), result.reached === undefined && !behind ? 0 : lookedAt + interval())
  }

  async function atHead (asked: Moment): Promise<void> {
    try {
      await reconciler.reached(asked)
    } finally {
      if (reconciler.isLate) lane.hasten(check, checkedAt + FOLLOWED_MS)
      // also where the owners of what is missing can't be had: the next comparison tells them
      await tell()
      isPublished = await publish(asked)
    }
  }

  async function compareAll (): Promise<number> {
    checkedAt = now()
    await reconciler.check(isCovered())
    await tell()
    if (reconciler.isLate) lane.hasten(head, lookedAt + WAKE_MS)
    return now() + (isFollowed() ? Math.min(checkMs, FOLLOWED_MS) : checkMs)
  }

  async function settleNoted (): Promise<number> {
    await reconciler.settle()
    await tell()
    return Infinity
  }

  async function stepBack (): Promise<number> {
    const from = edge()
    // a look at the head that finds more hastens it
    if (from === undefined || unindexedRanges(writer.state).length === 0) return Infinity
    const wasCovered = isCovered()
    try {
      return Math.max(settle(back, await walk.back(from)), now())
    } finally {
      // what is final is compared from then on
      if (reconciler.isLate) lane.hasten(isCovered() && !wasCovered ? check : settling, now())
      await followWork()
    }
  }

  /** Not before the last day is covered. */
  const searched = async (search: () => Promise<boolean>): Promise<number> =>
    isCovered() && await search() ? now() : now() + pollMs

  return {
    run: async (): Promise<void> => { await Promise.all([lane.run(), aside.run()]) },
    wake: () => lane.hasten(head, lookedAt + WAKE_MS),
    /** Accounts were read: numbers of theirs that are not stored may be missing from the node's lists. */
    compare (accounts: Accounts): void {
      reconciler.note(accounts)
      lane.again()
      lane.hasten(settling, now())
      if (reconciler.isAhead) lane.hasten(head, lookedAt + FOLLOWED_MS)
    },
    /** Block ranges are being read: looks and comparisons come more often. */
    follow (): void {
      if (!isFollowed()) {
        lane.hasten(check, now())
        lane.hasten(head, lookedAt + FOLLOWED_MS)
      }
      followedUntil = Math.max(followedUntil, now() + FOLLOWING_MS)
    },
    progress,
    /** Of its status what only this process knows. */
    done: () => ({ signatures: walk.walked, searched: reconciler.searched })
  }
}

export type Indexer = ReturnType<typeof createIndexer>
