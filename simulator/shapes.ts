/**
 * What transactions of one kind have in common. A million swaps share a few hundred shapes: accounts, instructions and
 * logs are kept once, and a transaction itself is only its numbers and its instruction data.
 */
import { PROGRAMS, eventAuthority } from './addresses.js'

/** One instruction of an action; `height` 1 is the action itself, more is what it calls. */
export interface Call { program: string, accounts: string[], height: number }

/** One outer instruction with all it calls, without its data. */
export interface ActionShape {
  /** Shown in the logs, as the framework prints it. */
  name: string
  /** The first call is the outer one, of height 1. */
  calls: Call[]
  /** Log lines after the call, for look-alikes. */
  logs?: string[]
}

/** 1 (SIMD-0385): no lookup tables, compute settings in the message in place of instructions. */
export type TransactionVersion = 'legacy' | 0 | 1

export interface ShapeOptions {
  payer: string
  /** `aggregator`: called by another program; in version 0 most addresses come through a lookup table. */
  via: 'direct' | 'aggregator'
  version: TransactionVersion
  failed: boolean
  /** It failed before anything of it ran (SIMD-0290): its payer could not pay. It is in the block, and the fee is 0. */
  unexecuted: boolean
  /** The node did not record the inner instructions. */
  innerUnknown: boolean
}

export type Shape = ReturnType<typeof createShape>

const HOLE = '~'
const LOOKUP_TABLE = 'D1hhCo4bfBGXeXjvmvwGLL9YVzyASjAWPiBvmEPSAVT2'
const BLOCKHASH = '4QjEBrJnATvydaCoPb7j4cneA5vSJNFsAYHQwRAjAjmQ'
/** SetComputeUnitLimit(1 400 000). */
const COMPUTE_LIMIT = 'K1FDJ7'
/** The same setting as a version 1 message carries it. */
const COMPUTE_CONFIG = {
  computeUnitLimit: 1_400_000, heapSize: null, loadedAccountsDataSizeLimit: 2_097_152, priorityFee: '12500'
}
/** Instructions before the first action: a version 1 message has none for its compute settings. */
const firstAction = ({ version }: ShapeOptions): number => version === 1 ? 0 : 1

/** The custom error of a swap whose output is below the asked minimum, or why nothing of it ran; null: it succeeded. */
export function transactionError (options: ShapeOptions): object | string | null {
  if (options.unexecuted) return 'InsufficientFundsForFee'
  return options.failed ? { InstructionError: [firstAction(options), { Custom: 6005 }] } : null
}

const READ_ONLY = new Set<string>(
  [...Object.values(PROGRAMS), ...Object.values(PROGRAMS).slice(0, 11).map(eventAuthority)]
)

export function createShape (actions: ActionShape[], options: ShapeOptions) {
  const wrapped = options.via === 'aggregator' ? actions.map(wrap) : actions
  const keys = orderKeys(wrapped, options)
  const all = [...keys.static, ...keys.writable, ...keys.readonly]
  const logs = options.unexecuted ? [] : wrapped.flatMap(action => writeLogs(action, options.failed))
  let fragments: string[] | null = null
  return {
    options,
    /** Every address mentioned, loaded ones included. */
    addresses: all,
    logs,
    /** The JSON of `getTransaction` after slot and block time, cut where instruction data and the signature belong. */
    fragments: (): string[] => (fragments ??= writeJson(wrapped, options, keys, all, logs).split(HOLE))
  }
}

/** The same action one level deeper, below a route of the aggregator. */
function wrap (action: ActionShape): ActionShape {
  const accounts = [...new Set(action.calls.flatMap(call => [...call.accounts, call.program]))]
  return {
    ...action,
    calls: [
      { program: PROGRAMS.aggregator, accounts, height: 1 },
      ...action.calls.map(call => ({ ...call, height: call.height + 1 }))
    ]
  }
}

function orderKeys (actions: ActionShape[], options: ShapeOptions) {
  const mentioned = new Set([options.payer])
  for (const { calls } of actions) {
    for (const call of calls) {
      for (const account of call.accounts) mentioned.add(account)
      mentioned.add(call.program)
    }
  }
  if (options.version !== 1) mentioned.add(PROGRAMS.computeBudget)
  const called = new Set(actions.flatMap(({ calls }) => calls.map(({ program }) => program)))
  const isReadOnly = (key: string) => READ_ONLY.has(key) || called.has(key)
  const outer = new Set<string>(
    [options.payer, PROGRAMS.computeBudget, ...actions.map(action => action.calls[0]!.program)]
  )
  const loaded = (key: string) => options.version === 0 && options.via === 'aggregator' && !outer.has(key)
  const keys = [...mentioned]
  const writable = keys.filter(key => !isReadOnly(key))
  const readonly = keys.filter(isReadOnly)
  return {
    static: [...writable.filter(key => !loaded(key)), ...readonly.filter(key => !loaded(key))],
    readonlyStatic: readonly.filter(key => !loaded(key)).length,
    writable: writable.filter(loaded),
    readonly: readonly.filter(loaded)
  }
}

function writeLogs (action: ActionShape, failed: boolean): string[] {
  const [outer] = action.calls
  return [
    `Program ${outer!.program} invoke [1]`,
    `Program log: Instruction: ${action.name}`,
    ...action.calls.slice(1).flatMap(({ program, height }) => [
      `Program ${program} invoke [${height}]`, `Program ${program} success`
    ]),
    ...action.logs ?? [],
    `Program ${outer!.program} ${failed ? 'failed: custom program error: 0x1775' : 'success'}`
  ]
}

function writeJson (
  actions: ActionShape[], options: ShapeOptions, keys: ReturnType<typeof orderKeys>, all: string[], logs: string[]
): string {
  const index = new Map(all.map((key, at) => [key, at]))
  const write = ({ program, accounts }: Omit<Call, 'height'>, stackHeight: number | null, data = HOLE) =>
    ({ programIdIndex: index.get(program), accounts: accounts.map(key => index.get(key)), data, stackHeight })
  const inner = actions.map(({ calls }, at) => (
    { index: at + firstAction(options), instructions: calls.slice(1).map(call => write(call, call.height)) }
  )).filter(({ instructions }) => instructions.length > 0)
  const lookups = options.version === 0 && options.via === 'aggregator'
    ? [{
        accountKey: LOOKUP_TABLE,
        writableIndexes: keys.writable.map((_, at) => at),
        readonlyIndexes: keys.readonly.map((_, at) => keys.writable.length + at)
      }]
    : undefined
  const balances = all.map((_, at) => at === 0 ? 1_000_000_000 : 2_039_280)
  const isOne = options.version === 1
  const error = transactionError(options)
  const fee = options.unexecuted ? 0 : 5000
  // The order of the members matters: inner data, outer data and the signature are filled in as they come.
  return JSON.stringify({
    meta: {
      computeUnitsConsumed: options.unexecuted ? 0 : 50_000,
      err: error,
      fee,
      innerInstructions: options.innerUnknown || options.unexecuted ? null : inner,
      loadedAddresses: { writable: keys.writable, readonly: keys.readonly },
      logMessages: options.unexecuted ? null : logs,
      postBalances: balances.map((lamports, at) => at === 0 ? lamports - fee : lamports),
      postTokenBalances: [],
      preBalances: balances,
      preTokenBalances: [],
      rewards: [],
      status: error === null ? { Ok: null } : { Err: error }
    },
    transaction: {
      message: {
        accountKeys: keys.static,
        addressTableLookups: lookups,
        config: isOne ? COMPUTE_CONFIG : undefined,
        header: {
          numReadonlySignedAccounts: 0, numReadonlyUnsignedAccounts: keys.readonlyStatic, numRequiredSignatures: 1
        },
        instructions: [
          ...isOne ? [] : [write({ program: PROGRAMS.computeBudget, accounts: [] }, null, COMPUTE_LIMIT)],
          ...actions.map(({ calls }) => write(calls[0]!, null))
        ],
        recentBlockhash: BLOCKHASH
      },
      signatures: [HOLE]
    },
    version: options.version
  })
}
