import { Type, type Static, type TSchema } from '@sinclair/typebox'
import { TypeCompiler } from '@sinclair/typebox/compiler'

export const checkOf = <T extends TSchema>(schema: T): (value: unknown) => value is Static<T> => {
  const compiled = TypeCompiler.Compile(schema)
  return (value): value is Static<T> => compiled.Check(value)
}

/** A slot, an index or a time: an integer that a number holds exactly. */
export const Count = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })
// 64 and 32 bytes in base58: as many characters when all bytes are zero, more where not.
export const Signature = Type.String({ pattern: '^[1-9A-HJ-NP-Za-km-z]{64,88}$' })
const Hash = Type.String({ pattern: '^[1-9A-HJ-NP-Za-km-z]{32,44}$' })

/** undefined, which no JSON is, where it is none: the error of JSON.parse would quote it. */
export function parseJson (text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
export const isCount = checkOf(Count)
export const isHash = checkOf(Hash)
