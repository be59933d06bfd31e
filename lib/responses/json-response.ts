import type { Static, TSchema } from '@sinclair/typebox'
import buildSerializer from 'fast-json-stringify'
import { type Exact, exactJson, type ExactValue } from '../exact-json.js'
import { type CachedResponse, makeCachedResponse } from '../http/cached-response.js'

export const JSON_TYPE = 'application/json; charset=utf-8'

/** JSON text of values of this schema: only its fields are written. */
export const serializer = <S extends TSchema>(schema: S): (value: Static<S>) => string => buildSerializer(schema)

/** Makes the bytes of values of this schema: only its fields are sent. */
export function jsonResponse<S extends TSchema> (schema: S) {
  const serialize = serializer(schema)
  return (value: Static<S>, headers?: Record<string, string>): CachedResponse<Static<S>> =>
    makeCachedResponse(JSON_TYPE, serialize(value), headers)
}

/** Makes bytes of values whose numbers keep every digit; the schema is for the compiler alone. */
export const exactResponse = <S extends TSchema>(_schema: S) =>
  (value: Exact<Static<S>>, headers?: Record<string, string>): CachedResponse<Static<S>> =>
    makeCachedResponse(JSON_TYPE, exactJson(value as ExactValue), headers)
