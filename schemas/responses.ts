import { type Static, type TSchema, type TUnsafe, Type } from '@sinclair/typebox'
import { AggregateSchema, DailyVolumeSchema, TokenVolumeSchema } from './aggregate.js'
import { type ErrorBody, ErrorSchema } from './common.js'
import { DaoReportSchema, DaosSchema } from './daos.js'
import { type HeaderName, headers, NO_STORE } from './headers.js'
import { HealthSchema } from './health.js'
import { ReadySchema } from './ready.js'
import { RootSchema } from './root.js'
import { SupplyAnswerSchema, SupplySchema } from './supply.js'
import { TickerSchema, TickersSchema } from './ticker.js'

/** The answers of the contract, for the route schemas: what an endpoint gives, and what may go wrong. */

/** A schema whose members with a name of their own are references to them. */
function withReferences (value: unknown, isMember = false): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(item => withReferences(item, true))
  if (isMember && '$id' in value) return Type.Ref(String(value.$id))
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, withReferences(member, true)]))
}

/** Schemas that answers refer to by name: the components of the document, and the files that `npm run schemas` writes. */
export const SHARED_SCHEMAS = [
  ErrorSchema, TickerSchema, TickersSchema, SupplySchema, SupplyAnswerSchema, DailyVolumeSchema, TokenVolumeSchema, AggregateSchema,
  DaoReportSchema, DaosSchema, HealthSchema, ReadySchema, RootSchema
].map(schema => withReferences(schema) as TSchema)

/** A reference to a shared schema, of its type. */
export const shared = <T extends TSchema>(schema: T): TUnsafe<Static<T>> => Type.Unsafe<Static<T>>(Type.Ref(schema.$id!))

/** A JSON answer with its headers. */
export const json = <T extends TSchema>(schema: T, description: string, names: readonly HeaderName[] = []) => ({
  description,
  headers: headers(names),
  content: { 'application/json': { schema: shared(schema) } }
})

/** A plain-text answer that is one number. */
export const plainNumber = (description: string, example: string, names: readonly HeaderName[] = []) => ({
  description,
  headers: headers(names),
  content: { 'text/plain': { schema: Type.String({ pattern: '^\\d+(\\.\\d+)?$' }), example } }
})

/** The answer without a body to a client that has these bytes. */
export const notModified = (names: readonly HeaderName[]) =>
  Type.Null({ description: 'If-None-Match names the bytes that would be sent.', headers: headers(names) })

function failure (description: string, messages: string | Record<string, string>, names: readonly HeaderName[] = []) {
  const body = (error: string): { value: ErrorBody } => ({ value: { error } })
  const examples = typeof messages === 'string' ? { message: body(messages) } : Object.fromEntries(Object.entries(messages).map(([name, text]) => [name, body(text)]))
  return { description, headers: headers([...NO_STORE, ...names]), content: { 'application/json': { schema: shared(ErrorSchema), examples } } }
}

const UNAVAILABLE = 'Service temporarily unavailable. Please try again in a few moments.'
const UNEXPECTED = 'Internal server error'

/** What every endpoint may answer besides its own. */
export const COMMON_FAILURES = {
  429: failure('More requests from one address in a clock minute, over all paths, than it has.', 'Rate limit exceeded. Please try again later.', ['Retry-After']),
  500: failure('An unexpected error.', UNEXPECTED),
  503: failure('Overloaded or shutting down.', UNAVAILABLE, ['Retry-After'])
}
/** What an endpoint may answer that reads the chain. */
export const CHAIN_FAILURES = {
  ...COMMON_FAILURES,
  500: failure('The node answered with what can\'t be used, or an unexpected error.', { chain: 'Failed to fetch DAO data from blockchain', unexpected: UNEXPECTED }),
  502: failure('No node could be reached.', 'Upstream RPC service unavailable'),
  503: failure('Warming up, the history behind the chain, overloaded or shutting down.', UNAVAILABLE, ['Retry-After'])
}
export const badRequest = (message: string) => failure('The parameter is malformed.', message)
export const notFound = (description: string, message: string) => failure(description, message)
