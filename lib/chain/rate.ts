/**
 * How fast a node may be asked: a bucket for all calls and one for each method. The operator's word holds; else it is
 * learned: up while nothing is refused, to what the node's headers state, and down to a share of what was accepted at a
 * refusal.
 */
import type { IncomingHttpHeaders } from 'node:http'
import type { Clock } from '../clock.js'

// Of a node of which nothing is known; four times as much after each second that uses it, until a first refusal.
const START_RATE = 10
const FIRST_GROWTH = 4
// How often a rate may grow, s, below two calls a second once in the time of one; and from where on it is not counted.
const GROW_EVERY_S = 0.5
const UNBOUNDED = 2_000
// Of a limit that is stated, and of what was accepted before a refusal: calls bunch on their way.
const SHARE = 0.94
// After a refusal it comes back to what was refused in so many seconds, and beyond, by a cubic curve that is flat
// there, as TCP's (RFC 9438): the later, the longer the silence that a refusal costs.
const RETURN_S = 15
const RETURN_PER_PAUSE = 6
// Accepted so far beyond what was refused, it has another limit, or shares it with fewer: it grows as at first.
const LIFTED = 1.2
// Refused with so much of its rate accepted, it met its own limit again.
const KNOWN = 0.9
// Never slower than one call in ten seconds, whatever a header says; no window of a limit is longer.
const MIN_RATE = 0.1
const WINDOW_MS = 10_000
// What is accepted at rest is little; an outage that comes then says nothing of a limit below this.
const MIN_TOTAL_RATE = 1
const FIRST_WINDOW_MS = 1_000
const GRAIN_MS = 100
// Where a node refuses without a Retry-After; twice as much each time.
const FIRST_PAUSE_MS = 500
const MAX_PAUSE_MS = 10_000
// A bucket, and a batch, holds what so much of a second brings.
const BURST_S = 0.05
// Of the public node's header.
const METHOD_WINDOW_S = 10

/** `rate` in calls a second; Infinity: no bound is known. `most`: what is stated, beyond which it does not grow. */
const makeBucket = (now: number, rate: number, most: number) => ({
  rate,
  most,
  tokens: 1,
  at: now,
  /** The rate that was refused; Infinity: none, and it grows fast until one is. */
  ceiling: Infinity,
  loweredAt: -Infinity,
  /** The rate before it was lowered by refusals in a row. */
  before: rate,
  /** In how many seconds of use it comes back to its ceiling, and how many there were. */
  returnS: RETURN_S,
  usedS: 0,
  /** What was sent since it last grew. */
  spent: 0,
  grownAt: now,
  accepted: [] as Array<{ at: number, calls: number }>,
  /** Since when it has been refused without an acceptance, and when last. */
  refusedSince: undefined as number | undefined,
  refusedAt: -Infinity,
  /** Until when nothing is sent, and how long the next silence is where none is asked for, ms. */
  pausedUntil: -Infinity,
  pauseMs: FIRST_PAUSE_MS
})

type Bucket = ReturnType<typeof makeBucket>

export type Rate = ReturnType<typeof createRate>

export function createRate (clock: Clock, stated?: number) {
  const make = (rate: number, most = Infinity): Bucket => makeBucket(clock.now(), rate, most)
  const all = stated === undefined ? make(START_RATE) : make(stated * SHARE, stated * SHARE)
  const methods = new Map<string, Bucket>()

  function of (method: string): Bucket {
    if (!methods.has(method)) methods.set(method, make(Infinity))   // a dozen are used here
    return methods.get(method)!
  }

  /** It grows where half of it was used and nothing is refused: then the lack of refusals tells something. */
  function fill (bucket: Bucket): void {
    const now = clock.now()
    const since = (now - bucket.grownAt) / 1000
    if (bucket.rate === Infinity) return
    if (since >= Math.max(GROW_EVERY_S, 1 / bucket.rate)) {
      const isTried = bucket.spent >= bucket.rate * since / 2 && bucket.refusedSince === undefined
      if (isTried) grow(bucket, since)
      bucket.spent = 0
      bucket.grownAt = now
    }
    bucket.tokens = Math.min(capacity(bucket), bucket.tokens + (now - bucket.at) / 1000 * bucket.rate)
    bucket.at = now
  }

  function grow (bucket: Bucket, seconds: number): void {
    bucket.usedS += seconds
    if (isLifted(bucket)) bucket.ceiling = Infinity
    const grown = bucket.ceiling === Infinity
      ? bucket.rate * FIRST_GROWTH ** seconds
      : bucket.ceiling * (1 + (1 - SHARE) * (bucket.usedS / bucket.returnS - 1) ** 3)
    bucket.rate = Math.min(bucket.most, grown > UNBOUNDED ? Infinity : Math.max(bucket.rate, grown))
  }

  const capacity = ({ rate }: Bucket): number => Math.max(1, rate * BURST_S)

  const sum = ({ accepted }: Bucket, ms: number, until = clock.now()): number =>
    accepted.reduce((calls, one) => calls + (until - one.at <= ms + GRAIN_MS / 2 ? one.calls : 0), 0)

  /** What is counted was accepted after the last refusal, over as long as limits count. */
  const isLifted = (bucket: Bucket): boolean => clock.now() - bucket.loweredAt > WINDOW_MS + GRAIN_MS &&
    sum(bucket, WINDOW_MS) * 1000 / WINDOW_MS > LIFTED * bucket.ceiling

  /** Calls a second accepted before a refusal. */
  function acceptedBefore (since: number, bucket: Bucket, retryAfterMs: number): number {
    // a node that asks for silence counts by windows as long, one that still refuses by longer ones
    const windowMs = Math.min(WINDOW_MS, Math.max(FIRST_WINDOW_MS, retryAfterMs, clock.now() - since))
    return sum(bucket, windowMs, since) / windowMs * 1000
  }

  function lower (bucket: Bucket, retryAfterMs = 0): void {
    const now = clock.now()
    const since = bucket.refusedSince ??= now
    const accepted = acceptedBefore(since, bucket, retryAfterMs)
    // who refuses everything for longer than limits count is out, as a plan whose month is used up: asked as before
    if (now - since > WINDOW_MS && bucket.loweredAt >= since) bucket.rate = bucket.before
    if (accepted === 0 || now - since > WINDOW_MS) return
    if (bucket.loweredAt < since) bucket.before = bucket.rate
    bucket.rate = Math.max(bucket === all ? MIN_TOTAL_RATE : MIN_RATE, Math.min(accepted, bucket.rate) * SHARE)
    bucket.ceiling = bucket.rate / SHARE
    bucket.returnS = Math.max(RETURN_S, RETURN_PER_PAUSE * retryAfterMs / 1000)
    bucket.loweredAt = bucket.at = now
    bucket.tokens = bucket.spent = bucket.usedS = 0
  }

  /** Whether a method that was limited before had less than its rate, and others took the rest of that limit. */
  function isTakenByOthers (own: Bucket, since: number, retryAfterMs: number): boolean {
    const [calls, total] = [own, all].map(bucket => acceptedBefore(since, bucket, retryAfterMs)) as [number, number]
    return own.ceiling < Infinity && calls < KNOWN * own.rate && total >= KNOWN * own.ceiling
  }

  /** Takes the word of a header, calls a second, but for a narrower limit that refusals have shown. */
  function believe (bucket: Bucket, perSecond: number): void {
    if (!(perSecond > 0 && perSecond < Infinity)) return   // none, or that there is no limit
    const rate = Math.max(MIN_RATE, perSecond * SHARE)
    if (bucket.most === Infinity) {
      // what was sent before it was known is of its window
      bucket.tokens = 1 - Math.min(bucket.spent, rate * METHOD_WINDOW_S)
      bucket.at = clock.now()
    }
    bucket.most = rate
    bucket.rate = bucket.ceiling === Infinity ? rate : Math.min(bucket.rate, rate)
  }

  function waitOf (bucket: Bucket, calls: number): number {
    fill(bucket)
    const needed = Math.min(calls, capacity(bucket))
    const isFull = bucket.rate === Infinity || bucket.tokens >= needed
    return Math.max(bucket.pausedUntil - clock.now(), isFull ? 0 : (needed - bucket.tokens) / bucket.rate * 1000)
  }

  function pause (bucket: Bucket, sentAt: number, askedMs: number | undefined): void {
    const isNews = sentAt >= bucket.pausedUntil
    bucket.pausedUntil = Math.max(bucket.pausedUntil, sentAt + (askedMs ?? bucket.pauseMs))
    if (askedMs === undefined && isNews) bucket.pauseMs = Math.min(MAX_PAUSE_MS, bucket.pauseMs * 2)
  }

  return {
    pausedUntil: (method: string) => Math.max(all.pausedUntil, of(method).pausedUntil),
    /** Milliseconds until `calls` may be sent, by the bucket of all and by that of their method. */
    waitForAll: (calls: number) => waitOf(all, calls),
    waitForMethod: (method: string, calls: number) => waitOf(of(method), calls),
    spend (method: string) {
      for (const bucket of [all, of(method)]) {
        bucket.spent++
        // a bucket without a bound owes nothing once one is known
        if (bucket.rate !== Infinity) bucket.tokens--
      }
    },
    accept (method: string, calls: number) {
      const at = clock.now()
      for (const bucket of [all, of(method)]) {
        const { accepted } = bucket
        bucket.refusedSince = undefined
        bucket.pauseMs = FIRST_PAUSE_MS
        const last = accepted.at(-1)
        if (last !== undefined && at - last.at < GRAIN_MS) last.calls += calls
        else accepted.push({ at, calls })
        while (at - accepted[0]!.at > 2 * WINDOW_MS) accepted.shift()
      }
    },
    /** A call sent then was, with the silence asked for, ms. */
    refuse (method: string, sentAt: number, retryAfterMs: number | undefined) {
      const now = clock.now()
      const own = of(method)
      const since = own.refusedSince ??= now
      own.refusedAt = now
      const calls = sum(own, WINDOW_MS)
      const others = sum(all, WINDOW_MS) - calls
      const isAlone = [...methods.values()].every(one => one === own || now - one.refusedAt > WINDOW_MS)
      // others accepted meanwhile show that it is the method's own; nodes that ask for silence count by method, the
      // one that makes most calls, or was limited before; by all calls, where a second is asked for and others took it
      const isShown = all.accepted.some(({ at }) => at > since)
      const isGuessed = retryAfterMs !== undefined && (calls > others || own.ceiling < Infinity) &&
        !(retryAfterMs <= FIRST_WINDOW_MS && isTakenByOthers(own, since, retryAfterMs))
      const isOwn = isShown || isGuessed
      // what makes few of the calls, and is refused alone, tells nothing of the others' rate
      const isFew = calls <= others && others > 0 && isAlone
      const bucket = isOwn || stated !== undefined ? own : all
      // silence that is asked for concerns the node; a live read must not wait while the past takes what it needs
      pause(isFew && isShown && retryAfterMs === undefined ? own : all, sentAt, retryAfterMs)
      // what was sent before it was lowered says nothing new
      if (!(isFew && bucket === all) && sentAt > bucket.loweredAt) lower(bucket, retryAfterMs)
    },
    readHeaders (method: string, headers: IncomingHttpHeaders) {
      believe(of(method), parseFloat(String(headers['x-ratelimit-method-limit'])) / METHOD_WINDOW_S)
    },
    /** The largest batch of a method. */
    batch (method: string) {
      const rate = Math.min(all.rate, of(method).rate)
      return Math.max(1, Math.floor(rate * BURST_S))
    },
    /** Whether more was accepted in the last second than is sent to a node of which nothing is known. */
    isFast: () => sum(all, FIRST_WINDOW_MS) > START_RATE,
    /** Calls a second now; Infinity while no bound is known. */
    perSecond: () => Math.min(all.rate, ...Array.from(methods.values(), ({ rate }) => rate))
  }
}
