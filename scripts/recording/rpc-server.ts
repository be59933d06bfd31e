import { serveLoopback } from '../../simulator/loopback.js'
import type { RpcCall, RpcReply } from './recording.js'

export interface RpcServerOptions {
  /** The replies to the calls of one request, in their order; a rejection becomes status 502. */
  answer: (calls: readonly RpcCall[]) => Promise<RpcReply[]>
  /** The time of `Date`, Unix ms; default: this machine's. */
  now?: () => number
  /** 0: any free port. */
  port?: number
}

interface Message extends RpcCall { id: unknown }

export const METHOD_NOT_FOUND = -32_601

/** A JSON-RPC server over HTTP, single calls and batches. */
export async function startRpcServer (
  { answer, now = Date.now, port }: RpcServerOptions
): ReturnType<typeof serveLoopback> {
  async function reply (body: string): Promise<string> {
    const parsed = JSON.parse(body) as Message | Message[]
    const messages = [parsed].flat()
    const replies = await answer(messages.map(({ method, params }) => ({ method, params: params ?? [] })))
    const answers = replies.map((result, i) => ({ jsonrpc: '2.0', id: messages[i]!.id, ...result }))
    return JSON.stringify(Array.isArray(parsed) ? answers : answers[0])
  }

  return await serveLoopback(async (body, response) => {
    response.setHeader('date', new Date(now()).toUTCString())
    await reply(body).then(
      text => response.writeHead(200, { 'content-type': 'application/json' }).end(text),
      (error: unknown) => response.writeHead(error instanceof SyntaxError ? 400 : 502).end(String(error))
    )
  }, port)
}
