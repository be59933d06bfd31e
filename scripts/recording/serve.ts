import type { Recording, RpcReply } from './recording.js'
import { createReplay, goingOn, NotOffered, NotRecorded } from './replay.js'
import { METHOD_NOT_FOUND, startRpcServer } from './rpc-server.js'

/** No code of a node's own, and none that is worth another try. */
const NOT_RECORDED = -32_099

export interface ReplayOptions {
  port?: number
  /** Time of the chain and of `Date`, Unix ms; by default it goes on from the recording's. */
  now?: () => number
  /** Told of each question that the recording has no answer to. */
  onMissing?: (message: string) => void
}

/** A node that serves a recording. A question it has no answer to gets a JSON-RPC error that names what is missing. */
export async function serveRecording (
  recording: Recording, { onMissing = () => {}, now = goingOn(recording), port = 0 }: ReplayOptions = {}
): Promise<{ url: string, close (): Promise<void> }> {
  const replay = createReplay(recording, now)
  return await startRpcServer({
    port,
    now,
    answer: async calls => calls.map(({ method, params }): RpcReply => {
      try {
        return { result: replay(method, params) }
      } catch (error) {
        if (error instanceof NotOffered) return { error: { code: METHOD_NOT_FOUND, message: 'Method not found' } }
        if (!(error instanceof NotRecorded)) throw error
        onMissing(error.message)
        return { error: { code: NOT_RECORDED, message: error.message } }
      }
    })
  })
}
