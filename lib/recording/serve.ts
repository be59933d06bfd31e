import type { RpcReply } from '../chain/json-rpc.js'
import type { Recording } from './recording.js'
import { createReplay, NotRecorded } from './replay.js'
import { startRpcServer } from './rpc-server.js'

/** No code of a node's own, and none that is worth another try. */
const NOT_RECORDED = -32_099

export interface ReplayOptions {
  port?: number
  host?: string
  /** Told of each question that the recording has no answer to. */
  onMissing?: (message: string) => void
}

/** A node that serves a recording. A question it has no answer to gets a JSON-RPC error that names what is missing. */
export async function serveRecording (recording: Recording, { onMissing = () => {}, ...address }: ReplayOptions = {}): Promise<{ url: string, close (): Promise<void> }> {
  const replay = createReplay(recording)
  return await startRpcServer({
    ...address,
    answer: async calls => calls.map(({ method, params }): RpcReply => {
      try {
        return { result: replay(method, params) }
      } catch (error) {
        if (!(error instanceof NotRecorded)) throw error
        onMissing(error.message)
        return { error: { code: NOT_RECORDED, message: error.message } }
      }
    })
  })
}
