import { type Static, type TArray, type TObject, type TProperties, type TSchema, Type } from '@sinclair/typebox'

/** Primitives of the public contract, each once. Amounts are decimal text: a JSON number can't hold a u64. */

/** A DAO of examples, which is the pool of its ticker; the mints of its tokens, and accounts of others. */
export const DAO_EXAMPLE = '7XJKe3jUYJ9ZxkXyFQzzJmnhfhZSHSxmDHVjvPqk7Kqd'
export const MINT_EXAMPLE = 'METAwkXcqyXKy1AtsSgJ8JiUHwGCafnZL38n3vYmeta'
export const QUOTE_EXAMPLE = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'
export const VAULT_EXAMPLE = '6VsC8PuKkXm5xo54c2vbrAaSfQipkpGHqNuKTxXFySx6'
export const ACCOUNT_EXAMPLE = 'DizCvM3dwAGsenh58gCU4bE7J7wn23YUF7RRKVeXRERd'
const TIME_EXAMPLE = '2026-01-31T12:00:00.000Z'
/** The pattern of an address: base58 of 32 bytes. */
export const KEY = '[1-9A-HJ-NP-Za-km-z]{32,44}'
/** Unix second of an example. */
export const SECOND_EXAMPLE = 1769860800

/** What each kind of value says of itself; '': nothing. */
const said = (description: string, example: unknown) =>
  ({ ...description !== '' && { description }, ...example !== undefined && { examples: [example] } })

export const text = (description: string, example?: string) => Type.String(said(description, example))
/** A text that is never empty. */
export const shown = (description: string, example: string) =>
  Type.String({ minLength: 1, ...said(description, example) })
/** An integer that is not negative. */
export const integer = (description: string, example?: number) =>
  Type.Integer({ minimum: 0, ...said(description, example) })
/** A number, whole or not, that is not negative. */
export const number = (description: string, example: number) =>
  Type.Number({ minimum: 0, ...said(description, example) })
export const boolean = (description: string, example = true) => Type.Boolean(said(description, example))
export const address = (description: string, example: string = QUOTE_EXAMPLE) =>
  Type.String({ pattern: `^${KEY}$`, ...said(description, example) })
/** Plain decimal text, never an exponent. */
export const decimal = (description: string, example: string) =>
  Type.String({ pattern: '^\\d+(\\.\\d+)?$', ...said(description, example) })
/** Raw units, or a number of an event: a u64 as text. */
export const digits = (description: string, example: string) =>
  Type.String({ pattern: '^\\d+$', ...said(description, example) })
export const time = (description: string, example = TIME_EXAMPLE) =>
  Type.String({ format: 'date-time', ...said(description, example) })
export const date = (description: string, example = '2026-01-31') =>
  Type.String({ format: 'date', ...said(description, example) })
export const slot = (description: string, example = 400000000) => integer(description, example)
export const decimals = (description: string) =>
  Type.Integer({ minimum: 0, maximum: 255, ...said(description, 6) })

export const eventIndex = (example: number) => integer(
  'Place of the event in its transaction: outer instruction × 65,536 + place among its inner ones.', example
)

/** A token's text in lists, where a longer one counts as none (`listedText`). */
const listed = (kind: string, most: number) => (which: string, example: string, more = '') => text(
  `${kind} of the ${which}, as its creator wrote it; empty where it has no metadata or more than ${most} ` +
    `characters${more}.`, example
)
export const symbol = listed('Symbol', 32)
export const name = listed('Name', 64)

/** What a token is called where that must not be empty. */
export const NAMED = {
  name: shown('Name; where the token has none, its symbol, else its address.', 'Meta'),
  symbol: shown('Symbol; where the token has none, the first eight characters of its address.', 'META')
}

/** One of a few words. */
export const oneOf = <const W extends string>(words: readonly W[], description: string, example: W = words[0]!) =>
  Type.Unsafe<W>({ type: 'string', enum: words, ...said(description, example) })

/** The same, or null. */
export const nullable = <S extends TSchema>(schema: S, examples: unknown = schema.examples) =>
  Type.Unsafe<Static<S> | null>({
    ...schema,
    type: [schema.type, 'null'],
    ...schema.enum !== undefined && { enum: [...schema.enum, null] },
    ...examples !== undefined && { examples }
  })
/** A record with a name, or null; also where version 1.0 has said it so. */
export const orNull = <S extends TSchema>(schema: S, description: string) =>
  Type.Unsafe<Static<S> | null>({ anyOf: [schema, Type.Null()], description })

/** The example of a schema: its own, or what those of its parts make; undefined where one of them has none. */
export function exampleOf (schema: TSchema): unknown {
  if (Array.isArray(schema.examples)) return schema.examples[0]
  if (schema.const !== undefined) return schema.const
  if (schema.type === 'null') return null
  if (schema.type === 'array') return [exampleOf(schema.items as TSchema)].filter(item => item !== undefined)
  if (schema.anyOf !== undefined) return exampleOf(schema.anyOf[0] as TSchema)
  return schema.properties === undefined ? undefined : exampleOfAll(schema.properties as TProperties)
}
const exampleOfAll = (properties: TProperties): Record<string, unknown> =>
  Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, exampleOf(schema)]))

type Named<S extends TSchema> = S & { title: string, examples: [Static<S>] }
type Examples<P extends TProperties> = Partial<Static<TObject<P>>>

/** An object with these fields and no others. Its example is made of theirs, but for what `example` says. */
export const object = <P extends TProperties>(properties: P, description = '', example: Examples<P> = {}) =>
  Type.Object(properties, {
    ...said(description, { ...exampleOfAll(properties), ...example }), additionalProperties: false
  })

/** The same with a title, by which it is a component of the document. */
export const record = <P extends TProperties>(
  title: string, description: string, properties: P, example: Examples<P> = {}
): Named<TObject<P>> => ({ title, ...object(properties, description, example) }) as never

/** A list of records with one of them as its example. */
export const list = <S extends TSchema & { examples: [unknown] }>(
  title: string, description: string, item: S
): Named<TArray<S>> => Type.Array(item, { title, description, examples: [item.examples] }) as never

export const ErrorSchema = record('Error', 'The body of every answer that is no success.', {
  error: text('What went wrong, for people to read.', 'Token mint not found')
})
export type ErrorBody = Static<typeof ErrorSchema>
