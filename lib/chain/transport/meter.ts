import type { Fetch } from '../types.js'
import { isRecord } from './answer.js'
import type { Clock } from './clock.js'
import { faultOf, type FaultReason } from './fault.js'
import { readRequest } from './request.js'

/** One request to one node. */
export interface CallReport {
  /** The JSON-RPC method, for a batch that of its first member. */
  method: string
  /** Calls in the request: 1, or the members of the batch. */
  size: number
  /** Host and port. */
  node: string
  outcome: 'ok' | 'aborted' | FaultReason
  ms: number
}

export interface MeterOptions {
  host: string
  clock: Clock
  onCall: (report: CallReport) => void
}

/** Reports every request once, when it has ended. */
export function withMeter (fetch: Fetch, { host, clock, onCall }: MeterOptions): Fetch {
  return async (input, init) => {
    const { method, ids } = readRequest(init)
    const begun = clock.now()
    const report = (outcome: CallReport['outcome']) => onCall({ method, size: ids.length, node: host, outcome, ms: clock.now() - begun })
    let response: Response
    try {
      response = await fetch(input, init)
    } catch (error) {
      report(init?.signal?.aborted === true ? 'aborted' : faultOf(error)?.reason ?? 'network')
      throw error
    }
    const answer: unknown = await response.json()
    report(isRecord(answer) && isRecord(answer.error) ? 'rpc-error' : 'ok')
    return response
  }
}
