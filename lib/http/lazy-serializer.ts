import buildSerializer from 'fast-json-stringify'

/** Of Fastify's route: what it asks a serializer for. */
interface Asked { schema: unknown }

/**
 * Serializers that are compiled with their first value: Fastify would compile one for every status of every route
 * before it listens, more than half of the start. `schemas`: what references lead to, by name. A value that its schema
 * can't write throws.
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
