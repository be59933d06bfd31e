import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { type TSchema, Type } from '@sinclair/typebox'

/** A schema whose members with a name of their own are references to them. */
function withReferences (value: unknown, isMember = false): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(item => withReferences(item, true))
  if (isMember && '$id' in value) return Type.Ref(String(value.$id))
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, withReferences(member, true)]))
}

/** Every schema with a name that is found in `value`. */
function named (value: unknown): TSchema[] {
  if (typeof value !== 'object' || value === null) return []
  const members = Object.values(value).flatMap(named)
  return '$id' in value && typeof value.$id === 'string' ? [...members, value as TSchema] : members
}

/** What the files of this folder export. */
async function exported (): Promise<unknown[]> {
  const files = readdirSync(fileURLToPath(new URL('.', import.meta.url)), { withFileTypes: true })
    .filter(entry => entry.isFile() && /(?<!\.d)\.[jt]s$/.test(entry.name) && !/^registry\./.test(entry.name))
    .map(({ name }) => name).sort()
  const modules = await Promise.all(files.map(async name =>
    await import(new URL(name, import.meta.url).href) as Record<string, unknown>))
  return modules.flatMap(module => Object.values(module))
}

/**
 * Schemas that responses refer to by name: the components of the document, and the files that `npm run schemas` writes.
 * Whatever a file of this folder exports with an `$id` is one, and so are its members that have one. Throws where two
 * share a name.
 */
export const SHARED_SCHEMAS: readonly TSchema[] = await (async () => {
  const found = new Map<string, TSchema>()
  for (const schema of (await exported()).flatMap(named)) {
    const name = schema.$id!
    const known = found.get(name)
    if (known !== undefined && JSON.stringify(known) !== JSON.stringify(schema)) {
      throw new Error(`two schemas are called ${name}`)
    }
    found.set(name, schema)
  }
  return [...found.values()].map(schema => withReferences(schema) as TSchema)
})()
