/**
 * How fast a node may be asked: a bucket for all calls and one for each method, as it is stated, or else learned from
 * refusals (docs/nodes.md).
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
// What was refused comes back in so many seconds of use, at least; in eight times the silence (up to 20 s) that it
// cost. Past so much more the limit is another, and it grows as at first.
const RETURN_S = 15
const RETURN_PER_SILENCE = 8
const [SHORT_MS, LONG_MS] = [6_000, 20_000]
const BEYOND = 1.3
// Windows that limits have, and the longest silence for which each is taken.
const WINDOWS_MS = [[1_000, SHORT_MS], [10_000, LONG_MS], [60_000, Infinity]] as const
// A limit is just below the rate where so much of that was accepted over ten seconds.
const NEAR = 0.75
// A refusal at rest may be an outage: only one that comes again so soon lowers a rate, to so much at most.
const AGAIN_MS = 60_000
const AT_REST = 0.25
// One method is limited, not all, where it makes so few of the calls; or no header states its limit, and more than a
// second of silence is asked for, as by nodes that count by method.
const FEW = 0.2
const NEW = 0.02   // calls a second of a method that was not called
// Calls a second, whatever a header says.
const MIN_RATE = 0.1
const GRAIN_MS = 100
const KEPT_MS = 120_000
// Where a node refuses without a Retry-After; twice as much each time, up to half a cache lifetime.
const FIRST_PAUSE_MS = 500
const MAX_PAUSE_MS = 5_000
// A bucket, and a batch, holds what so much of a second brings.
const BURST_S = 0.05
// Of the public node's header.
const METHOD_WINDOW_S = 10

/** `rate` in calls a second; Infinity: no bound is known. `most`: what is stated, beyond which it does not grow. */
const makeBucket = (now: number, rate = Infinity, most = Infinity) => ({
  rate,
  most,
  tokens: 1,
  at: now,
  /** To what it was lowered; Infinity: nothing was refused yet, and it grows fast. */
  low: Infinity,
  /** In how many seconds of use what was refused comes back, and how many there were. */
  returnS: RETURN_S,
  usedS: 0,
  /** What was sent since it last grew. */
  spent: 0,
  grownAt: now,
  accepted: [] as Array<{ at: number, calls: number }>,
  /** Since when it is refused without an acceptance, and when that last ended. */
  refusedSince: undefined as number | undefined,
  endedAt: -Infinity,
  /** What ten seconds held, calls a second, when what it counts was unclear. */
  held: 0,
  /** It is limited itself. */
  isOwn: false,
  /** Until when nothing is sent, and how long the next silence is where none is asked for, ms. */
  pausedUntil: -Infinity,
  pauseMs: FIRST_PAUSE_MS
})

type Bucket = ReturnType<typeof makeBucket>

export type Rate = ReturnType<typeof createRate>

export function createRate (clock: Clock, stated?: number) {
  const most = stated === undefined ? Infinity : stated * SHARE
  const all = makeBucket(clock.now(), stated === undefined ? START_RATE : most, most)
  const methods = new Map<string, Bucket>()
  let askedMs = 0   // the silence asked for last

  function of (method: string): Bucket {
    if (!methods.has(method)) methods.set(method, makeBucket(clock.now()))   // a dozen are used here
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
    const grown = bucket.low === Infinity
      ? bucket.rate * FIRST_GROWTH ** Math.min(1, seconds)
      : bucket.low * (1 + (1 - SHARE) * (bucket.usedS / bucket.returnS) ** 4)
    if (grown > BEYOND * bucket.low) bucket.low = Infinity
    bucket.rate = Math.min(bucket.most, grown > UNBOUNDED ? Infinity : grown)
  }

  /** A refused method is tried once a second. */
  const rateOf = (bucket: Bucket): number =>
    Math.min(bucket.rate, bucket === all || bucket.refusedSince === undefined ? Infinity : 1)

  const capacity = (rate: number): number => Math.max(1, rate * BURST_S)

  /** Calls a second. */
  const acceptedIn = ({ accepted }: Bucket, ms: number, until = clock.now()): number =>
    accepted.reduce((sum, { at, calls }) => sum + (at <= until && until - at < ms ? calls : 0), 0) / ms * 1000

  /** Whether half of what a new node is sent was accepted in the last second: at rest it is less. */
  const isFast = (): boolean => acceptedIn(all, 1_000) >= START_RATE / 2

  /** Once it is accepted again after refusals since then. */
  function lower (bucket: Bucket, since: number): void {
    const now = clock.now()
    const before = bucket.endedAt
    if (since <= Math.max(before, all.endedAt)) return   // it, or all, was lowered for these
    bucket.endedAt = now
    const silenceMs = now - since
    const [inSecond, lately] = [acceptedIn(bucket, 1_000, since), acceptedIn(bucket, 10_000, since)]
    // some ask for ten seconds whatever they count: where that is all, ten seconds count if they held as much before;
    // else the last second of a rate that grows, and half of it when it is refused again
    const isUnclear = silenceMs <= Math.min(LONG_MS, 2 * askedMs) && lately < NEAR * inSecond
    const isFirst = isUnclear && since - before > LONG_MS
    const isHalf = isUnclear && Math.abs(lately - bucket.held) > (1 - SHARE) * lately + 0.1
    if (isUnclear) bucket.held = lately
    if (isFirst && bucket !== all) return lower(all, since)
    const rate = Math.min(bucket.rate, all.rate, UNBOUNDED)
    const [ms] = WINDOWS_MS.find(([, longest]) => isFirst || silenceMs <= longest)!
    const isAtRest = inSecond < Math.min(rate / 2, START_RATE) && lately < rate / 2
    if (isAtRest && since - before >= AGAIN_MS) return
    const counted = ms === 1_000
      ? Math.max(inSecond, lately / NEAR)
      : isHalf ? inSecond / 2 : acceptedIn(bucket, ms, since)
    const accepted = isAtRest ? Math.max(counted, AT_REST * rate) : counted
    bucket.rate = bucket.low = Math.max(MIN_RATE, SHARE * Math.min(rate, accepted))
    bucket.returnS = Math.max(RETURN_S, RETURN_PER_SILENCE * Math.min(LONG_MS, silenceMs) / 1000)
    bucket.at = bucket.grownAt = now
    bucket.spent = bucket.usedS = 0
  }

  function waitOf (bucket: Bucket, calls: number): number {
    fill(bucket)
    const rate = rateOf(bucket)
    const missing = Math.min(calls, capacity(rate)) - bucket.tokens
    return Math.max(0, bucket.pausedUntil - clock.now(), missing / rate * 1000)
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
    /** Calls that were sent then. */
    accept (method: string, calls: number, sentAt: number) {
      const at = clock.now()
      const own = of(method)
      const since = own.refusedSince
      if (since !== undefined && sentAt > since) {
        const bucket = own.isOwn ? own : all
        lower(bucket, Math.min(since, bucket.refusedSince ?? since))
        own.endedAt = at
      }
      for (const bucket of [all, own]) {
        const { accepted } = bucket
        if (sentAt > (bucket.refusedSince ?? Infinity)) bucket.refusedSince = undefined
        bucket.pauseMs = FIRST_PAUSE_MS
        const last = accepted.at(-1)
        if (last !== undefined && at - last.at < GRAIN_MS) last.calls += calls
        else accepted.push({ at, calls })
        while (at - accepted[0]!.at > KEPT_MS) accepted.shift()
      }
    },
    /** A call sent then was, with the silence asked for, ms. */
    refuse (method: string, sentAt: number, retryAfterMs = 0) {
      const now = clock.now()
      const own = of(method)
      askedMs = retryAfterMs
      // what grows fast waits there until it is lowered
      if (askedMs > SHORT_MS && all.low === Infinity && isFast()) all.rate = Math.min(all.rate, acceptedIn(all, 1_000))
      // silence that is asked for concerns the node; a live read must not wait while the past takes what it needs
      const paused = askedMs === 0 ? own : all
      const isNews = sentAt >= paused.pausedUntil
      paused.pausedUntil = Math.max(paused.pausedUntil, sentAt + (askedMs || paused.pauseMs))
      if (askedMs === 0 && isNews) paused.pauseMs = Math.min(MAX_PAUSE_MS, paused.pauseMs * 2)
      if (sentAt <= own.endedAt) return   // of what is over
      if (own.refusedSince === undefined) {
        const share = (acceptedIn(own, 60_000) + NEW) / (acceptedIn(all, 60_000) + NEW)
        own.isOwn = share < FEW || (askedMs > 1_000 && own.most === Infinity)
      }
      own.refusedSince ??= now
      all.refusedSince ??= now
    },
    /** Takes the word of a header, but for a narrower limit that refusals have shown. */
    readHeaders (method: string, headers: IncomingHttpHeaders) {
      const perSecond = parseFloat(String(headers['x-ratelimit-method-limit'])) / METHOD_WINDOW_S
      if (!(perSecond > 0 && perSecond < Infinity)) return   // none, or that there is no limit
      const bucket = of(method)
      const rate = Math.max(MIN_RATE, perSecond * SHARE)
      if (bucket.most === Infinity) {
        // what was sent before it was known is of its window
        bucket.tokens = 1 - Math.min(bucket.spent, rate * METHOD_WINDOW_S)
        bucket.at = clock.now()
      }
      bucket.most = rate
      bucket.rate = bucket.low === Infinity ? rate : Math.min(bucket.rate, rate)
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
