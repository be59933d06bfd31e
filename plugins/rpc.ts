import fp from 'fastify-plugin'
import { createAccountReader } from '../lib/chain/accounts.js'
import { createHistoryReader } from '../lib/chain/history.js'
import { createRpc } from '../lib/chain/json-rpc.js'
import { type CallReport, createTransport, type TransportOptions } from '../lib/chain/transport/index.js'
import type { AccountReader, HistoryReader } from '../lib/chain/types.js'

declare module 'fastify' {
  interface FastifyInstance {
    /** The nodes, behind one transport that meets their failures. */
    chain: {
      accounts: AccountReader
      history: HistoryReader
      /** Told of every request to a node. */
      observers: Set<(report: CallReport) => void>
      /** Ends every call at once. */
      close (): void
    }
  }
}

export interface RpcOptions {
  /** Replaces what the transport does by default. */
  transport?: Partial<TransportOptions>
}

/** Opens the way to the nodes of CHAIN_RPC_URL. Nothing is called before somebody asks. */
export default fp<RpcOptions>(async (fastify, { transport: options }) => {
  const { nodeUrls } = fastify.config
  const observers = new Set<(report: CallReport) => void>()
  const transport = createTransport({ ...options, urls: nodeUrls, onCall: report => { for (const observe of observers) observe(report) } })
  const rpc = createRpc(nodeUrls[0]!, transport.fetch)
  fastify.decorate('chain', {
    accounts: createAccountReader(rpc),
    history: createHistoryReader(rpc),
    observers,
    close: () => transport.close()
  })
  fastify.addHook('onClose', async () => transport.close())
}, { name: 'rpc', dependencies: ['config'] })
