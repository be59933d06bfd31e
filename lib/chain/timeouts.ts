/** How long a request may take, by its method and by what the node has shown. */
import type { Clock } from '../clock.js'
import type { CallReport } from './reply.js'

export interface Timeouts {
  /** Milliseconds for a request of `method`. */
  of (method: string): number
  /** Takes note of how a request ended. */
  note (report: CallReport): void
}

// A node without a secondary index walks all accounts for getProgramAccounts, and whole blocks or a thousand transactions are large.
const LONG_METHODS = new Set(['getProgramAccounts', 'getTransactionsForAddress', 'getBlock'])
const MAX_MS = 30_000

/**
 * Deadlines that begin at `callMs`. Those of the long methods double up to 30 s with each timeout of a node that answers other calls, and
 * come back to twice what an answer takes: a node that hangs altogether is known within `callMs`.
 */
export function createTimeouts (clock: Clock, callMs: number): Timeouts {
  const known = new Map<string, number>()
  let answeredAt = -Infinity

  return {
    of: method => known.get(method) ?? callMs,
    note ({ method, outcome, ms }) {
      const now = clock.now()
      const long = LONG_METHODS.has(method)
      if (outcome === 'timeout') {
        // what was answered meanwhile shows that the node is there
        if (long && answeredAt > now - ms) known.set(method, Math.min(Math.max(MAX_MS, callMs), (known.get(method) ?? callMs) * 2))
      } else if (outcome === 'ok') {
        answeredAt = now
        if (long) known.set(method, Math.max(callMs, Math.min(MAX_MS, 2 * ms)))
      }
    }
  }
}
