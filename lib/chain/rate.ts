/**
 * How fast a node may be asked: a bucket for all calls and one for each method. The operator's word holds; else it is
 * learned: up while nothing is refused, to what the node's headers state, and down to a share of what was accepted at a
 * refusal. A limit refuses at the same count each time: by that its window is found, and whether it is of one method.
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
// Never slower than one call in ten seconds, whatever a header says.
const MIN_RATE = 0.1
// Refusals of everything for longer are an outage; so long must more be accepted for a limit to be another one.
const WINDOW_MS = 10_000
const MINUTE_MS = 60_000
// Windows that limits have. Of a longer one the count must be steadier by so much (a natural logarithm): it holds more
// of the silences after refusals.
const WINDOWS_MS = [1_000, 2_000, 5_000, WINDOW_MS, MINUTE_MS]
const STEADIER = 0.3
// How much of a method's `doubt` counts at its next refusal.
const KEPT = 0.7
// What it loses where it is refused again after a silence in which other methods were accepted.
const SHOWN = 0.3
// A method with so large a share of what was accepted is held to be limited itself, up to so much doubt; half is
// enough with a Retry-After of more than a second, as nodes send that count by method.
const MOST = 0.75
const MOST_WITH_RETRY_AFTER = 0.5
const MAX_DOUBT = 0.2
// What is accepted at rest is little; an outage that comes then says nothing of a limit below this.
const MIN_TOTAL_RATE = 1
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
  /** Since when it is refused without an acceptance. */
  refusedSince: undefined as number | undefined,
  /** What was accepted before the last refusal, by window; undefined: nothing to compare with. */
  counts: undefined as number[] | undefined,
  /** Of a method: how much steadier the counts of all calls were at its refusals than its own. */
  doubt: 0,
  /** Until when nothing is sent, and how long the next silence is where none is asked for, ms. */
  pausedUntil: -Infinity,
  pauseMs: FIRST_PAUSE_MS
})

type Bucket = ReturnType<typeof makeBucket>
/** `perSecond`, by the window of the steadiest count, and how far that is from the last refusal's, a logarithm. */
interface Before { counts: number[], perSecond: number, change: number }

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
    if (isLifted(bucket)) [bucket.ceiling, bucket.counts] = [Infinity, undefined]
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

  /** What was accepted before a refusal; a node that still refuses, or asks for silence, counts at least as long. */
  function before (bucket: Bucket, since: number, retryAfterMs: number): Before {
    const counts = WINDOWS_MS.map(ms => sum(bucket, ms, since))
    const least = Math.min(MINUTE_MS, Math.max(retryAfterMs, clock.now() - since))
    let [perSecond, change] = [0, Infinity]
    for (const [at, ms] of WINDOWS_MS.entries()) {
      const by = Math.abs(Math.log((counts[at]! + 0.5) / ((bucket.counts ?? counts)[at]! + 0.5)))
      if (ms >= least && by < change - STEADIER) [perSecond, change] = [counts[at]! / ms * 1000, by]
    }
    return { counts, perSecond, change }
  }

  function lower (bucket: Bucket, accepted: number, retryAfterMs: number): void {
    const now = clock.now()
    const since = bucket.refusedSince!
    // who refuses everything for longer than limits count is out, as a plan whose month is used up: asked as before
    if (now - since > WINDOW_MS && bucket.loweredAt >= since) bucket.rate = bucket.before
    if (accepted === 0 || now - since > WINDOW_MS) return
    if (bucket.loweredAt < since) bucket.before = bucket.rate
    bucket.rate = Math.max(bucket === all ? MIN_TOTAL_RATE : MIN_RATE, Math.min(accepted, bucket.rate) * SHARE)
    bucket.ceiling = bucket.rate / SHARE
    bucket.returnS = Math.max(RETURN_S, RETURN_PER_PAUSE * retryAfterMs / 1000)
    bucket.loweredAt = bucket.at = now
    bucket.tokens = Math.min(1, bucket.tokens + 1)   // of the refused call, which is sent again
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
      const [ofOwn, ofAll] = [own, all].map(bucket => before(bucket, since, askedMs)) as [Before, Before]
      // what was sent before a rate was lowered says nothing new
      const isNews = sentAt > Math.max(own.loweredAt, all.loweredAt)
      if (isNews && since === now) {
        if (own.counts !== undefined) own.doubt = own.doubt * KEPT + ofOwn.change - ofAll.change
        own.counts = ofOwn.counts
        all.counts = ofAll.counts
      } else if (isNews && sentAt > since && all.accepted.some(({ at }) => at > since)) own.doubt -= SHOWN
      const most = askedMs > WINDOWS_MS[0]! ? MOST_WITH_RETRY_AFTER : MOST
      const isOwn = own.doubt < (ofOwn.perSecond < most * ofAll.perSecond ? 0 : MAX_DOUBT) || stated !== undefined
      // silence that is asked for concerns the node; a live read must not wait while the past takes what it needs
      pause(isOwn && retryAfterMs === undefined ? own : all, sentAt, retryAfterMs)
      const [bucket, { perSecond }] = isOwn ? [own, ofOwn] : [all, ofAll]
      if (sentAt > bucket.loweredAt) lower(bucket, perSecond, askedMs)
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
    isFast: () => sum(all, WINDOWS_MS[0]!) > START_RATE,
    /** Calls a second now; Infinity while no bound is known. */
    perSecond: () => Math.min(all.rate, ...Array.from(methods.values(), ({ rate }) => rate))
  }
}
