/** What the parts of the ledger share: clock, accounts, history, and the transaction that is being made. */
import { type AccountStore } from './accounts.js'
import { eventAuthority } from './addresses.js'
import { type Side } from './arithmetic.js'
import { base58 } from './bytes.js'
import { type Random, scatter } from './random.js'
import { type Action, type History, type TransactionOptions } from './transactions.js'

/** A genuine, successful swap on a spot pool; amounts in raw units, time in unix seconds. */
export interface SpotSwap {
  dao: string
  seq: number
  time: number
  slot: number
  signature: string
  side: Side
  input: bigint
  output: bigint
  /** The protocol's fee, in the input token. */
  fee: bigint
  /** Who swapped. */
  trader: string
  /** The spot pool after it. */
  quoteReserves: bigint
  baseReserves: bigint
}

export interface Receipt { signature: string, slot: number, time: number }

/** The transaction that is being made. */
export interface OpenTransaction extends Receipt {
  readonly options: TransactionOptions
  add (action: Action): void
  /**
   * Makes what was added so far the inner calls of one instruction of another program, followed by that program's
   * event.
   */
  fold (wrapper: Wrapper): void
  swapped (swap: SpotSwap): void
}

export interface Wrapper {
  name: string
  program: string
  accounts: string[]
  data: Buffer
  event: Buffer
}

/** What an upgrade of the program changes in what it writes. */
export interface ProgramBuild {
  /**
   * Bytes that each event has more at its end, by the event's name; `*`: of every other one. Appended fields, as builds
   * have done so far.
   */
  appended: Partial<Record<string, number>>
}

/** Something whose changes can be taken back: `save` returns how. */
export interface Revertible { save (): () => void }

export type Chain = ReturnType<typeof createChain>

interface ChainOptions {
  program: string
  accounts: AccountStore
  history: History
  random: Random
  clock: { readonly time: number, readonly slot: number, timeOf (slot: number): number }
  /** Share of transactions of version 1. */
  versionOne: number
  seed: number
  onSwap: (swap: SpotSwap) => void
  onTransaction: (index: number) => void
}

/** 2026-11-19: transactions whose payer can't pay are in blocks since (SIMD-0290); their share of those that fail. */
const UNEXECUTED_SINCE = 1_795_046_400
const UNEXECUTED_SHARE = 0.3

export function createChain (
  { program, accounts, history, random, clock, versionOne, seed, onSwap, onTransaction }: ChainOptions
) {
  const newAddress = (): string => base58(random.bytes(32))
  const traders = Array.from({ length: 24 }, newAddress)
  let current: { tx: OpenTransaction, saved: Map<Revertible, () => void> | null } | null = null

  function run<T> (
    options: TransactionOptions, revertible: boolean, body: (tx: OpenTransaction) => T
  ): { result: T, receipt: Receipt } {
    const { slot } = clock
    const time = clock.timeOf(slot)
    const actions: Action[] = []
    const swaps: SpotSwap[] = []
    const saved = revertible ? new Map<Revertible, () => void>() : null
    const tx: OpenTransaction = {
      signature: history.nextSignature(),
      slot,
      time,
      options,
      add: action => { actions.push(action) },
      fold: wrapper => { actions.push(fold(actions.splice(0), wrapper)) },
      swapped: swap => { swaps.push(swap) }
    }
    const revert = () => { for (const undo of saved?.values() ?? []) undo() }
    current = { tx, saved }
    let result: T
    try {
      result = body(tx)
    } catch (error) {
      revert()
      throw error
    } finally {
      current = null
    }
    const failed = options.failed ?? options.unexecuted ?? false
    const unexecuted = failed &&
      (options.unexecuted ?? (time >= UNEXECUTED_SINCE && scatter(seed, history.length, 4) < UNEXECUTED_SHARE))
    if (failed) revert()
    const via = options.via ?? 'direct'
    const version = options.version ??
      (scatter(seed, history.length, 3) < versionOne ? 1 : via === 'aggregator' ? 0 : 'legacy')
    const { blockTime = time, payer = traders[0]!, innerUnknown = false } = options
    const shape = { payer, via, version, failed, unexecuted, innerUnknown }
    const index = history.append(tx.signature, slot, blockTime, actions, shape)
    if (!failed) swaps.forEach(onSwap)
    onTransaction(index)
    return { result, receipt: { signature: tx.signature, slot, time } }
  }

  return {
    program,
    eventAuthority: eventAuthority(program),
    accounts,
    history,
    random,
    /** What the program writes now. */
    build: { appended: {} } as ProgramBuild,
    /** Wallets that trade. */
    traders,
    newAddress,
    get time () { return clock.time },
    get slot () { return clock.slot },
    /** Runs `body` in the transaction that is open, or in one of its own made with `options`. */
    act<T> (options: TransactionOptions, entity: Revertible, body: (tx: OpenTransaction) => T): T {
      const join = (tx: OpenTransaction) => {
        const saved = current!.saved
        if (saved !== null && !saved.has(entity)) saved.set(entity, entity.save())
        return body(tx)
      }
      // A transaction of one action throws before it changes anything, so only a failed one must be taken back.
      return current === null
        ? run(options, options.failed ?? options.unexecuted ?? false, join).result
        : join(current.tx)
    },
    /** Several actions in one transaction. */
    transaction (body: (tx: Receipt) => void, options: TransactionOptions = {}): Receipt {
      if (current !== null) throw new Error('a transaction is already open')
      return run(options, true, body).receipt
    }
  }
}

function fold (inside: Action[], { name, program, accounts, data, event }: Wrapper): Action {
  const authority = eventAuthority(program)
  return {
    key: `${name}/${program}/${accounts.join()}/${inside.map(action => action.key).join('|')}`,
    shape: () => ({
      name,
      calls: [
        { program, accounts: [...accounts, authority, program], height: 1 },
        ...inside.flatMap(action => action.shape().calls.map(call => ({ ...call, height: call.height + 1 }))),
        { program, accounts: [authority], height: 2 }
      ]
    }),
    data: [data, ...inside.flatMap(action => action.data), event]
  }
}
