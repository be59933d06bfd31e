/**
 * A minimal JSON-RPC 2.0 client over a `Fetch`, for reads whose results we check ourselves: web3.js checks every field of
 * every answer, which for transactions costs more than reading them.
 */
import { ServiceError } from '../errors.js'
import { readAnswer, type ReadAnswer, type RequestFacts, type RpcReply } from './transport/answer.js'
import { answerError, hostOf, httpError, networkError, nodeError, rpcError } from './transport/fault.js'
import type { Fetch } from './types.js'

export type { RpcReply } from './transport/answer.js'

export interface RpcCall {
  method: string
  params: readonly unknown[]
}

/** Calls to a node. Each throws a ServiceError; `signal` aborts with its own reason. */
export interface Rpc {
  /** The result of one call, unchecked. A JSON-RPC error throws NODE_BAD_ANSWER with the code in its message. */
  call (method: string, params: readonly unknown[], signal?: AbortSignal): Promise<unknown>
  /**
   * The replies to `calls`, in their order, from one HTTP request; the error of a member is returned, not thrown.
   * A node that takes no batches makes it throw NODE_BAD_ANSWER.
   */
  batch (calls: readonly RpcCall[], signal?: AbortSignal): Promise<RpcReply[]>
}

/** A client that posts to `url` through `fetch`: the composed one of `createTransport`, or the platform's. */
export function createRpc (url: string, fetch: Fetch): Rpc {
  const host = hostOf(url)
  let lastId = 0

  async function post (body: unknown, signal: AbortSignal | undefined): Promise<unknown> {
    let response: Response
    try {
      response = await fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
        ...(signal !== undefined && { signal })
      })
    } catch (error) {
      if (error instanceof ServiceError || signal?.aborted === true) throw error
      throw networkError(host, error)
    }
    if (response.status !== 200) throw httpError(host, response.status)
    return await response.json().catch((error: unknown) => {
      if (signal?.aborted === true) throw error
      throw error instanceof SyntaxError ? answerError(host, 'not-json', 'answered with no JSON') : networkError(host, error)
    })
  }

  async function ask (request: RequestFacts, body: unknown, signal: AbortSignal | undefined): Promise<RpcReply[]> {
    const answer: ReadAnswer = readAnswer(request, await post(body, signal))
    if ('wrong' in answer) throw answerError(host, answer.wrong, answer.what)
    if ('refused' in answer) {
      const { code } = answer.refused
      throw nodeError('NODE_BAD_ANSWER', `refused a batch with JSON-RPC error ${code}`, { host, reason: 'rpc-error', rpcCode: code })
    }
    return answer.replies
  }

  const message = ({ method, params }: RpcCall) => ({ jsonrpc: '2.0', id: ++lastId, method, params })

  return {
    async call (method, params, signal) {
      const body = message({ method, params })
      const [reply] = await ask({ batch: false, ids: [body.id], method }, body, signal)
      if (reply === undefined) throw answerError(host, 'wrong-shape', 'answered with nothing')
      if ('error' in reply) throw rpcError(host, reply.error.code)
      return reply.result
    },

    async batch (calls, signal) {
      const [first] = calls
      if (first === undefined) return []
      const body = calls.map(message)
      return await ask({ batch: true, ids: body.map(({ id }) => id), method: first.method }, body, signal)
    }
  }
}
