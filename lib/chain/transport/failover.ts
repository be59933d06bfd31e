import { isServiceError, type ServiceError } from '../../errors.js'
import type { Fetch } from '../types.js'
import type { Clock } from './clock.js'
import { faultOf, isWorthRetrying } from './fault.js'

/** Asks the nodes in order of preference until one answers. What is thrown is the error that another try has most to hope from. */
export function withFailover (nodes: readonly Fetch[], { clock }: { clock: Clock }): Fetch {
  // Until when each node asked to be left alone (Retry-After).
  const restUntil = nodes.map(() => 0)

  return async (input, init) => {
    const now = clock.now()
    const errors: ServiceError[] = []
    // Those at rest come last instead of never: with no other node left, the caller's retry has waited as it was told.
    const order = [...nodes.keys()].sort((a, b) => Number(restUntil[a]! > now) - Number(restUntil[b]! > now) || a - b)
    for (const index of order) {
      try {
        return await nodes[index]!(input, init)
      } catch (error) {
        if (init?.signal?.aborted === true || !isServiceError(error) || faultOf(error) === undefined) throw error
        if (error.retryAfter !== undefined && error.code === 'NODE_UNAVAILABLE') restUntil[index] = clock.now() + error.retryAfter * 1000
        errors.push(error)
      }
    }
    throw mostHopeful(errors)
  }
}

/** One worth a retry, else of a node that was asked, else any; among these the shortest Retry-After, then the most preferred node. */
function mostHopeful (errors: ServiceError[]): ServiceError {
  const asked = errors.filter(({ code }) => code !== 'BREAKER_OPEN')
  const [from = errors] = [asked.filter(isWorthRetrying), asked].filter(({ length }) => length > 0)
  return from.reduce((best, error) => (error.retryAfter ?? 0) < (best.retryAfter ?? 0) ? error : best)
}
