import fp from 'fastify-plugin'
import { createAccountReader } from '../lib/chain/accounts.js'
import { createChainClock, type ChainClock } from '../lib/chain/chain-clock.js'
import { type CallReport, createNodeClient, type NodeClient, type NodeClientOptions } from '../lib/chain/client.js'
import { type Standing, standingSentence } from '../lib/responses/standing.js'
import { createHistoryReader } from '../lib/chain/transactions.js'
import type { AccountReader, HistoryReader } from '../lib/chain/types.js'
import { type Clock, systemClock } from '../lib/clock.js'

declare module 'fastify' {
  interface FastifyInstance {
    /** The nodes, behind one client that meets their failures, and time as the chain has it. */
    chain: {
      accounts: AccountReader
      history: HistoryReader
      /** What is known of each node. */
      nodes: NodeClient['nodes']
      /** For how long no node has moved; undefined: one does. `halted`: two nodes or more agree on the slot, so it is the chain. */
      standing: () => Standing | undefined
      /** For how long at least the chain has been past a slot, by what the nodes have shown, ms. */
      pastMs: NodeClient['pastMs']
      /** Whether the chain may have reached a slot, by what the nodes have shown. */
      canBe: NodeClient['canBe']
      /** Whether the WebSocket is connected; undefined: there is none, or it has not been tried yet. */
      websocketUp: boolean | undefined
      /** Ages and schedules. */
      clock: Clock
      /** Unix ms of the chain, at which days and windows end; undefined: not known yet. */
      time: () => number | undefined
      /** Tells that clock of a finalized slot. */
      noteFinalized: (slot: number) => void
      /** By how much the wall clock is ahead of the chain, ms. */
      offset: ChainClock['offset']
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
  /** For tests: the time, Unix ms, in place of the steady clock, the wall clock and the chain's. */
  now?: () => number
}

/** How often it is looked whether the nodes stand still, ms. */
const TELL_MS = 1_000

/** Opens the way to the nodes of CHAIN_RPC_URL. */
export default fp<ChainOptions>(async (fastify, { transport: options, now }) => {
  const { nodeUrls, nodeRates } = fastify.config
  const observers = new Set<(report: CallReport) => void>()
  const client = createNodeClient({ ...options, urls: nodeUrls, rates: nodeRates, onCall: report => { for (const observe of observers) observe(report) } })
  const history = createHistoryReader(client)
  const clock: Clock = now === undefined ? systemClock : { ...systemClock, now, epoch: now }
  const chainClock = createChainClock({
    reader: history,
    clock: systemClock,
    onDifference: ms => fastify.log.warn({ code: 'clocks-differ', aheadSeconds: Math.round(ms / 1000) },
      `this machine's clock and the chain's differ by ${Math.round(Math.abs(ms) / 1000)} s: days and windows end at the chain's; look at this machine's time service, or at whether the node has fallen behind`)
  })
  const standing = (): Standing | undefined => {
    const state = client.standing()
    if (state === undefined) return undefined
    const ms = systemClock.now() - state.since
    const since = new Date(Math.round((systemClock.epoch() - ms) / 1000) * 1000)
    return { ms, since: since.toISOString(), halted: state.halted }
  }
  let told = false
  /** One line when the nodes begin to stand, and one when they move again. */
  function tellStanding (): void {
    const state = standing()
    if (state !== undefined && !told) fastify.log.warn({ code: 'standing-still' }, standingSentence(state))
    else if (state === undefined && told) fastify.log.info({ code: 'moving-again' }, 'the slots move again')
    told = state !== undefined
    stopTelling = systemClock.after(TELL_MS, tellStanding)
  }
  let stopTelling = systemClock.after(TELL_MS, tellStanding)

  fastify.decorate('chain', {
    accounts: createAccountReader(client),
    history,
    nodes: client.nodes,
    standing,
    pastMs: client.pastMs,
    canBe: client.canBe,
    websocketUp: undefined,
    clock,
    time: now ?? chainClock.time,
    noteFinalized: now === undefined ? chainClock.note : () => {},
    offset: chainClock.offset,
    observers,
    close: () => client.close()
  })
  fastify.addHook('onReady', async () => { if (now === undefined) chainClock.start() })
  fastify.addHook('onClose', async () => {
    stopTelling()
    chainClock.stop()
    client.close()
  })
}, { name: 'chain', dependencies: ['config'] })
