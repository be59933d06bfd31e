import { type Exact, exactJson, type ExactValue } from '../exact-json.js'
import { type CachedResponse, makeCachedResponse } from '../http/cached-response.js'

export const JSON_TYPE = 'application/json; charset=utf-8'

/** The bytes of a value, whose type the compiler compares with the schema of its route. */
export const jsonResponse = <T>(value: T, headers?: Record<string, string>): CachedResponse<T> =>
  makeCachedResponse(JSON_TYPE, JSON.stringify(value), headers)

/** Likewise, with numbers that keep every digit. */
export const exactResponse = <T>(value: Exact<T>): CachedResponse<T> =>
  makeCachedResponse(JSON_TYPE, exactJson(value as ExactValue))
