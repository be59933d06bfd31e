import { type Exact, exactJson, type ExactValue } from '../exact-json.js'
import { type CachedResponse, makeCachedResponse } from '../http/cached-response.js'

export const JSON_TYPE = 'application/json; charset=utf-8'

/** The bytes of a value; what it is, the compiler compares with the schema of the route that sends them. */
export const jsonResponse = <T>(value: T, headers?: Record<string, string>): CachedResponse<T> =>
  makeCachedResponse(JSON_TYPE, JSON.stringify(value), headers)

/** Those of a value whose numbers keep every digit. */
export const exactResponse = <T>(value: Exact<T>): CachedResponse<T> =>
  makeCachedResponse(JSON_TYPE, exactJson(value as ExactValue))
