/**
 * A rate of calls, learned from a node's refusals. Until the first refusal it starts slowly and doubles; after it, it is a number
 * of calls within a window, approached, held just below, and tried again from time to time.
 */
import type { Clock } from '../clock.js'

/** What a node was found, or says, to allow. */
export interface Allowance {
  calls: number
  windowMs: number
}

export interface RateOptions {
  clock: Clock
  /** Where a rate begins that nothing is known of, calls a second; undefined: without a bound, until the first refusal. */
  startRate?: number
  /** What is allowed by the operator's word, never exceeded and never tried. */
  stated?: Allowance
}

export interface Rate {
  /** Milliseconds until `calls` may be sent; 0: now. */
  wait (calls: number): number
  /** Takes note that `calls` are sent. */
  spend (calls: number): void
  /** Takes note that `calls` sent at `sentAt` were refused: they count no more. */
  refused (sentAt: number, calls: number): void
  /** It was this limit that calls sent at `sentAt` met, while more of them waited; `retryAfterMs` where the node said so. */
  met (sentAt: number, retryAfterMs: number | undefined): void
  /** Takes note that a call sent at `sentAt` was accepted. */
  accept (sentAt: number): void
  /** The node says what it allows, in a header. */
  state (allowance: Allowance): void
  /** Calls accepted within `windowMs` up to `at`, as far as it remembers (a minute). */
  accepted (windowMs: number, at: number): number
  /** What it was found, or is said, to allow; undefined: no bound is known. */
  known (): Allowance | undefined
  /** It was another limit that was met: nothing is known of this one. */
  forget (): void
  /** The same, where something was known of it before. */
  restore (before: Allowance | undefined): void
  /** The largest sensible batch. */
  batch (): number
  /** Calls a second now; Infinity while there is no bound. */
  perSecond (): number
}

// Windows by which nodes count: what a refusal proves is first explained by the shortest one that fits.
const WINDOWS_MS = [1_000, 2_000, 5_000, 10_000, 30_000, 60_000]
const BUCKET_MS = 10
const BUCKETS = 66_000 / BUCKET_MS
// Doubling every half second brings a node of one's own to full speed within seconds.
const DOUBLE_MS = 500
// Beyond this rate nothing is gained by counting.
const UNBOUNDED = 20_000
// After a refusal: what was accepted, less a tenth; then a few percent a second.
const BACK = 0.9
const GROWTH_PER_SECOND = 0.03
// The share of a window by which calls may bunch on their way, at first and at most.
const MIN_MARGIN = 0.04
const MAX_MARGIN = 0.25
// More is found once so much of what was found has been tried, and not much beyond that.
const PROVED = 1.3
const MOST = 1.35
// Of long windows with few calls it shows late whether more was accepted: after so many windows it was not.
const PROOF_WINDOWS = 2
// Only a rate of which so much is used shows by the lack of refusals that more is allowed.
const USED = 0.8
// How long what was found is kept before more is tried: each try costs a pause, so it must stay a small part of the time.
const MIN_HOLD_MS = 20_000
const MAX_HOLD_MS = 600_000
const HOLD_PER_PAUSE = 20
// Refusals without a Retry-After are taken for a window of this length at first.
const FIRST_WINDOW_MS = WINDOWS_MS[0]!
// Who refuses everything for longer than nodes count is down.
const OUTAGE_MS = 15_000
// Never fewer than one call in ten seconds, whatever was refused or said.
const LEAST: Allowance = { calls: 1, windowMs: 10_000 }
// Catching up after a late timer: so much of a second may be sent at once.
const BURST_S = 0.25
// And so much of a window.
const BURST_SHARE = 0.1

/** The shortest window of at least `ms`. */
const windowOf = (ms: number): number => WINDOWS_MS.find(window => window >= ms) ?? WINDOWS_MS.at(-1)!

export function createRate ({ clock, startRate, stated }: RateOptions): Rate {
  const counts = new Int32Array(BUCKETS)
  let head = Math.floor(clock.now() / BUCKET_MS)
  let found = stated
  let margin = MIN_MARGIN
  /** Share of what was found that is used now; above 1 while more is tried. */
  let level = stated === undefined ? BACK : 1 / (1 + margin)
  /** Since when as much is tried as proves something. */
  let provedAt: number | undefined
  let hold = MIN_HOLD_MS
  let holdUntil = 0
  let loweredAt = -Infinity
  /** When the first of the refusals came since which nothing was accepted, and what was found before it. */
  let run: { at: number, before: Allowance | undefined } | undefined
  /** When the newest of the accepted calls was sent. What is on its way is counted before anybody knows whether it is accepted. */
  let acceptedAt = -Infinity
  /** Slow start: the rate, since when, and how many calls were spent at it. */
  let start = { rate: startRate ?? Infinity, at: clock.now(), spent: 0 }
  let tokens = 1
  let at = clock.now()

  /** The share that is kept to where nothing is tried. */
  const top = (): number => 1 / (1 + margin)

  /** Moves the counts on to now, dropping those that are older than they reach. */
  function roll (): number {
    const bucket = Math.floor(clock.now() / BUCKET_MS)
    for (let steps = Math.min(BUCKETS, bucket - head); steps > 0; steps--) counts[(bucket - steps + 1) % BUCKETS] = 0
    head = Math.max(head, bucket)
    return head
  }

  function count (from: number, to: number): number {
    const last = Math.min(roll(), Math.floor(to / BUCKET_MS))
    let sum = 0
    for (let bucket = Math.max(0, head - BUCKETS + 1, Math.floor(from / BUCKET_MS) + 1); bucket <= last; bucket++) sum += counts[bucket % BUCKETS]!
    return sum
  }

  /** Of a window in which nothing has been accepted what is on its way is no part: it may be refused like all others. */
  const accepted = (windowMs: number, to: number): number => acceptedAt > to - windowMs ? count(to - windowMs, to) : 0

  /** Calls within the window that are admitted now: beyond what was found only while more is tried. */
  const admitted = ({ calls }: Allowance): number => level > top() && stated === undefined ? Math.max(calls + 1, Math.floor(calls * level * (1 + margin))) : calls
  const perSecond = (): number => found === undefined ? start.rate : found.calls / found.windowMs * 1000 * level
  const capacity = (rate: number): number => found === undefined ? Math.max(1, rate * DOUBLE_MS / 1000) : Math.max(1, rate * BURST_S, found.calls * BURST_SHARE)

  /** Lets the rate grow with the time that has passed, and fills the bucket. */
  function tick (): void {
    const now = clock.now()
    const seconds = (now - at) / 1000
    at = now
    if (found === undefined) {
      if (now - start.at >= DOUBLE_MS) {
        // A rate that was not used proves nothing.
        const used = start.spent >= start.rate * (now - start.at) / 1000 / 2
        start = { rate: used ? start.rate * 2 : start.rate, at: now, spent: 0 }
        if (start.rate > UNBOUNDED) start.rate = Infinity
      }
    } else if (stated === undefined) {
      const grown = level * (1 + GROWTH_PER_SECOND * Math.min(seconds, 1))
      // Whole calls: of a few in a window one is out of it again before the next
      const tries = now >= holdUntil && count(now - found.windowMs, now) >= Math.floor(found.calls * Math.min(level, 1) * USED)
      level = Math.min(MOST, tries ? grown : Math.min(grown, top()))
      if (level > PROVED) adopt(now, found)
      else provedAt = undefined
    }
    const rate = perSecond()
    tokens = rate === Infinity ? Infinity : Math.min(capacity(rate), (tokens === Infinity ? 0 : tokens) + seconds * rate)
  }

  /** More was tried for a while without a refusal. Where clearly more was accepted, what was found is wrong, and it starts slowly again; else it proves nothing. */
  function adopt (now: number, { calls, windowMs }: Allowance): void {
    const seen = count(now - windowMs, now)
    const more = seen > calls * 1.1
    provedAt ??= now
    if (!more && now - provedAt < PROOF_WINDOWS * windowMs) return
    provedAt = undefined
    if (more) {
      start = { rate: seen / windowMs * 1000, at: now, spent: 0 }
      found = undefined
      hold = MIN_HOLD_MS
      tokens = 0
    }
    holdUntil = now + hold
    level = top()
  }

  function lower (sentAt: number, retryAfterMs: number | undefined): void {
    const before = found
    const now = clock.now()
    // Nothing that was sent since it was lowered last has been accepted: it is the same limit, or an outage.
    const again = run !== undefined
    if (!again) run = { at: sentAt, before }
    const base = run!.at
    let windowMs = Math.max(before?.windowMs ?? FIRST_WINDOW_MS, windowOf(retryAfterMs ?? 0), again ? windowOf(sentAt - base) : 0)
    let calls = accepted(windowMs, base)
    const probing = before !== undefined && level > top()
    // Refused while no more than what was allowed before was asked for: calls bunch on their way; if that is not it, the window is longer.
    const bunched = before !== undefined && !probing && !again && calls >= before.calls * BACK
    if (bunched && margin > MAX_MARGIN / 2) {
      windowMs = windowOf(windowMs + 1)
      calls = accepted(windowMs, base)
      margin = MIN_MARGIN
    } else if (bunched) {
      // what was accepted until then falls short of the limit by chance
      calls = before.calls
      margin = Math.min(MAX_MARGIN, margin * 2)
    } else if (probing) margin = Math.max(MIN_MARGIN, margin / 2)
    hold = probing ? Math.min(MAX_HOLD_MS, hold * 2) : Math.max(hold, MIN_HOLD_MS, HOLD_PER_PAUSE * (retryAfterMs ?? 0))
    holdUntil = now + (retryAfterMs ?? 0) + hold
    // What held before more was tried still holds. A node that is down tells no limit.
    if (probing && !again) found = before
    else if (calls === 0 || sentAt - base > OUTAGE_MS) found = run!.before
    else found = calls / windowMs < LEAST.calls / LEAST.windowMs ? LEAST : { calls, windowMs }
    level = probing && !again ? top() : Math.min(BACK, top())
    if (found === undefined) start = { rate: Math.min(start.rate, startRate ?? Infinity), at: now, spent: 0 }
    tokens = found === undefined && startRate === undefined ? Infinity : 0
    loweredAt = now
  }

  return {
    wait (calls) {
      tick()
      const rate = perSecond()
      if (rate === Infinity) return 0
      const needed = Math.min(calls, Math.max(1, Math.floor(capacity(rate))))
      const forTokens = tokens >= needed ? 0 : (needed - tokens) / rate * 1000
      if (found === undefined) return forTokens
      // However late a timer was: never more than admitted within any window.
      const most = admitted(found)
      const span = found.windowMs * (1 + margin)
      const now = clock.now()
      let over = count(now - span, now) + calls - Math.max(most, calls)
      if (over <= 0) return forTokens
      let bucket = Math.max(0, Math.floor((now - span) / BUCKET_MS) + 1)
      while (bucket < head && (over -= counts[bucket % BUCKETS]!) > 0) bucket++
      return Math.max(forTokens, (bucket + 1) * BUCKET_MS + span - now)
    },
    spend (calls) {
      tick()
      counts[roll() % BUCKETS]! += calls
      start.spent += calls
      if (tokens !== Infinity) tokens -= calls
    },
    refused (sentAt, calls) {
      roll()
      const bucket = Math.floor(sentAt / BUCKET_MS)
      if (bucket > head - BUCKETS) counts[bucket % BUCKETS] = Math.max(0, counts[bucket % BUCKETS]! - calls)
    },
    met (sentAt, retryAfterMs) {
      // What was sent before the last lowering says nothing new.
      if (sentAt <= loweredAt) return
      if (stated === undefined) return lower(sentAt, retryAfterMs)
      margin = Math.min(MAX_MARGIN, margin * 2)
      level = top()
      loweredAt = clock.now()
    },
    accept (sentAt) {
      acceptedAt = Math.max(acceptedAt, sentAt)
      if (sentAt > loweredAt) run = undefined
    },
    state (allowance) {
      if (stated !== undefined) return
      const { calls, windowMs } = allowance.calls / allowance.windowMs < LEAST.calls / LEAST.windowMs ? LEAST : allowance
      // What refusals have proved is narrower is kept; what the node says of itself needs no trying.
      if (found !== undefined && found.calls / found.windowMs <= calls / windowMs) return
      found = { calls, windowMs }
      level = top()
      holdUntil = clock.now() + MAX_HOLD_MS
      // what was sent before it was known says nothing of it
      loweredAt = clock.now()
      tokens = Math.min(tokens, 1)
    },
    accepted,
    known: () => found,
    forget () {
      found = stated
      tokens = Infinity
    },
    restore (before) {
      found = before ?? stated
      run = undefined
      level = top()
      tokens = Math.max(tokens, 1)
    },
    batch () {
      const rate = perSecond()
      // Where there is a limit, small enough for a window to be filled evenly.
      return rate === Infinity ? Infinity : Math.max(1, Math.floor(rate / (found === undefined ? 5 : 20)))
    },
    perSecond
  }
}
