import type { HistoryReader, RawTransaction, SignatureInfo } from '../chain/types.js'
import { isServiceError, ServiceError } from '../errors.js'
import { readEvents } from '../protocol/events.js'
import { backoff, Stopped, type Sleep } from './pause.js'
import type { Sighting } from './placing.js'
import type { MissingTransaction } from './store.js'

export interface FetchOptions {
  program: string
  eventAuthority: string
  sleep: Sleep
  signal: AbortSignal
  /** Transactions asked for in one call of the reader. */
  chunk?: number
  /** Calls of the reader at a time. */
  concurrency?: number
  /** How often a transaction that the node does not give is asked for again before it counts as missing. */
  retries?: number
  /** Milliseconds spent in reading events out of transactions, for benchmarks. */
  onDecode?: (ms: number) => void
}

export interface Fetched {
  /** Oldest first. */
  events: Sighting[]
  missing: MissingTransaction[]
}

/** What is asked for: `at` and `blockTime` are the same under two names, here and in the rows of what is missing. */
export type Wanted = Pick<SignatureInfo, 'signature' | 'slot'> & { blockTime?: number | null, at?: number | null }

/** Failing calls are repeated this often before the whole step is given up for a while. */
const CALL_TRIES = 4
/** Of so many transactions not one was to be had: the node is ill, not its archive. */
const SUSPICIOUS = 10

/** How much may be missing: nothing, not everything of many, or whatever is. Beyond it the node is at fault and the step is not to be kept. */
export type Tolerance = 'nothing' | 'some' | 'anything'

const exceeds = (missing: number, wanted: number, tolerance: Tolerance): boolean =>
  (tolerance === 'nothing' && missing > 0) || (tolerance === 'some' && missing === wanted && missing > SUSPICIOUS)

const missed = ({ signature, slot, blockTime, at }: Wanted, reason: string): MissingTransaction => ({ signature, slot, at: at ?? blockTime ?? null, reason })

/** Reads the events of listed transactions. No transaction is kept longer than it takes to read it. */
export function createFetcher (reader: HistoryReader, options: FetchOptions) {
  const { program, eventAuthority, signal, chunk = 100, concurrency = 2, retries = 4, onDecode } = options
  /** No call before this moment of the process's clock: what one call is told by an overloaded node holds for all. */
  let gate = Promise.resolve()

  async function pause (ms: number): Promise<void> {
    await options.sleep(ms, signal)
    if (signal.aborted) throw new Stopped()
  }

  async function call (wanted: readonly Wanted[]): Promise<Array<RawTransaction | null>> {
    for (let failures = 1; ; failures++) {
      await gate
      if (signal.aborted) throw new Stopped()
      try {
        return await reader.transactions(wanted.map(({ signature }) => signature))
      } catch (error) {
        if (!isServiceError(error, 'NODE_UNAVAILABLE', 'BREAKER_OPEN') || failures === CALL_TRIES) throw error
        gate = pause(backoff(failures, error.retryAfter))
        gate.catch(() => {})
      }
    }
  }

  function eventsOf (tx: RawTransaction, { signature, slot }: Wanted): Sighting[] {
    const found = tx.transaction.signatures[0]
    if (found !== signature) throw new ServiceError('NODE_BAD_ANSWER', `asked for ${signature}, given ${found ?? 'none'}`)
    if (tx.slot !== slot) throw new ServiceError('NODE_BAD_ANSWER', `listed in slot ${slot}, given from slot ${tx.slot}`)
    return readEvents(tx, program, eventAuthority).map(event => ({ event, signature, slot }))
  }

  type Outcome = Sighting[] | { reason: string }

  function outcomeOf (tx: RawTransaction | null, wanted: Wanted): Outcome {
    if (tx === null) return { reason: 'the node does not have it' }
    try {
      return eventsOf(tx, wanted)
    } catch (error) {
      if (isServiceError(error, 'NODE_BAD_ANSWER')) return { reason: error.message }
      throw error
    }
  }

  /** One outcome for each; one bad answer spoils a whole call, so it is halved until the bad one stands alone. */
  async function read (wanted: readonly Wanted[]): Promise<Outcome[]> {
    try {
      const transactions = await call(wanted)
      const begun = performance.now()
      const outcomes = wanted.map((one, at) => outcomeOf(transactions[at] ?? null, one))
      onDecode?.(performance.now() - begun)
      return outcomes
    } catch (error) {
      if (!isServiceError(error, 'NODE_BAD_ANSWER')) throw error
      if (wanted.length === 1) return [{ reason: error.message }]
      const half = wanted.length >> 1
      return [...await read(wanted.slice(0, half)), ...await read(wanted.slice(half))]
    }
  }

  async function readAll (wanted: readonly Wanted[]): Promise<Outcome[]> {
    const outcomes: Outcome[] = []
    let next = 0
    const work = async () => {
      while (next < wanted.length) {
        const from = next
        next += chunk
        for (const [at, outcome] of (await read(wanted.slice(from, from + chunk))).entries()) outcomes[from + at] = outcome
      }
    }
    await Promise.all(Array.from({ length: concurrency }, work))
    return outcomes
  }

  /**
   * The events of `wanted` (newest first). Transactions that the node keeps not giving are named as missing, never taken for empty.
   * Throws NODE_BAD_ANSWER where more is missing than `tolerance` allows, what the reader throws, after some tries, and Stopped.
   */
  async function fetch (wanted: readonly Wanted[], tolerance: Tolerance = 'anything'): Promise<Fetched> {
    const outcomes = await readAll(wanted)
    for (let tries = 1; tries <= retries; tries++) {
      const open = outcomes.flatMap((outcome, at) => Array.isArray(outcome) ? [] : [at])
      if (open.length === 0) break
      await pause(backoff(tries))
      for (const [at, outcome] of (await readAll(open.map(at => wanted[at]!))).entries()) outcomes[open[at]!] = outcome
    }
    const events: Sighting[] = []
    const missing: MissingTransaction[] = []
    for (let at = wanted.length - 1; at >= 0; at--) {
      const outcome = outcomes[at]!
      if (Array.isArray(outcome)) events.push(...outcome)
      else missing.push(missed(wanted[at]!, outcome.reason))
    }
    if (exceeds(missing.length, wanted.length, tolerance)) {
      throw new ServiceError('NODE_BAD_ANSWER', `the node does not give ${missing.length} of ${wanted.length} transactions that it lists: ${missing[0]!.reason}`)
    }
    return { events, missing }
  }

  return { fetch }
}

export type Fetcher = ReturnType<typeof createFetcher>
