/** Whether a node is used: while it serves the others' cluster, and does not fail. */
import { backoff } from '../backoff.js'
import type { Clock } from '../clock.js'
import { isHash } from './checks.js'
import { countsAgainstNode, failAll, faultOf, nodeError, OPTIONAL_METHODS, secondsOf } from './node-errors.js'
import type { Call, Reply, Send, SendOptions } from './types.js'

interface BreakerOptions {
  host: string
  clock: Clock
  failures: number
  /** Whose genesis hash is that of the first node that tells one; undefined: a node alone can't be compared. */
  cluster?: { genesis?: string } | undefined
}

// What waits for the end of a fault must be there within one cache lifetime of 10 s, and a request that still meets the
// fault may take 5.
const MAX_OPEN_MS = 2_000

/**
 * Opens after `failures` in a row: BREAKER_OPEN for a while; then one request decides. Before its first use and after
 * each opening the node is asked for its genesis hash: NODE_BAD_ANSWER while it is of another cluster.
 */
export function withBreaker (send: Send, { host, clock, failures, cluster }: BreakerOptions) {
  let inRow = 0
  let openings = 0
  let openUntil = 0
  let probing = false
  // Replies to requests of an earlier state don't count.
  let era = 0
  let isOfCluster = cluster === undefined

  function judge (isProbe: boolean, good: boolean | undefined): void {
    probing = false
    if (good === true) {
      if (isProbe) era++
      inRow = openings = 0
    } else if (good === false && (isProbe || ++inRow >= failures)) {
      openUntil = clock.now() + backoff(++openings, clock, MAX_OPEN_MS)
      era++
      isOfCluster = cluster === undefined
    }
  }

  const use: Send = async (calls, options) => {
    if (!isOfCluster) {
      const [{ result, error }] = await send([{ method: 'getGenesisHash', params: [] }], options) as [Reply]
      if (error !== undefined) return failAll(calls, error)
      if (!isHash(result)) {
        return failAll(calls, nodeError(host, 'wrong-shape', 'answered getGenesisHash with no hash'))
      }
      isOfCluster = (cluster!.genesis ??= result) === result
      if (!isOfCluster) {
        return failAll(calls, nodeError(host, 'genesis', 'serves another cluster than the first that answered'))
      }
    }
    return await send(calls, options)
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
        return failAll(calls, nodeError(host, 'open', what, {}, secondsOf(leftMs)))
      }
      probing = isProbe
      const own = era
      const replies = await use(calls, options)
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
