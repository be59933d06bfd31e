import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import Fastify, { type FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import app, { serverOptions } from '../app.js'
import { createNodeClient } from '../lib/chain/nodes.js'
import { faultOf } from '../lib/chain/node-errors.js'
import type { Rpc } from '../lib/chain/types.js'
import { createRecorder, type Recorder } from './recording/recorder.js'
import { nodeSecretsOf, type RpcCall, type RpcReply, writeRecording } from './recording/recording.js'
import { NOT_OFFERED } from './recording/replay.js'
import { METHOD_NOT_FOUND, startRpcServer } from './recording/rpc-server.js'
import type { Daos } from '../schemas/daos.js'

export interface RecordOptions {
  url: string
  /** FACTORY_ADDRESS. */
  program: string
  /** Mints whose supply is asked for besides those of the DAOs. */
  mints?: readonly string[]
  /** Transactions at most. */
  most?: number
  onStep?: (step: string) => void
  /** Unix ms of the node's world; default: this machine's. */
  now?: () => number
  /** Ends it without a recording. */
  signal?: AbortSignal
}

const MAX_TRANSACTIONS = 20_000
const POLL_MS = 200

/**
 * The calls of one request, passed on to the node; its errors are errors of the calls, and no answer is no answer. What
 * a replay will not offer is not offered here either, so that all it needs is recorded.
 */
async function forward (rpc: Rpc, calls: readonly RpcCall[]): Promise<RpcReply[]> {
  const passed = calls.filter(({ method }) => !NOT_OFFERED.has(method))
  const replies = passed.length === 0 ? [] : await rpc.send(passed)
  return calls.map(call => {
    const reply = replies[passed.indexOf(call)]
    if (reply === undefined) return { error: { code: METHOD_NOT_FOUND, message: 'not recorded' } }
    if (reply.error === undefined) return reply
    const code = faultOf(reply.error)?.rpcCode
    if (code === undefined) throw reply.error
    return { error: { code, message: 'refused by the node' } }
  })
}

/** Asks the service for everything that it answers, and so the node for everything that the service asks. */
async function askAll (service: FastifyInstance, mints: readonly string[]): Promise<void> {
  const report = await service.inject('/api/daos')
  if (report.statusCode !== 200) throw new Error(`/api/daos answered ${report.statusCode}: ${report.payload}`)
  const known = report.json<Daos>().daos.flatMap(({ base_mint: base, quote_mint: quote }) => [base, quote])
    .filter(mint => mint !== null)
  const supplies = Array.from(new Set([...known, ...mints]), mint => `/api/supply/${mint}`)
  for (const path of ['/api/tickers', '/api/volume/aggregate', ...supplies]) {
    const { statusCode, payload } = await service.inject(path)
    if (statusCode !== 200 && statusCode !== 404) throw new Error(`${path} answered ${statusCode}: ${payload}`)
  }
}

/** The accounts are newer than the finalised history: waits until it has all from before their slot. */
async function catchUp (
  service: FastifyInstance, rpc: Rpc, recorder: Recorder, pause: () => Promise<void>
): Promise<void> {
  recorder.finishAccounts()
  while (Number(await rpc.call('getSlot', [{ commitment: 'finalized' }])) < recorder.slot) await pause()
  while ((service.history.status().headSlot ?? 0) < recorder.slot - 1) await pause()
}

/**
 * Runs the whole service on the node at `url`, through a proxy that listens, until it knows everything. Gives the text
 * of the recording; throws where that would hold the node's host or key.
 */
export async function recordNode (
  { url, program, mints = [], most = MAX_TRANSACTIONS, onStep = () => {}, now = Date.now, signal }: RecordOptions
): Promise<string> {
  const rpc = createNodeClient({ urls: [url] })
  // told first where it is no node: the service would wait for it
  await rpc.call('getGenesisHash', []).catch((error: unknown) => {
    rpc.close()
    throw error
  })
  const pause = (): Promise<void> => setTimeout(POLL_MS, undefined, { ...signal && { signal } })
  const recorder = createRecorder({ program, most })
  let failure: unknown
  const proxy = await startRpcServer({
    now,
    async answer (calls) {
      const replies = await forward(rpc, calls)
      try {
        for (const [i, reply] of replies.entries()) {
          if ('result' in reply) recorder.note(calls[i]!.method, calls[i]!.params, reply.result)
        }
      } catch (error) {
        failure = error
      }
      return replies
    }
  })
  const folder = mkdtempSync(join(tmpdir(), 'recording-'))
  const env = {
    CHAIN_RPC_URL: proxy.url,
    CHAIN_WS_URL: '',
    FACTORY_ADDRESS: program,
    ROUTER_ADDRESS: program,
    DATA_DIR: folder,
    RATE_LIMIT_MAX: '1000000000'
  }
  const service = Fastify(serverOptions(env))
  try {
    await service.register(fp(app), { env, now, pollMs: POLL_MS, bounds: { delay: Infinity } })
    await service.ready()
    onStep('reading the history')
    while (!service.history.status().complete) {
      if (failure !== undefined) throw failure
      await pause()
    }
    onStep('asking for every answer')
    await askAll(service, mints)
    onStep('waiting until the history has caught up with the accounts')
    await catchUp(service, rpc, recorder, pause)
  } finally {
    await service.close()
    await proxy.close()
    rpc.close()
    rmSync(folder, { recursive: true, force: true })
  }
  if (failure !== undefined) throw failure
  const text = writeRecording(recorder.recording())
  if (nodeSecretsOf(url).some(secret => text.includes(secret))) {
    throw new Error('the node\'s answers repeat its own host or key: nothing is written')
  }
  return text
}
