import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { createAccountReader } from '../lib/chain/accounts.js'
import { createNodeClient, type NodeClientOptions } from '../lib/chain/nodes.js'
import type { CallReport } from '../lib/chain/json-rpc.js'
import { createHistoryReader } from '../lib/chain/transactions.js'
import { type Clock, systemClock } from '../lib/clock.js'

declare module 'fastify' {
  interface FastifyInstance {
    /** The nodes behind one client, and the chain's time. */
    chain: ReturnType<typeof openChain>
  }
}

export interface ChainOptions {
  /** Replaces what the node client does by default. */
  transport?: Partial<NodeClientOptions>
  /** For tests: the time, Unix ms, in place of the steady clock and the wall clock. */
  now?: () => number
}

function openChain (fastify: FastifyInstance, { transport, now }: ChainOptions) {
  const { config, log } = fastify
  const clock: Clock = now === undefined ? systemClock : { ...systemClock, now, epoch: now }
  const client = createNodeClient({
    timeClock: clock,
    ...transport,
    urls: config.nodeUrls,
    rates: config.nodeRates,
    onCall: report => fastify.chain.observe?.(report),
    onTime: ({ level, code, message }) => log[level]({ code }, message),
    onFault: error =>
      log.warn({ code: 'node-fault', err: error }, 'a node\'s answer can\'t be used: the next node is asked')
  })
  return {
    accounts: createAccountReader(client),
    finalAccounts: createAccountReader(client, 'finalized'),
    history: createHistoryReader(client),
    nodes: client.nodes,
    /** Whether the WebSocket is connected; undefined: there is none, or it has not been tried yet. */
    websocketUp: undefined as boolean | undefined,
    clock,
    time: client.time,
    /** Told of every request to a node. */
    observe: undefined as ((report: CallReport) => void) | undefined,
    close: client.close
  }
}

export default fp<ChainOptions>(async (fastify, options) => {
  fastify.decorate('chain', openChain(fastify, options))
  fastify.addHook('onClose', async () => fastify.chain.close())
}, { name: 'chain', dependencies: ['config'] })
