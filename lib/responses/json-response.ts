import { KindGuard, type Static, type TSchema } from '@sinclair/typebox'
import buildSerializer from 'fast-json-stringify'
import { eachInSlices } from '../async.js'
import { type CachedResponse, makeCachedResponse } from '../http/cached-response.js'
import { createTextBytes, type TextBytes } from '../text-bytes.js'

const JSON_TYPE = 'application/json; charset=utf-8'

/** JSON text of values of this schema: only its fields are written. */
export const serializer = <S extends TSchema>(schema: S): (value: Static<S>) => string => buildSerializer(schema)

type Writer<T> = (value: T, out: TextBytes) => Promise<void>

function slicedWriter<S extends TSchema> (schema: S): Writer<Static<S>> {
  // by the kind alone: the other guard takes a list for none whose items it does not know in every member
  if (KindGuard.IsArray(schema)) {
    const item = buildSerializer(schema.items)
    return async (value, out) => {
      let between = '['
      await eachInSlices(value as unknown[], one => {
        out.add(between + item(one))
        between = ','
      })
      out.add(between === '[' ? '[]' : ']')
    }
  }
  // one that may be null has another type
  if (!KindGuard.IsObject(schema) || (schema.type as unknown) !== 'object' || schema.additionalProperties !== false || !Object.values(schema.properties).some(member => KindGuard.IsArray(member))) {
    const serialize = buildSerializer(schema)
    return async (value, out) => out.add(serialize(value))
  }
  const { properties, required = [] } = schema
  const members = Object.entries(properties).map(([name, member]) => ({ name, isRequired: required.includes(name), write: slicedWriter(member) }))
    // the order of the other serializer
    .sort((a, b) => Number(b.isRequired) - Number(a.isRequired))
  return async (value, out) => {
    let between = '{'
    for (const { name, isRequired, write } of members) {
      const member = (value as Record<string, unknown>)[name]
      if (member === undefined) {
        if (isRequired) throw new Error(`"${name}" is required!`)
        continue
      }
      out.add(`${between}${JSON.stringify(name)}:`)
      await write(member, out)
      between = ','
    }
    out.add(between === '{' ? '{}' : '}')
  }
}

/**
 * As `serializer`, in bytes. A list, and the lists that are members of a record, are written item by item, with the event loop let go between where all
 * together would hold it too long. Throws an Error for a record that lacks a member it must have.
 */
export function slicedSerializer<S extends TSchema> (schema: S): (value: Static<S>) => Promise<Buffer> {
  const write = slicedWriter(schema)
  return async value => {
    const out = createTextBytes()
    await write(value, out)
    return out.bytes()
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
