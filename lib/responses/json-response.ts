import { type Static, type TSchema, TypeGuard } from '@sinclair/typebox'
import buildSerializer from 'fast-json-stringify'
import { inSlices } from '../async.js'
import { type CachedResponse, makeCachedResponse } from '../http/cached-response.js'

const JSON_TYPE = 'application/json; charset=utf-8'

/** JSON text of values of this schema: only its fields are written. */
export const serializer = <S extends TSchema>(schema: S): (value: Static<S>) => string => buildSerializer(schema)

/**
 * As `serializer`. A list, and the lists that are members of a record, are written item by item, with the event loop let go between where all together would
 * hold it too long. Throws an Error for a record that lacks a member it must have.
 */
export function slicedSerializer<S extends TSchema> (schema: S): (value: Static<S>) => Promise<string> {
  if (TypeGuard.IsArray(schema)) {
    const item = buildSerializer(schema.items)
    return async value => `[${(await inSlices(value as unknown[], item)).join(',')}]`
  }
  if (!TypeGuard.IsObject(schema) || schema.additionalProperties !== false || !Object.values(schema.properties).some(member => TypeGuard.IsArray(member))) {
    const serialize = buildSerializer(schema)
    return async value => serialize(value)
  }
  const { properties, required = [] } = schema
  const members = Object.entries(properties).map(([name, member]) => ({ name, isRequired: required.includes(name), text: slicedSerializer(member) }))
    // the order of the other serializer
    .sort((a, b) => Number(b.isRequired) - Number(a.isRequired))
  return async value => {
    const texts: string[] = []
    for (const { name, isRequired, text } of members) {
      const member = (value as Record<string, unknown>)[name]
      if (member !== undefined) texts.push(`${JSON.stringify(name)}:${await text(member)}`)
      else if (isRequired) throw new Error(`"${name}" is required!`)
    }
    return `{${texts.join(',')}}`
  }
}

/** Makes the bytes of values of this schema: JSON text by the schema, so that only its fields are sent. */
export function jsonResponse<S extends TSchema> (schema: S): (value: Static<S>, headers?: Record<string, string>) => Promise<CachedResponse<Static<S>>> {
  const serialize = slicedSerializer(schema)
  return async (value, headers) => await makeCachedResponse(JSON_TYPE, await serialize(value), headers)
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
