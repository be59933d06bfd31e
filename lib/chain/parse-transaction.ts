/** Reads rows of history out of a node's unchecked JSON: anything unexpected is undefined, never a guess. */
import { isRecord } from './rpc.js'
import type { RawTransaction, SignatureInfo } from './types.js'

// 64 bytes in base58: 64 characters when all bytes are zero, 88 at most.
const SIGNATURE = /^[1-9A-HJ-NP-Za-km-z]{64,88}$/

/** A slot, an index or a time: an integer that a number holds exactly. */
export const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0

export const isSignature = (value: unknown): value is string => typeof value === 'string' && SIGNATURE.test(value)

const isStrings = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every(item => typeof item === 'string')

/** One row of getSignaturesForAddress; undefined where it is none. */
export function readSignatureInfo (row: unknown): SignatureInfo | undefined {
  if (!isRecord(row) || !isSignature(row.signature)) return undefined
  const { signature, slot, err, blockTime = null, transactionIndex = null } = row
  // A row without `err` doesn't say whether the transaction failed, and guessing would lose or invent one.
  if (!isCount(slot) || err === undefined || (blockTime !== null && !isCount(blockTime))) return undefined
  if (transactionIndex !== null && !isCount(transactionIndex)) return undefined
  return { signature, slot, failed: err !== null, blockTime, transactionIndex }
}

/**
 * The result of getTransaction, itself and not a copy; undefined where a part that events are read from is missing or
 * odd. Of one that failed nothing is read: it may never have been executed (SIMD-0290), and then has neither logs nor
 * inner instructions.
 */
export function readTransaction (value: unknown): RawTransaction | undefined {
  if (!isRecord(value) || !isCount(value.slot)) return undefined
  const { transaction, meta } = value
  if (!isRecord(transaction) || !isRecord(transaction.message) || !isRecord(meta)) return undefined
  // Nodes leave out what they have nothing to say about; the type says null.
  value.blockTime ??= null
  meta.innerInstructions ??= null
  value.transactionIndex ??= null
  const known =
    (value.blockTime === null || isCount(value.blockTime)) &&
    (value.transactionIndex === null || isCount(value.transactionIndex)) &&
    isStrings(transaction.signatures) && transaction.signatures.length > 0 &&
    meta.err !== undefined && (meta.err !== null || hasInstructions(transaction.message, meta))
  return known ? value as unknown as RawTransaction : undefined
}

const hasInstructions = (
  { accountKeys, instructions }: Record<string, unknown>, meta: Record<string, unknown>
): boolean =>
  isStrings(accountKeys) &&
  (instructions === undefined || (Array.isArray(instructions) && instructions.every(isInstruction))) &&
  (meta.innerInstructions === null ||
    (Array.isArray(meta.innerInstructions) && meta.innerInstructions.every(isInner))) &&
  (meta.loadedAddresses == null || isLoaded(meta.loadedAddresses))

const isLoaded = (value: unknown): boolean => isRecord(value) && isStrings(value.writable) && isStrings(value.readonly)

const isInner = (value: unknown): boolean =>
  isRecord(value) && isCount(value.index) && Array.isArray(value.instructions) &&
    value.instructions.every(isInstruction)

const isInstruction = (value: unknown): boolean =>
  isRecord(value) && isCount(value.programIdIndex) && typeof value.data === 'string' &&
    (value.stackHeight == null || isCount(value.stackHeight)) &&
  Array.isArray(value.accounts) && value.accounts.every(isCount)
