import type { Fetch } from '../types.js'
import type { Clock } from './clock.js'
import { countsAgainstNode, nodeError } from './fault.js'

export type BreakerState = 'closed' | 'open' | 'half-open'

export interface BreakerOptions {
  clock: Clock
  /** Failures in a row that open it. */
  failures: number
  /** The first pause; each further one is twice as long. */
  openMs: number
  /** The longest pause. */
  maxOpenMs: number
  /** Called when it opens. */
  onOpen?: () => void
}

/** What came of a call that was let through; 'unknown' where its caller went away. */
export type Verdict = 'good' | 'bad' | 'unknown'

export interface Breaker {
  state (): BreakerState
  /** Milliseconds until it lets a call through; 0 when it does so now. */
  wait (): number
  /** Lets a call through, whose verdict must be told to the function that comes back; undefined: not now. */
  enter (): ((verdict: Verdict) => void) | undefined
}

/** Counts failures in a row; open, it lets nothing through for a while, then a single probe, which decides. */
export function createBreaker ({ clock, failures, openMs, maxOpenMs, onOpen }: BreakerOptions): Breaker {
  let inRow = 0
  let openings = 0
  let openUntil = 0
  let probing = false
  // Verdicts on calls that began in an earlier state come too late to mean anything.
  let era = 0

  function open (): void {
    // Between half and all of the pause, so that replicas don't probe in step.
    const pause = Math.min(maxOpenMs, openMs * 2 ** openings) * (0.5 + clock.random() / 2)
    openUntil = clock.now() + pause
    openings++
    era++
    probing = false
    onOpen?.()
  }

  function settle (verdict: Verdict): void {
    const wasProbe = probing
    probing = false
    if (verdict === 'good') {
      if (openings > 0) era++
      inRow = openings = 0
    } else if (verdict === 'bad' && (wasProbe || ++inRow >= failures)) {
      open()
    }
  }

  return {
    state: () => openings === 0 ? 'closed' : clock.now() < openUntil ? 'open' : 'half-open',

    wait: () => openings === 0 ? 0 : Math.max(0, openUntil - clock.now()),

    enter () {
      if (openings > 0) {
        if (probing || clock.now() < openUntil) return undefined
        probing = true
      }
      const own = era
      return verdict => { if (own === era) settle(verdict) }
    }
  }
}

/** Asks `breaker` before each call: BREAKER_OPEN at once when it says no. */
export function withBreaker (fetch: Fetch, { breaker, host }: { breaker: Breaker, host: string }): Fetch {
  return async (input, init) => {
    const tell = breaker.enter()
    if (tell === undefined) {
      throw nodeError('BREAKER_OPEN', 'has been failing and is not asked for now', { host, reason: 'open' }, Math.max(1, Math.ceil(breaker.wait() / 1000)))
    }
    let verdict: Verdict = 'unknown'
    try {
      const response = await fetch(input, init)
      verdict = 'good'
      return response
    } catch (error) {
      if (init?.signal?.aborted !== true) verdict = countsAgainstNode(error) ? 'bad' : 'good'
      throw error
    } finally {
      tell(verdict)
    }
  }
}
