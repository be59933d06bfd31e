import type { ServiceError } from '../errors.js'
import { answerError, nodeError } from './node-errors.js'
import { failAll, reasonOf, type Send } from './rpc.js'

/** The genesis hashes that the nodes have told, in order of preference; shared by them. */
export interface GenesisBook {
  note (index: number, hash: string): void
  /** Whether a node serves the cluster of the most preferred node that has told its own. */
  agrees (index: number): boolean
}

export function createGenesisBook (): GenesisBook {
  const hashes = new Map<number, string>()
  return {
    note: (index, hash) => { hashes.set(index, hash) },
    agrees: index => hashes.get(index) === hashes.get(Math.min(...hashes.keys()))
  }
}

export interface GenesisOptions {
  host: string
  index: number
  book: GenesisBook
  /** Ends a question that is under way, which belongs to all callers and so to none. */
  closing: AbortSignal
}

// 32 bytes in base58.
const HASH = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/

export const isHash = (value: unknown): value is string => typeof value === 'string' && HASH.test(value)

/**
 * Asks a node for its genesis hash before its first use and after `forget`, and refuses it with NODE_BAD_ANSWER while
 * that is another cluster's: its accounts would be plausible and wrong.
 */
export function withGenesisCheck (
  send: Send, { host, index, book, closing }: GenesisOptions
): { send: Send, forget: () => void } {
  let asked: Promise<ServiceError | undefined> | undefined

  async function ask (): Promise<ServiceError | undefined> {
    const [reply] = await send([{ method: 'getGenesisHash', params: [] }], { priority: 'live', signal: closing })
    if ('error' in reply!) return reply.error
    if (!isHash(reply!.result)) return answerError(host, 'wrong-shape', 'answered getGenesisHash with no hash')
    book.note(index, reply!.result)
    return undefined
  }

  /** Why the node may not be used; undefined: it may. */
  function askOnce (): Promise<ServiceError | undefined> {
    const asking = asked ??= ask().then(error => {
      if (error !== undefined && asked === asking) asked = undefined
      return error
    })
    return asking
  }

  return {
    forget: () => { asked = undefined },
    send: async (calls, options) => {
      const error = await underSignal(options.signal, askOnce())
      if (error !== undefined) return failAll(calls, error)
      if (!book.agrees(index)) {
        asked = undefined
        const what = 'serves another cluster than the node before it'
        return failAll(calls, nodeError('NODE_BAD_ANSWER', what, { host, reason: 'genesis' }))
      }
      return await send(calls, options)
    }
  }
}

/** What `work` gives, or the signal's reason as soon as that aborts. */
async function underSignal<T> (signal: AbortSignal, work: Promise<T>): Promise<T | ServiceError> {
  if (signal.aborted) return reasonOf(signal)
  return await new Promise<T | ServiceError>((resolve, reject) => {
    const abort = () => resolve(reasonOf(signal))
    signal.addEventListener('abort', abort, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort))
  })
}
