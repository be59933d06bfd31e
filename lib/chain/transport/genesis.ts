import type { Fetch } from '../types.js'
import { isRecord } from './answer.js'
import { answerError, nodeError } from './fault.js'
import { underSignals } from './signals.js'

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

const QUESTION = JSON.stringify({ jsonrpc: '2.0', id: 'genesis', method: 'getGenesisHash', params: [] })
// 32 bytes in base58.
const HASH = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/

/**
 * Asks a node for its genesis hash before its first use and after `forget`, and refuses it with NODE_BAD_ANSWER while that is
 * another cluster's: its accounts would be plausible and wrong.
 */
export function withGenesisCheck (fetch: Fetch, { host, index, book, closing }: GenesisOptions): { fetch: Fetch, forget: () => void } {
  let asked: Promise<void> | undefined

  async function ask (): Promise<void> {
    const response = await fetch('', { body: QUESTION, signal: closing })
    const answer: unknown = await response.json()
    const hash = isRecord(answer) ? answer.result : undefined
    if (typeof hash !== 'string' || !HASH.test(hash)) throw answerError(host, 'wrong-shape', 'answered getGenesisHash with no hash')
    book.note(index, hash)
  }

  function askOnce (): Promise<void> {
    if (asked !== undefined) return asked
    const asking = ask().catch((error: unknown) => {
      if (asked === asking) asked = undefined
      throw error
    })
    asked = asking
    return asking
  }

  return {
    forget: () => { asked = undefined },
    fetch: async (input, init) => {
      await underSignals([init?.signal], askOnce)
      if (!book.agrees(index)) {
        asked = undefined
        throw nodeError('NODE_BAD_ANSWER', 'serves another cluster than the node before it', { host, reason: 'genesis' })
      }
      return await fetch(input, init)
    }
  }
}
