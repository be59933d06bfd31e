import { Type } from '@sinclair/typebox'
import { ErrorSchema } from './common.js'

/** Answers that every endpoint may give besides its own, for the route schemas. */

const failure = (description: string) => ({ description, content: { 'application/json': { schema: Type.Unsafe<{ error: string }>(Type.Ref('Error')) } } })

export const COMMON_FAILURES = {
  429: failure('More than 60 requests from one address in a clock minute, over all paths.'),
  500: failure('The node answered with what can\'t be used, or an unexpected error.'),
  503: failure('Warming up, overloaded or shutting down.')
}
export const CHAIN_FAILURES = {
  ...COMMON_FAILURES,
  502: failure('No node could be reached.')
}
export const badRequest = (message: string) => failure(`\`${message}\``)
export const SHARED_SCHEMAS = [ErrorSchema]
