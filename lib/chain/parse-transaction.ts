/** Reads rows of history out of a node's unchecked JSON: anything unexpected is undefined, never a guess. */
import { isRecord } from './rpc.js'
import type { RawTransaction, SignatureInfo } from './types.js'

// 64 and 32 bytes in base58: as many characters when all bytes are zero, more where not.
const SIGNATURE = /^[1-9A-HJ-NP-Za-km-z]{64,88}$/
const HASH = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/

/** A slot, an index or a time: an integer that a number holds exactly. */
export const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0
export const isSignature = (value: unknown): value is string => typeof value === 'string' && SIGNATURE.test(value)
export const isHash = (value: unknown): value is string => typeof value === 'string' && HASH.test(value)

const isListOf = (value: unknown, is: (item: unknown) => boolean): boolean => Array.isArray(value) && value.every(is)
const isStrings = (value: unknown): boolean => isListOf(value, item => typeof item === 'string')

/** One row of getSignaturesForAddress; undefined where it is none. */
export function readSignatureInfo (row: unknown): SignatureInfo | undefined {
  if (!isRecord(row)) return undefined
  const { signature, slot, err, blockTime = null, transactionIndex = null } = row
  // A row without `err` doesn't say whether the transaction failed, and guessing would lose or invent one.
  if (!isSignature(signature) || !isCount(slot) || err === undefined) return undefined
  if ((blockTime !== null && !isCount(blockTime)) || (transactionIndex !== null && !isCount(transactionIndex))) {
    return undefined
  }
  return { signature, slot, failed: err !== null, blockTime, transactionIndex }
}

/**
 * The result of getTransaction, itself and not a copy; undefined where a part that events are read from is missing or
 * odd. One that failed may never have been executed (SIMD-0290), without logs or inner instructions: none are read.
 */
export function readTransaction (value: unknown): RawTransaction | undefined {
  if (!isRecord(value) || !isCount(value.slot)) return undefined
  const { transaction, meta } = value
  if (!isRecord(transaction) || !isRecord(transaction.message) || !isRecord(meta)) return undefined
  // Nodes leave out what they have nothing to say about; the type says null.
  const blockTime = value.blockTime ??= null
  const index = value.transactionIndex ??= null
  meta.innerInstructions ??= null
  const known = (blockTime === null || isCount(blockTime)) && (index === null || isCount(index)) &&
    isStrings(transaction.signatures) && (transaction.signatures as string[]).length > 0 &&
    meta.err !== undefined && (meta.err !== null || hasInstructions(transaction.message, meta))
  return known ? value as unknown as RawTransaction : undefined
}

const hasInstructions = (
  { accountKeys, instructions = [] }: Record<string, unknown>,
  { innerInstructions, loadedAddresses: loaded }: Record<string, unknown>
): boolean =>
  isStrings(accountKeys) && isListOf(instructions, isInstruction) &&
  (innerInstructions === null || isListOf(innerInstructions, isInner)) &&
  (loaded == null || (isRecord(loaded) && isStrings(loaded.writable) && isStrings(loaded.readonly)))

const isInner = (value: unknown): boolean =>
  isRecord(value) && isCount(value.index) && isListOf(value.instructions, isInstruction)

const isInstruction = (value: unknown): boolean =>
  isRecord(value) && isCount(value.programIdIndex) && typeof value.data === 'string' &&
  (value.stackHeight == null || isCount(value.stackHeight)) && isListOf(value.accounts, isCount)
