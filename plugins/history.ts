import fp from 'fastify-plugin'
import { accountsOf, staleAfter } from '../lib/responses/sources.js'
import { subscribe } from '../lib/chain/subscription.js'
import type { LogEvent } from '../lib/history/log-events.js'
import { createHistory, type History, type HistoryOptions } from '../lib/history/history.js'
import { openSqliteStore } from '../lib/history/store/sqlite.js'
import type { Settings } from '../lib/settings.js'

declare module 'fastify' {
  interface FastifyInstance {
    history: History
  }
}

export interface HistoryPluginOptions {
  /** Between two looks at the head of the history, ms. */
  pollMs?: number
  /** In place of a real WebSocket. */
  listen?: typeof subscribe
}

/** How long the current step may wait for a node at shutdown, ms; cut off, it is done after the next start. */
const LAST_STEP = 3_000
/** From the beginning of shutdown to the history's end, ms: answers may take 5 s of it; 9.5 s is all (server.ts). */
const OVER_WITHIN = 8_000

/** The history in this process's embedded store, or in the PostgreSQL that several share. */
async function openHistory (
  { databaseUrl, dataDir, role }: Settings, options: Omit<HistoryOptions, 'store'> & { endsBy (): number }
): Promise<History & { close (): Promise<void> }> {
  if (databaseUrl !== undefined) {
    // the embedded store needs no PostgreSQL client
    const { openSharedHistory } = await import('../lib/history/shared-history.js')
    return await openSharedHistory({ ...options, url: databaseUrl, writes: role !== 'api' })
  }
  const store = await openSqliteStore({ folder: dataDir, program: options.program })
  return { ...createHistory({ ...options, store }), close: () => store.close() }
}

/** Opens the store, and indexes the chain into it until the application closes. */
export default fp<HistoryPluginOptions>(async (fastify, { pollMs, listen = subscribe }) => {
  const { config, chain, cache } = fastify
  let endsBy = Infinity
  const history = await openHistory(config, {
    reader: chain.history,
    program: config.factory,
    excluded: config.excluded,
    daos: cache.daos,
    endsBy: () => endsBy,
    rate: config.feeRate,
    basis: config.volumeBasis,
    clock: chain.clock,
    time: chain.time,
    staleMs: staleAfter(config),
    isListening: () => chain.websocketUp === true,
    onLog: ({ level, code, message, detail }: LogEvent) => fastify.log[level]({ code, ...detail }, message),
    ...(pollMs !== undefined && { pollMs })
  })
  fastify.decorate('history', history)
  cache.snapshot.follow(state => history.compare(accountsOf(state)))

  const subscription = config.websocketUrl === undefined
    ? undefined
    : listen({
      url: config.websocketUrl,
      program: config.factory,
      onTransaction: () => history.wake(),
      onState: state => {
        fastify.log.info(`the WebSocket is ${state}`)
        chain.websocketUp = state === 'up'
        if (state !== 'up') history.wake()
      },
      onFault: error => {
        if (chain.websocketUp !== undefined) return
        chain.websocketUp = false
        fastify.log.warn(
          { err: error },
          'the WebSocket can\'t connect: the head of the history is polled until it does'
        )
      }
    })

  fastify.addHook('onReady', async () => history.start())
  fastify.addHook('preClose', async () => { endsBy = chain.clock.now() + OVER_WITHIN })
  fastify.addHook('onClose', async () => {
    const cancelCutOff = chain.clock.after(LAST_STEP, () => chain.close())
    await Promise.all([history.stop(), subscription?.close()])
    cancelCutOff()
    await history.close()
  })
}, { name: 'history', dependencies: ['config', 'chain', 'cache'] })
