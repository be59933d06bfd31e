import fp from 'fastify-plugin'
import { createAccountReader, createTokenAccountLister, type TokenAccountLister } from '../lib/chain/accounts.js'
import { createNodeClient, type NodeClient, type NodeClientOptions } from '../lib/chain/nodes.js'
import type { CallReport } from '../lib/chain/json-rpc.js'
import type { ChainTime } from '../lib/chain/timekeeper.js'
import { createHistoryReader } from '../lib/chain/transactions.js'
import type { AccountReader, HistoryReader } from '../lib/chain/types.js'
import { type Clock, systemClock } from '../lib/clock.js'

declare module 'fastify' {
  interface FastifyInstance {
    /** The nodes, behind one client that meets their failures, and time as the chain has it. */
    chain: {
      accounts: AccountReader
      history: HistoryReader
      tokenAccounts: TokenAccountLister
      nodes: NodeClient['nodes']
      /** Whether the WebSocket is connected; undefined: there is none, or it has not been tried yet. */
      websocketUp: boolean | undefined
      clock: Clock
      time: ChainTime
      /** Told of every request to a node. */
      observers: Set<(report: CallReport) => void>
      /** Ends every call at once. */
      close (): void
    }
  }
}

export interface ChainOptions {
  /** Replaces what the node client does by default. */
  transport?: Partial<NodeClientOptions>
  /** For tests: the time, Unix ms, in place of the steady clock and the wall clock. */
  now?: () => number
}

export default fp<ChainOptions>(async (fastify, { transport: options, now }) => {
  const { nodeUrls, nodeRates } = fastify.config
  const observers = new Set<(report: CallReport) => void>()
  const clock: Clock = now === undefined ? systemClock : { ...systemClock, now, epoch: now }
  const client = createNodeClient({
    timeClock: clock,
    ...options,
    urls: nodeUrls,
    rates: nodeRates,
    onCall: report => { for (const observe of observers) observe(report) },
    onTime: ({ level, code, message }) => fastify.log[level]({ code }, message),
    onFault: error =>
      fastify.log.warn({ code: 'node-fault', err: error }, 'a node\'s answer can\'t be used: the next node is asked')
  })

  fastify.decorate('chain', {
    accounts: createAccountReader(client),
    history: createHistoryReader(client),
    tokenAccounts: createTokenAccountLister(client),
    nodes: client.nodes,
    websocketUp: undefined,
    clock,
    time: client.time,
    observers,
    close: () => client.close()
  })
  fastify.addHook('onClose', async () => client.close())
}, { name: 'chain', dependencies: ['config'] })
