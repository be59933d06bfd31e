/**
 * How fast a node may be asked: a bucket for all calls and one for each method. The operator's word holds; else it is
 * learned: up while nothing is refused, to what the node's headers state, and down to a share of what was accepted at a
 * refusal. A limit refuses at the same count each time: by that it is told from an outage, its window is found, and
 * whether it is of one method.
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
// A change (natural logarithm) that tells something. Where so much more is accepted than was refused, another limit
// holds, or fewer share it: the rate grows as at first. A longer window, which holds more silences, must be so much
// steadier.
const TELLING = 0.2
// Calls a second, whatever a header says.
const MIN_RATE = 0.1
// How long more must be accepted to show another limit.
const WINDOW_MS = 10_000
// Windows that limits have.
const MINUTE_MS = 60_000
const WINDOWS_MS = [1_000, 2_000, 5_000, WINDOW_MS, MINUTE_MS]
// A method with so large a share of what was accepted is held to be limited itself with a Retry-After of more than a
// second, as nodes send that count by method, and is not without, while little speaks against it.
const MOST = 0.5
const GRAIN_MS = 100
// Where a node refuses without a Retry-After; twice as much each time, up to half a cache lifetime.
const FIRST_PAUSE_MS = 500
const MAX_PAUSE_MS = 5_000
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
  /** In how many seconds of use it comes back to its ceiling, and how many there were. */
  returnS: RETURN_S,
  usedS: 0,
  /** What was sent since it last grew. */
  spent: 0,
  grownAt: now,
  accepted: [] as Array<{ at: number, calls: number }>,
  /** Since when it is refused without an acceptance. */
  refusedSince: undefined as number | undefined,
  /** What was accepted before the last refusal, by window, and when that ended; undefined: nothing to compare with. */
  counts: undefined as number[] | undefined,
  countedAt: -Infinity,
  /** How much that changed each time, the later the heavier: -1 to 1. */
  changes: WINDOWS_MS.map(() => 0),
  /** The longest that it was refused, or asked to be silent, ms: a limit counts at least as long. */
  leastMs: 0,
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
    const rate = rateOf(bucket)
    if (rate === Infinity) return
    if (since >= Math.max(GROW_EVERY_S, 1 / bucket.rate)) {
      const isTried = bucket.spent >= bucket.rate * since / 2 && bucket.refusedSince === undefined
      if (isTried) grow(bucket, since)
      bucket.spent = 0
      bucket.grownAt = now
    }
    bucket.tokens = Math.min(capacity(rate), bucket.tokens + (now - bucket.at) / 1000 * rate)
    bucket.at = now
  }

  function grow (bucket: Bucket, seconds: number): void {
    bucket.usedS += seconds
    if (isLifted(bucket)) {
      [bucket.ceiling, bucket.counts, bucket.leastMs] = [Infinity, undefined, 0]
      bucket.countedAt = clock.now()   // a refusal soon after is of the limit that holds now
    }
    const grown = bucket.ceiling === Infinity
      ? bucket.rate * FIRST_GROWTH ** Math.min(1, seconds)
      : bucket.ceiling * (1 + (1 - SHARE) * (bucket.usedS / bucket.returnS - 1) ** 3)
    bucket.rate = Math.min(bucket.most, grown > UNBOUNDED ? Infinity : Math.max(bucket.rate, grown))
  }

  /** A refused method is tried once a second. */
  const rateOf = (bucket: Bucket): number =>
    Math.min(bucket.rate, bucket === all || bucket.refusedSince === undefined ? Infinity : 1)

  const capacity = (rate: number): number => Math.max(1, rate * BURST_S)

  const sum = ({ accepted }: Bucket, ms: number, until = clock.now()): number =>
    accepted.reduce((calls, one) => calls + (until - one.at <= ms + GRAIN_MS / 2 ? one.calls : 0), 0)

  /** Whether another limit holds: over as long as its limit counts, all after the last refusal. */
  function isLifted (bucket: Bucket): boolean {
    const ms = Math.max(WINDOW_MS, bucket.leastMs)
    const isOver = clock.now() - bucket.loweredAt > ms + GRAIN_MS
    return isOver && sum(bucket, ms) * 1000 / ms > (1 + TELLING) * bucket.ceiling
  }

  const countsOf = (bucket: Bucket, since: number): number[] => WINDOWS_MS.map(ms => sum(bucket, ms, since))

  /** Whether more was accepted in the last second than is sent to a new node. */
  const isFast = (until?: number): boolean => sum(all, WINDOWS_MS[0]!, until) > START_RATE

  function note (bucket: Bucket, changes: number[]): void {
    bucket.changes = bucket.changes.map((change, at) => (change + changes[at]!) / 2)
  }

  /** What was accepted before a refusal, by the window whose count changed least, and whether soon after the last. */
  function before (bucket: Bucket, retryAfterMs: number) {
    const since = bucket.refusedSince!
    const counts = countsOf(bucket, since)
    const last = bucket.counts ?? counts
    const changes = counts.map((count, at) => Math.min(1, Math.abs(Math.log((count + 0.5) / (last[at]! + 0.5)))))
    if (since === clock.now()) note(bucket, changes)
    bucket.leastMs = Math.min(MINUTE_MS, Math.max(bucket.leastMs, retryAfterMs, clock.now() - since))
    let [best, change] = [0, Infinity]
    for (const [at, ms] of WINDOWS_MS.entries()) {
      if (ms >= bucket.leastMs && bucket.changes[at]! < change - TELLING) [best, change] = [at, bucket.changes[at]!]
    }
    // only a limit refuses again within its window
    const isSoon = since - bucket.countedAt < MINUTE_MS
    return { perSecond: counts[best]! / WINDOWS_MS[best]! * 1000, change, isSoon }
  }

  function lower (
    bucket: Bucket, { perSecond: accepted, isSoon }: ReturnType<typeof before>, retryAfterMs: number
  ): void {
    const now = clock.now()
    const since = bucket.refusedSince!
    if (accepted === 0) return
    const rate = since === now ? bucket.rate * SHARE : bucket.rate   // once for refusals in a row
    bucket.rate = Math.max(MIN_RATE, Math.min(accepted * SHARE, rate))
    // at rest a first refusal may be an outage: it comes back at once
    if (isSoon || isFast(all.refusedSince)) bucket.ceiling = bucket.rate / SHARE
    bucket.returnS = Math.max(RETURN_S, RETURN_PER_PAUSE * retryAfterMs / 1000)
    bucket.loweredAt = bucket.at = now
    bucket.spent = bucket.usedS = 0
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
    const rate = rateOf(bucket)
    const missing = Math.min(calls, capacity(rate)) - bucket.tokens
    return Math.max(0, bucket.pausedUntil - clock.now(), missing / rate * 1000)
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
        if (rateOf(bucket) !== Infinity) bucket.tokens--
      }
    },
    accept (method: string, calls: number) {
      const at = clock.now()
      for (const bucket of [all, of(method)]) {
        const { accepted } = bucket
        if (bucket.refusedSince !== undefined) {
          [bucket.counts, bucket.countedAt] = [countsOf(bucket, bucket.refusedSince), at]
        }
        bucket.refusedSince = undefined
        bucket.pauseMs = FIRST_PAUSE_MS
        const last = accepted.at(-1)
        if (last !== undefined && at - last.at < GRAIN_MS) last.calls += calls
        else accepted.push({ at, calls })
        while (at - accepted[0]!.at > 2 * MINUTE_MS) accepted.shift()
      }
    },
    /** A call sent then was, with the silence asked for, ms. */
    refuse (method: string, sentAt: number, retryAfterMs: number | undefined) {
      const now = clock.now()
      const own = of(method)
      const askedMs = retryAfterMs ?? 0
      const since = own.refusedSince ??= now
      all.refusedSince ??= now
      // refused again, while others were accepted
      if (sentAt > since && all.accepted.some(({ at }) => at > since)) note(own, WINDOWS_MS.map(() => -1))
      const [ofOwn, ofAll] = [before(own, askedMs), before(all, askedMs)]
      const isMost = ofOwn.perSecond >= MOST * ofAll.perSecond
      const margin = !isMost ? 0 : askedMs > WINDOWS_MS[0]! ? TELLING : -TELLING
      const isOwn = ofOwn.change - ofAll.change < margin
      // silence that is asked for concerns the node; a live read must not wait while the past takes what it needs
      pause(isOwn && retryAfterMs === undefined ? own : all, sentAt, retryAfterMs)
      const [bucket, counted] = isOwn ? [own, ofOwn] : [all, ofAll]
      if (sentAt > bucket.loweredAt) lower(bucket, counted, askedMs)
    },
    readHeaders (method: string, headers: IncomingHttpHeaders) {
      believe(of(method), parseFloat(String(headers['x-ratelimit-method-limit'])) / METHOD_WINDOW_S)
    },
    /** The largest batch of a method. */
    batch (method: string) {
      return Math.floor(capacity(Math.min(all.rate, rateOf(of(method)))))
    },
    isFast,
    /** Calls a second now; Infinity while no bound is known. */
    perSecond: () => Math.min(all.rate, ...Array.from(methods.values(), ({ rate }) => rate))
  }
}
