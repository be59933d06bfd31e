/** Reads of the past at commitment `finalized`: signatures of an address and the transactions behind them. */
import { ServiceError } from '../errors.js'
import { createBatchSize } from './batch-size.js'
import type { Rpc, RpcCall, RpcReply } from './json-rpc.js'
import { isCount, readSignatureInfo, readTransaction } from './transaction-shape.js'
import { RATE_CODES, TRANSIENT_CODES } from './transport/answer.js'
import { systemClock, type Clock } from './transport/clock.js'
import { faultOf } from './transport/fault.js'
import type { HistoryReader, RawTransaction, SignatureInfo } from './types.js'

export interface HistoryOptions {
  /** Transactions per JSON-RPC batch; 1: single calls only. */
  batchSize?: number
  /** Single calls in flight at the same time. */
  concurrency?: number
  /** Batches in flight at the same time. */
  batchConcurrency?: number
  /** How often a transaction is asked for whose node says "not now". */
  attempts?: number
  /** Aborts every read, with its own reason. */
  signal?: AbortSignal
  clock?: Clock
}

const COMMITMENT = 'finalized'
// The most that getSignaturesForAddress gives.
const PAGE = 1000
// Answers to 50 transactions stay near 1 MB, and providers commonly take at least that many calls in one request.
const BATCH_SIZE = 50
// Public nodes allow 40 connections and 40 calls of one method in 10 s: more in flight only meets the limit sooner.
const CONCURRENCY = 8
// Nodes count the calls of a batch one by one: two keep the line busy while one answer is read.
const BATCH_CONCURRENCY = 2
// With the delays below the last attempt comes 1 to 3 s after the first: longer than a node needs to catch up.
const ATTEMPTS = 5
const FIRST_DELAY_MS = 200

const GET_TRANSACTION = { encoding: 'json', commitment: COMMITMENT, maxSupportedTransactionVersion: 0 } as const

/** A reader over `rpc`. JSON that is not what was asked for is NODE_BAD_ANSWER. */
export function createHistoryReader (rpc: Rpc, options: HistoryOptions = {}): HistoryReader {
  const { batchSize = BATCH_SIZE, concurrency = CONCURRENCY, batchConcurrency = BATCH_CONCURRENCY } = options
  const { attempts = ATTEMPTS, signal, clock = systemClock } = options
  const size = createBatchSize(batchSize, clock.now)

  async function askSingle (call: RpcCall): Promise<RpcReply> {
    try {
      return { result: await rpc.call(call.method, call.params, signal) }
    } catch (error) {
      const code = faultOf(error)?.rpcCode
      if (code === undefined) throw error
      return { error: { code, message: '' } }
    }
  }

  /** The replies to one piece of work; undefined: the node takes no batch of this size. */
  async function askPiece (calls: RpcCall[]): Promise<RpcReply[] | undefined> {
    const [only, ...others] = calls
    if (only !== undefined && others.length === 0) return [await askSingle(only)]
    try {
      return await rpc.batch(calls, signal)
    } catch (error) {
      if (size.refused(error, calls.length)) return undefined
      throw error
    }
  }

  /** Fills `found` for the `wanted` positions, as far as the node lets it; returns the positions still open and whether it was asked in vain. */
  async function pass (signatures: readonly string[], wanted: number[], found: Array<RawTransaction | null>) {
    const open: number[] = []
    let busy = false
    const most = size.current()
    await eachOf(pieces(wanted, most), most > 1 ? batchConcurrency : concurrency, async positions => {
      const calls = positions.map(at => ({ method: 'getTransaction', params: [signatures[at], GET_TRANSACTION] }))
      const replies = await askPiece(calls)
      positions.forEach((at, i) => {
        const reply = replies?.[i]
        if (reply === undefined) return open.push(at)
        if ('result' in reply) return (found[at] = checkTransaction(reply.result, signatures[at]))
        const { code } = reply.error
        if (!TRANSIENT_CODES.has(code)) throw badAnswer(`getTransaction: JSON-RPC error ${code}`)
        if (RATE_CODES.has(code)) size.singlesOnly()   // a batch makes too many calls at once worse
        busy = true
        open.push(at)
      })
    })
    return { open, busy }
  }

  return {
    async signatures (address, { before, until, limit = PAGE }) {
      const page = { commitment: COMMITMENT, limit, ...(before !== undefined && { before }), ...(until !== undefined && { until }) }
      const rows = await rpc.call('getSignaturesForAddress', [address, page], signal)
      if (!Array.isArray(rows)) throw badAnswer('getSignaturesForAddress: no list')
      const infos = rows.map(row => readSignatureInfo(row) ?? fail('getSignaturesForAddress: a row that is none'))
      checkPage(infos, limit, [before, until])
      return infos
    },

    async transactions (signatures) {
      const found = new Array<RawTransaction | null>(signatures.length).fill(null)
      let wanted = signatures.map((_, at) => at)
      for (let tries = 0; ;) {
        const { open, busy } = await pass(signatures, wanted, found)
        if (open.length === 0) return found
        wanted = open.sort((a, b) => a - b)
        if (!busy) continue   // only refused as a batch: smaller pieces may go out at once
        if (++tries >= attempts) throw new ServiceError('NODE_UNAVAILABLE', `getTransaction: ${open.length} still refused after ${tries} attempts`)
        await clock.sleep(FIRST_DELAY_MS * 2 ** (tries - 1) * (0.5 + clock.random()), signal)
      }
    },

    async finalizedSlot () {
      const slot = await rpc.call('getSlot', [{ commitment: COMMITMENT }], signal)
      return isCount(slot) ? slot : fail('getSlot: no slot')
    }
  }
}

/** A page that is out of order, too long, or holds its own bounds would let a reader skip rows, or read them for ever. */
function checkPage (infos: SignatureInfo[], limit: number, bounds: Array<string | undefined>): void {
  if (infos.length > limit) fail('getSignaturesForAddress: more rows than asked for')
  if (infos.some(({ slot }, i) => i > 0 && slot > infos[i - 1]!.slot)) fail('getSignaturesForAddress: not newest first')
  if (infos.some(({ signature }) => bounds.includes(signature))) fail('getSignaturesForAddress: another page than asked for')
}

function checkTransaction (result: unknown, signature: string | undefined): RawTransaction | null {
  if (result === null) return null
  const transaction = readTransaction(result) ?? fail('getTransaction: parts are missing')
  return transaction.transaction.signatures[0] === signature ? transaction : fail('getTransaction: another transaction than asked for')
}

const badAnswer = (message: string): ServiceError => new ServiceError('NODE_BAD_ANSWER', message)
function fail (message: string): never { throw badAnswer(message) }

const pieces = <T>(items: T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, i) => items.slice(i * size, (i + 1) * size))

/** Runs `action` on every item, at most `limit` at a time; after a failure no further one is begun. */
async function eachOf<T> (items: T[], limit: number, action: (item: T) => Promise<void>): Promise<void> {
  const queue = items.values()
  let failed = false
  async function work (): Promise<void> {
    for (const item of queue) {
      if (failed) return
      await action(item).catch((error: unknown) => { failed = true; throw error })
    }
  }
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, work))
}
