import { type Static, type TSchema, TypeGuard } from '@sinclair/typebox'
import buildSerializer from 'fast-json-stringify'
import { inSlices } from '../async.js'
import { type CachedResponse, makeCachedResponse } from '../http/cached-response.js'

const JSON_TYPE = 'application/json; charset=utf-8'

/** JSON text of values of this schema: only its fields are written. */
export const serializer = <S extends TSchema>(schema: S): (value: Static<S>) => string => buildSerializer(schema)

/** Makes the bytes of values of this schema: JSON text by the schema, so that only its fields are sent. A list is written item by item, so that a long one holds nobody up. */
export function jsonResponse<S extends TSchema> (schema: S): (value: Static<S>, headers?: Record<string, string>) => Promise<CachedResponse<Static<S>>> {
  if (TypeGuard.IsArray(schema)) {
    const item = buildSerializer(schema.items)
    return async (value, headers) => await makeCachedResponse(JSON_TYPE, `[${(await inSlices(value as unknown[], item)).join(',')}]`, headers)
  }
  const serialize = buildSerializer(schema)
  return (value, headers) => makeCachedResponse(JSON_TYPE, serialize(value), headers)
}

/** Makes bytes once for each value, however often they are sent; forgotten with the value. */
export function oncePerValue<V extends object, T> (make: (value: V) => Promise<CachedResponse<T>>): (value: V) => Promise<CachedResponse<T>> {
  const made = new WeakMap<V, Promise<CachedResponse<T>>>()
  return value => {
    const known = made.get(value) ?? make(value)
    made.set(value, known)
    return known
  }
}
