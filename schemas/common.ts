import {
  type Static, type TArray, type TObject, type TProperties, type TSchema, type TString, Type
} from '@sinclair/typebox'

/** Primitives of the public contract, each once. Amounts are decimal text: a JSON number can't hold a u64. */

export const AddressSchema = Type.String({
  pattern: '^[1-9A-HJ-NP-Za-km-z]{32,44}$',
  description: 'Base58 address of an account. Case matters.',
  examples: ['EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v']
})

export const addressSchema = (description: string, example: string = AddressSchema.examples[0]!): TString =>
  Type.String({ ...AddressSchema, description, examples: [example] })

/** A DAO of examples, which is the pool of its ticker; the mint of its token, and accounts of others. */
export const DAO_EXAMPLE = '7XJKe3jUYJ9ZxkXyFQzzJmnhfhZSHSxmDHVjvPqk7Kqd'
export const MINT_EXAMPLE = 'METAwkXcqyXKy1AtsSgJ8JiUHwGCafnZL38n3vYmeta'
export const VAULT_EXAMPLE = '6VsC8PuKkXm5xo54c2vbrAaSfQipkpGHqNuKTxXFySx6'

/** Plain decimal text, never an exponent. */
export const decimalSchema = (description: string, example: string): TString =>
  Type.String({ pattern: '^\\d+(\\.\\d+)?$', description, examples: [example] })

/** The example of a schema: its own, or what those of its parts make; undefined where one of them has none. */
function exampleOf (schema: TSchema): unknown {
  if (Array.isArray(schema.examples)) return schema.examples[0]
  if (schema.const !== undefined) return schema.const
  if (schema.type === 'array') return [exampleOf(schema.items as TSchema)].filter(item => item !== undefined)
  if (schema.type !== 'object' || schema.properties === undefined) return undefined
  return exampleOfAll(schema.properties as TProperties)
}
const exampleOfAll = (properties: TProperties): Record<string, unknown> =>
  Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, exampleOf(schema)]))

type Named<S extends TSchema> = S & { $id: string, examples: [Static<S>] }

/** An object with these fields and no others. Its example is made of theirs, but for what `example` says. */
export function record<P extends TProperties> (
  id: string, description: string, properties: P, example: Partial<Static<TObject<P>>> = {}
): Named<TObject<P>> {
  const examples = [{ ...exampleOfAll(properties), ...example }]
  return Type.Object(properties, { $id: id, description, additionalProperties: false, examples }) as never
}

/** A list of records with one of them as its example. */
export const list = <S extends TSchema & { examples: [unknown] }>(
  id: string, description: string, item: S
): Named<TArray<S>> => Type.Array(item, { $id: id, description, examples: [item.examples] }) as never

export const ErrorSchema = Type.Object({
  error: Type.String({ description: 'What went wrong, for people to read.', examples: ['Token mint not found'] })
}, {
  $id: 'Error',
  description: 'The body of every answer that is no success.',
  additionalProperties: false,
  examples: [{ error: 'Token mint not found' }]
})
export type ErrorBody = Static<typeof ErrorSchema>
