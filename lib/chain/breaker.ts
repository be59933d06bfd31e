import type { Clock } from '../clock.js'
import { countsAgainstNode, faultOf, nodeError } from './node-errors.js'
import { type Call, failAll, OPTIONAL_METHODS, type Reply, type Send } from './rpc.js'

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

/** What came of a call that was let through; 'unknown' where its caller went away, or it was not sent. */
export type Verdict = 'good' | 'bad' | 'unknown'

export interface Breaker {
  state (): BreakerState
  /** Milliseconds until it lets a call through; 0 when it does so now. */
  wait (): number
  /** Lets a send through, whose verdict must be told to the function that comes back; undefined: not now. */
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

/**
 * Asks `breaker` before each send: BREAKER_OPEN at once when it says no. A probe is a single call; the others follow
 * when it has gone well.
 */
export function withBreaker (send: Send, { breaker, host }: { breaker: Breaker, host: string }): Send {
  const refusal = () => nodeError(
    'BREAKER_OPEN',
    'has been failing and is not asked for now',
    { host, reason: 'open' },
    Math.max(1, Math.ceil(breaker.wait() / 1000))
  )

  async function guarded (calls: readonly Call[], options: Parameters<Send>[1]): Promise<Reply[]> {
    const tell = breaker.enter()
    if (tell === undefined) return failAll(calls, refusal())
    const replies = await send(calls, options)
    tell(options.signal.aborted ? 'unknown' : verdictOf(calls, replies))
    return replies
  }

  return async (calls, options) => {
    if (breaker.state() === 'closed' || calls.length === 1) return await guarded(calls, options)
    const [probe] = await guarded(calls.slice(0, 1), options)
    const rest = calls.slice(1)
    if ('error' in probe! && countsAgainstNode(probe.error)) return [probe, ...failAll(rest, probe.error)]
    return [probe!, ...await guarded(rest, options)]
  }
}

/**
 * Bad where nothing speaks for the node; what it did not do (a full queue, a refusal) speaks neither for nor against
 * it.
 */
function verdictOf (calls: readonly Call[], replies: Reply[]): Verdict {
  if (replies.some(reply => 'result' in reply)) return 'good'
  const errors = replies.flatMap(reply => 'error' in reply ? [reply.error] : [])
  const optional = calls.every(({ method }) => OPTIONAL_METHODS.has(method))
  if (errors.some(error => countsAgainstNode(error) && !(optional && faultOf(error)?.reason === 'http'))) return 'bad'
  return errors.every(error => ['busy', 'refused'].includes(faultOf(error)?.reason ?? '')) ? 'unknown' : 'good'
}
