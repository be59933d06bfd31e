/** Checks a node's JSON of signatures and transactions: anything unexpected is undefined, never a guess. */
import { Type, type Static, type TSchema } from '@sinclair/typebox'
import { checkOf, Count, isRecord, Signature } from './checks.js'

const orNull = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()])
const Strings = Type.Array(Type.String())

const Row = Type.Object({
  signature: Signature,
  slot: Count,
  // Without it nobody knows whether the transaction failed, and guessing would lose or invent one.
  err: Type.Unknown(),
  blockTime: Type.Optional(orNull(Count)),
  transactionIndex: Type.Optional(orNull(Count))
})

/** `blockTime`: Unix seconds; null: the node has none. `transactionIndex`: in the block; null: before Agave 4.0. */
export type SignatureInfo = NonNullable<ReturnType<typeof readSignatureInfo>>

const Instruction = Type.Object({
  programIdIndex: Count,
  accounts: Type.Array(Count),
  /** Base58, in every encoding. */
  data: Type.String()
})

const HEAD = {
  slot: Count,
  blockTime: orNull(Count),
  transactionIndex: Type.Optional(orNull(Count))
}
const Signatures = Type.Array(Type.String(), { minItems: 1 })
// It may never have been executed (SIMD-0290), without logs or inner instructions: none are read.
const Failed = Type.Object(
  { ...HEAD, transaction: Type.Object({ signatures: Signatures }), meta: Type.Object({ err: Type.Unknown() }) }
)
const Transaction = Type.Object({
  ...HEAD,
  transaction: Type.Object({
    signatures: Signatures,
    message: Type.Object({ accountKeys: Strings, instructions: Type.Optional(Type.Array(Instruction)) })
  }),
  meta: Type.Object({
    err: Type.Unknown(),
    innerInstructions: orNull(Type.Array(Type.Object({ index: Count, instructions: Type.Array(Instruction) }))),
    loadedAddresses: Type.Optional(orNull(Type.Object({ writable: Strings, readonly: Strings })))
  })
})

/** The parts of a transaction's JSON (`getTransaction`, encoding json) that events are read from. */
export type RawTransaction = Static<typeof Transaction>

const isRow = checkOf(Row)
const isFailed = checkOf(Failed)
const isTransaction = checkOf(Transaction)

/** One row of getSignaturesForAddress; undefined where it is none. */
export function readSignatureInfo (row: unknown) {
  if (!isRow(row)) return undefined
  const { signature, slot, err, blockTime, transactionIndex = null } = row
  // 0 is how some say that they have none
  return { signature, slot, failed: err !== null, blockTime: blockTime || null, transactionIndex }
}

/** The result of getTransaction, not a copy; undefined where a part that events are read from is odd. */
export function readTransaction (value: unknown): RawTransaction | undefined {
  if (!isRecord(value) || !isRecord(value.meta)) return undefined
  // Nodes leave out what they have nothing to say about; the type says null.
  value.blockTime ??= null
  value.transactionIndex ??= null
  value.meta.innerInstructions ??= null
  const { meta: { err } } = value
  return isTransaction(value) || (err !== null && isFailed(value)) ? value as RawTransaction : undefined
}
