/**
 * How fast a node may be asked: a bucket for all calls and one for each method. What the operator states holds, then
 * what the node's headers say; else it is learned: up by a few percent a second while it is used and nothing is
 * refused, down to a share of what was accepted at a refusal.
 */
import type { IncomingHttpHeaders } from 'node:http'
import type { Clock } from '../clock.js'

export interface Rate {
  /** Milliseconds until `calls` may be sent, by the bucket of all calls; 0: now. */
  waitForAll (calls: number): number
  /** The same by the bucket of their method. */
  waitForMethod (method: string, calls: number): number
  /** Takes note that one is sent. */
  spend (method: string): void
  /** Takes note that calls were accepted. */
  accept (method: string, calls: number): void
  /** Takes note that calls sent at `sentAt` were refused, and for how long the node asks for silence, ms. */
  refuse (method: string, sentAt: number, retryAfterMs: number | undefined): void
  /** What the node's headers say about its limits. */
  readHeaders (method: string, headers: IncomingHttpHeaders): void
  /** The largest sensible batch of a method. */
  batch (method: string): number
  /** Calls a second now; Infinity while no bound is known. */
  perSecond (): number
}

// A node of which nothing is known; four times as much after each second that uses it, which brings a node of one's own
// to full speed within seconds.
const START_RATE = 10
// Beyond this rate nothing is gained by counting.
const UNBOUNDED = 2_000
// At a refusal: a share of what was accepted; then a few percent a second.
const BACK = 0.92
const GROWTH_PER_SECOND = 0.05
// More than was refused is tried so seldom, ever less often where it is refused again: public nodes answer a refusal
// with ten seconds of silence.
const HOLD_MS = 15_000
const HOLD_PER_PAUSE = 6
const MAX_HOLD_MS = 600_000
const SAME = 0.8
// Never slower than one call in ten seconds, whatever a header says; nor do windows of limits last longer than that.
const MIN_RATE = 0.1
const WINDOW_MS = 10_000
const FIRST_WINDOW_MS = 1_000
const GRAIN_MS = 100
const OUTAGE_MS = 30_000
// How often a bucket's rate may grow, s.
const GROW_EVERY_S = 0.5
// A bucket holds what so much of a second brings: what bunches on its way would exceed a window that slides.
const BURST_S = 0.05
const FIRST_BURST_S = 0.5
// By the measured headers of public nodes, per address and method.
const METHOD_WINDOW_S = 10
// Headers that state a limit are approached so near.
const STATED = 0.94
// Nodes have a few dozen methods, of which a dozen are used here.
const MAX_METHODS = 100

interface Bucket {
  /** Calls a second; Infinity: no bound is known. */
  rate: number
  tokens: number
  at: number
  /** By the operator's word or a header: it neither grows nor falls. */
  isStated: boolean
  /** Until a first refusal it grows fast. */
  isNew: boolean
  /** The rate that was refused, and until when, held for how long, ms, it does not grow beyond that. */
  ceiling: number
  holdMs: number
  holdUntil: number
  loweredAt: number
  /** Refusals that each came soon after the one before. */
  again: number
  /** What was sent since it last grew. */
  spent: number
  grownAt: number
  /** When calls were accepted, of the last twenty seconds, with how many. */
  accepted: Array<{ at: number, calls: number }>
  /** Since when nothing has been accepted, and what was known until then. */
  refusedSince: number | undefined
  before: Pick<Bucket, 'rate' | 'isNew' | 'ceiling' | 'holdUntil'> | undefined
  /** Since when a method has been refused without an acceptance. */
  triedInVain: number | undefined
  /** By how long a window the node seems to count, ms. */
  windowMs: number
}

export function createRate (clock: Clock, stated?: number): Rate {
  const make = (rate: number, isStated = false): Bucket => ({
    rate,
    tokens: 1,
    at: clock.now(),
    isStated,
    isNew: true,
    ceiling: Infinity,
    holdMs: HOLD_MS,
    holdUntil: 0,
    again: 0,
    loweredAt: -Infinity,
    spent: 0,
    grownAt: clock.now(),
    refusedSince: undefined,
    before: undefined,
    triedInVain: undefined,
    windowMs: FIRST_WINDOW_MS,
    accepted: []
  })
  const all = stated === undefined ? make(START_RATE) : make(stated * STATED, true)
  const methods = new Map<string, Bucket>()

  function of (method: string): Bucket {
    const known = methods.get(method)
    if (known !== undefined) return known
    const bucket = make(Infinity)
    if (methods.size < MAX_METHODS) methods.set(method, bucket)
    return bucket
  }

  /**
   * Fills the bucket, and lets its rate grow where so much of it has been used that the lack of refusals tells
   * something.
   */
  function tick (bucket: Bucket): void {
    const now = clock.now()
    const seconds = (now - bucket.at) / 1000
    if (bucket.rate === Infinity || seconds <= 0) return
    const since = (now - bucket.grownAt) / 1000
    if (since >= GROW_EVERY_S) {
      if (bucket.spent >= bucket.rate * since / 2 && !bucket.isStated) grow(bucket, since)
      bucket.spent = 0
      bucket.grownAt = now
    }
    bucket.tokens = Math.min(capacity(bucket), bucket.tokens + seconds * bucket.rate)
    bucket.at = now
  }

  function grow (bucket: Bucket, seconds: number): void {
    const grown = bucket.rate * (bucket.isNew
      ? 4 ** Math.min(seconds, 1)
      : (1 + GROWTH_PER_SECOND) ** Math.min(seconds, WINDOW_MS / 1000))
    const most = clock.now() < bucket.holdUntil ? Math.max(bucket.rate, bucket.ceiling * STATED) : Infinity
    bucket.rate = grown > UNBOUNDED ? Infinity : Math.min(grown, most)
  }

  const capacity = ({ rate, isNew, isStated }: Bucket): number =>
    Math.max(1, rate * (isNew && !isStated ? FIRST_BURST_S : BURST_S))

  const sum = ({ accepted }: Bucket, ms: number, until = clock.now()): number =>
    accepted.reduce((calls, one) => calls + (until - one.at <= ms + GRAIN_MS / 2 ? one.calls : 0), 0)

  function lower (bucket: Bucket, retryAfterMs: number | undefined): void {
    const now = clock.now()
    // A node that asks for silence counts by windows as long; one that still refuses, or again what it seemed to allow,
    // by longer ones
    const isAgain =
      bucket.refusedSince === undefined && bucket.rate <= bucket.ceiling && now - bucket.loweredAt < 2 * WINDOW_MS
    const { rate, isNew, ceiling } = bucket
    bucket.before ??= { rate, isNew, ceiling, holdUntil: 0 }
    const since = bucket.refusedSince ??= now
    bucket.again = isAgain ? bucket.again + 1 : 0
    bucket.windowMs = Math.min(WINDOW_MS, Math.max(retryAfterMs ?? 0, now - since, bucket.again > 1
      ? bucket.windowMs * 3
      : bucket.windowMs))
    // before the first refusal: what is down for longer than that is out, and its limit as it was
    const accepted = sum(bucket, bucket.windowMs, since) / bucket.windowMs * 1000
    if (accepted === 0) return
    const found = Math.min(accepted, bucket.rate)
    const isSame = found >= bucket.ceiling * SAME
    const hold = Math.max(HOLD_MS, HOLD_PER_PAUSE * (retryAfterMs ?? 0))
    bucket.holdMs = isSame ? Math.min(MAX_HOLD_MS, Math.max(hold, bucket.holdMs * 2)) : hold
    bucket.rate = Math.max(MIN_RATE, (Number.isFinite(found) ? found : START_RATE) * BACK)
    bucket.ceiling = bucket.rate / BACK
    bucket.holdUntil = now + bucket.holdMs
    bucket.loweredAt = now
    bucket.isNew = false
    bucket.tokens = 0
    bucket.at = now
    bucket.spent = 0
  }

  const waitOf = (bucket: Bucket, calls: number): number => {
    tick(bucket)
    const needed = Math.min(calls, capacity(bucket))
    return bucket.rate === Infinity || bucket.tokens >= needed ? 0 : (needed - bucket.tokens) / bucket.rate * 1000
  }

  function state (bucket: Bucket, perSecond: number): void {
    const rate = Math.max(MIN_RATE, perSecond * STATED)
    if (bucket === all && stated !== undefined) return
    // what refusals have shown to be narrower is kept
    if (!bucket.isStated && !bucket.isNew && bucket.rate < rate) return
    bucket.isStated = true
    bucket.rate = rate
    bucket.tokens = Math.min(bucket.tokens, 1)
  }

  return {
    waitForAll: calls => waitOf(all, calls),
    waitForMethod: (method, calls) => waitOf(of(method), calls),
    spend (method) {
      for (const bucket of [all, of(method)]) {
        bucket.spent++
        // a bucket without a bound owes nothing once one is known
        if (bucket.rate !== Infinity) bucket.tokens--
      }
    },
    accept (method, calls) {
      const at = clock.now()
      for (const bucket of [all, of(method)]) {
        const { accepted } = bucket
        // what refused everything for longer than nodes count was out, and its limit is as it was
        if (bucket.before !== undefined && at - bucket.refusedSince! > OUTAGE_MS) Object.assign(bucket, bucket.before)
        bucket.before = bucket.refusedSince = bucket.triedInVain = undefined
        const last = accepted.at(-1)
        if (last !== undefined && at - last.at < GRAIN_MS) last.calls += calls
        else accepted.push({ at, calls })
        while (at - accepted[0]!.at > 2 * WINDOW_MS) accepted.shift()
      }
    },
    refuse (method, sentAt, retryAfterMs) {
      const own = of(method)
      const since = own.triedInVain ??= clock.now()
      // others that were accepted meanwhile show that it is the method's own; nodes that ask for silence count by
      // method
      const isOwn = all.accepted.some(({ at }) => at > since) ||
        (retryAfterMs !== undefined && sum(own, WINDOW_MS) > sum(all, WINDOW_MS) / 2)
      const bucket = (isOwn || all.isStated) && !own.isStated ? own : all
      // what was sent before it was lowered says nothing new
      if (!bucket.isStated && sentAt > bucket.loweredAt) lower(bucket, retryAfterMs)
    },
    readHeaders (method, headers) {
      const ofMethod = Number(headers['x-ratelimit-method-limit'])
      if (Number.isFinite(ofMethod) && ofMethod >= 1) state(of(method), ofMethod / METHOD_WINDOW_S)
      const policy = policyOf(headers)
      if (policy !== undefined) state(all, policy)
    },
    batch (method) {
      const rate = Math.min(all.rate, of(method).rate)
      return rate === Infinity ? Infinity : Math.max(1, Math.floor(rate / (all.isNew && !all.isStated ? 5 : 20)))
    },
    perSecond: () => Math.min(all.rate, ...Array.from(methods.values(), ({ rate }) => rate))
  }
}

/**
 * Calls a second of all methods, where the headers state a limit with its window: "100;w=10" (of the IETF's drafts, and
 * of those who follow them).
 */
function policyOf (headers: IncomingHttpHeaders): number | undefined {
  for (const name of ['ratelimit-policy', 'x-ratelimit-policy', 'x-ratelimit-limit', 'ratelimit-limit']) {
    const text = headers[name]?.toString() ?? ''
    const seconds = Number(/;\s*w=(\d{1,5})/.exec(text)?.[1])
    const calls = Number(/(?:^|;\s*q=|,\s*)(\d{1,9})/.exec(text)?.[1])
    if (seconds > 0 && seconds <= 60 && calls > 0) return calls / seconds
  }
  return undefined
}
