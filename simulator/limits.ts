/** What a node lets a caller do: calls by method and in all within a span of time, and how it says no. */
import { concerns } from './faults.js'

export interface LimitRule {
  /** Default: all methods together. */
  method?: string
  /** Each method that matches is counted for itself. */
  each?: boolean
  calls: number
  windowMs: number
}

export interface Limits {
  rules: LimitRule[]
  /** HTTP 429, or HTTP 200 with a JSON-RPC error of this code. */
  refusal: 'http-429' | -32429 | -32005
  /** Seconds of Retry-After, `left`: what is left of the window; null: the header is missing. */
  retryAfter: number | 'left' | null
  /** Whether `x-ratelimit-…` headers say what is allowed and left. */
  headers: boolean
  /** A member over the limit refuses the whole batch, or itself alone. */
  batch: 'whole' | 'member'
}

/** What became of one request. */
export interface Verdict {
  /** By call, in order: whether it is refused. */
  refused: boolean[]
  /** Seconds to wait; null: not said. */
  retryAfter: number | null
  headers: Record<string, string>
}

interface Count { rule: LimitRule, begun: number, used: number }

/**
 * Counts calls over windows that begin with the first call after the last one ended. @param now ms of a clock that
 * never goes back
 */
export function createLimiter (now: () => number) {
  const counts = new Map<string, Count>()
  const accepted: Record<string, number> = {}
  const refused: Record<string, number> = {}

  function countOf (rule: LimitRule, at: number, method: string): Count {
    const key = `${at}/${rule.each === true ? method : ''}`
    const found = counts.get(key)
    if (found !== undefined && found.rule === rule && now() < found.begun + rule.windowMs) return found
    const fresh = { rule, begun: now(), used: 0 }
    counts.set(key, fresh)
    return fresh
  }

  const countsOf = ({ rules }: Limits, method: string): Count[] =>
    rules.flatMap((rule, at) => concerns(rule, method) ? [countOf(rule, at, method)] : [])

  /** Seconds until all of the counts have room again. */
  const left = (full: Count[]): number =>
    Math.max(...full.map(({ begun, rule }) => begun + rule.windowMs - now())) / 1000

  function headersOf (limits: Limits, method: string): Record<string, string> {
    if (!limits.headers) return {}
    const headers: Record<string, string> = {}
    for (const { rule, used } of countsOf(limits, method)) {
      const name = rule.method === undefined && rule.each !== true ? 'rps' : 'method'
      headers[`x-ratelimit-${name}-limit`] = String(rule.calls)
      headers[`x-ratelimit-${name}-remaining`] = String(Math.max(0, rule.calls - used))
    }
    return headers
  }

  return {
    /** Calls by method that were let through, and that were not. */
    accepted,
    refused,
    /** Decides about the calls of one request. */
    take (limits: Limits, methods: string[]): Verdict {
      const verdicts = methods.map(method => {
        const mine = countsOf(limits, method)
        const full = mine.filter(({ rule, used }) => used >= rule.calls)
        if (full.length > 0) return left(full)
        for (const count of mine) count.used++
        return null
      })
      const wait = Math.max(0, ...verdicts.filter(verdict => verdict !== null))
      const whole = limits.batch === 'whole' && verdicts.some(verdict => verdict !== null)
      const result = verdicts.map(verdict => whole || verdict !== null)
      result.forEach((isRefused, at) => {
        const counted = isRefused ? refused : accepted
        counted[methods[at]!] = (counted[methods[at]!] ?? 0) + 1
      })
      return {
        refused: result,
        retryAfter: limits.retryAfter === 'left' ? Math.ceil(wait) : limits.retryAfter,
        headers: headersOf(limits, methods[result.indexOf(true)] ?? methods[0] ?? '')
      }
    },
    /** Calls let through since the start. */
    get total () { return Object.values(accepted).reduce((sum, count) => sum + count, 0) },
    get totalRefused () { return Object.values(refused).reduce((sum, count) => sum + count, 0) }
  }
}
