/** Whether a node is used: while it serves the others' cluster, and does not fail. */
import { backoff } from '../backoff.js'
import type { Clock } from '../clock.js'
import { isHash } from './checks.js'
import { answerError, countsAgainstNode, faultOf, nodeError, secondsOf } from './node-errors.js'
import { type Call, failAll, OPTIONAL_METHODS, type Reply, type Send, type SendOptions } from './rpc.js'

/**
 * Asks a node for its genesis hash before its first use and after `forget`. While it is not that of `cluster`, the
 * first that any node has told, calls fail with NODE_BAD_ANSWER.
 */
export function withGenesisCheck (
  send: Send, { host, cluster }: { host: string, cluster: { genesis?: string } }
): { send: Send, forget: () => void } {
  let isAsked = false
  return {
    forget: () => { isAsked = false },
    async send (calls, options) {
      if (!isAsked) {
        const [reply] = await send([{ method: 'getGenesisHash', params: [] }], options)
        if (reply!.error !== undefined) return failAll(calls, reply!.error)
        if (!isHash(reply!.result)) {
          return failAll(calls, answerError(host, 'wrong-shape', 'answered getGenesisHash with no hash'))
        }
        cluster.genesis ??= reply!.result
        isAsked = cluster.genesis === reply!.result
      }
      if (isAsked) return await send(calls, options)
      return failAll(calls, answerError(host, 'genesis', 'serves another cluster than the first that answered'))
    }
  }
}

interface BreakerOptions { host: string, clock: Clock, failures: number, onOpen: () => void }

// The end of a fault must be noticed within one cache lifetime of 10 s.
const [OPEN_MS, MAX_OPEN_MS] = [1_000, 5_000]

/** Opens after `failures` in a row: BREAKER_OPEN for a while; then one request decides. */
export function withBreaker (send: Send, { host, clock, failures, onOpen }: BreakerOptions) {
  let inRow = 0
  let openings = 0
  let openUntil = 0
  let probing = false
  // Replies to requests of an earlier state don't count.
  let era = 0

  function judge (isProbe: boolean, good: boolean | undefined): void {
    probing = false
    if (good === true) {
      if (isProbe) era++
      inRow = openings = 0
    } else if (good === false && (isProbe || ++inRow >= failures)) {
      openUntil = clock.now() + backoff(++openings, clock, { firstMs: OPEN_MS, maxMs: MAX_OPEN_MS })
      era++
      onOpen()
    }
  }

  return {
    state (): 'closed' | 'open' | 'half-open' {
      if (openings === 0) return 'closed'
      return clock.now() < openUntil ? 'open' : 'half-open'
    },
    async send (calls: readonly Call[], options: SendOptions): Promise<Reply[]> {
      const isProbe = openings > 0
      const leftMs = openUntil - clock.now()
      if (isProbe && (probing || leftMs > 0)) {
        const what = 'has been failing and is not asked for now'
        return failAll(calls, nodeError('BREAKER_OPEN', what, { host, reason: 'open' }, secondsOf(leftMs)))
      }
      probing = isProbe
      const own = era
      const replies = await send(calls, options)
      if (own === era) judge(isProbe, options.signal.aborted ? undefined : isGood(calls, replies))
      return replies
    }
  }
}

/** undefined: calls that were not carried out say nothing of the node. */
function isGood (calls: readonly Call[], replies: Reply[]): boolean | undefined {
  const errors = replies.flatMap(({ error }) => error ?? [])
  if (errors.length < replies.length) return true
  const optional = calls.every(({ method }) => OPTIONAL_METHODS.has(method))
  if (errors.some(error => countsAgainstNode(error) && !(optional && faultOf(error)?.reason === 'http'))) return false
  return errors.every(error => faultOf(error)?.reason === 'busy') ? undefined : true
}
