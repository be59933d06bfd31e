import type { Static, TSchema } from '@sinclair/typebox'
import { type Exact, exactJsonInSlices, type ExactValue } from '../exact-json.js'
import { type CachedResponse, makeCachedResponse } from '../http/cached-response.js'

const JSON_TYPE = 'application/json; charset=utf-8'

/**
 * Makes the bytes of values of this schema, whose numbers keep every digit. `_schema` is for the compiler: what is
 * written is what is given.
 */
export function exactResponse<S extends TSchema> (
  _schema: S
): (value: Exact<Static<S>>) => Promise<CachedResponse<Static<S>>> {
  return async value => await makeCachedResponse(JSON_TYPE, await exactJsonInSlices(value as ExactValue))
}
