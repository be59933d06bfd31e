import { type Static, type TString, Type } from '@sinclair/typebox'

/** Primitives of the public contract, each once. Amounts are decimal text: a JSON number can't hold a u64. */

export const AddressSchema = Type.String({
  pattern: '^[1-9A-HJ-NP-Za-km-z]{32,44}$',
  description: 'Base58 address of an account. Case matters.',
  examples: ['EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v']
})

/** A DAO of examples, which is the pool of its ticker. */
export const DAO_EXAMPLE = '7XJKe3jUYJ9ZxkXyFQzzJmnhfhZSHSxmDHVjvPqk7Kqd'

/** Plain decimal text, never an exponent. */
export const decimalSchema = (description: string, example: string): TString =>
  Type.String({ pattern: '^\\d+(\\.\\d+)?$', description, examples: [example] })

export const ErrorSchema = Type.Object({
  error: Type.String({ description: 'What went wrong, for people to read.', examples: ['Token mint not found'] })
}, {
  $id: 'Error',
  description: 'The body of every answer that is no success.',
  additionalProperties: false,
  examples: [{ error: 'Token mint not found' }]
})
export type ErrorBody = Static<typeof ErrorSchema>
