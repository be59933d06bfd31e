import buildSerializer from 'fast-json-stringify'

/** Of Fastify's route: what it asks a serializer for. */
interface Asked { schema: unknown }

/**
 * Gives serializers that are compiled with their first value. Most responses are bytes made once a refresh, and Fastify
 * would compile a serializer for every status of every route before it listens: more than half of the start. `schemas`:
 * what references lead to, by name; read at the first value. A value that its schema can't write throws where it is
 * written.
 */
export function lazySerializers (schemas: () => Record<string, unknown>): (asked: Asked) => (value: unknown) => string {
  return ({ schema }) => {
    let serialize: ((value: unknown) => string) | undefined
    return value => {
      serialize ??= buildSerializer(schema as Parameters<typeof buildSerializer>[0], { schema: schemas() as never })
      return serialize(value)
    }
  }
}
