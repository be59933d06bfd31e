import { basename } from 'node:path/posix'
import { describeContract } from './contract.js'

const DIALECT = 'https://json-schema.org/draft/2020-12/schema'
const NAMESPACE = 'dao-market-data'

/** `SupplyAnswer` is `supply-answer.json`. */
export const fileOf = (name: string): string =>
  `${name.replaceAll(/(?<=[a-z])[A-Z]/g, letter => `-${letter}`).toLowerCase()}.json`
/** Relative, so that it is the same wherever the files are put; references among the files resolve against it. */
export const idOf = (name: string): string => `${NAMESPACE}/${fileOf(name)}`

function withFileReferences (value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withFileReferences)
  if (typeof value !== 'object' || value === null) return value
  if ('$ref' in value) return { $ref: fileOf(basename(String(value.$ref))) }
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, withFileReferences(member)]))
}

/** The JSON Schemas of the answers by the names of their files, each by a stable id. */
export async function schemaFiles (): Promise<Map<string, object>> {
  const { components } = await describeContract() as { components: { schemas: Record<string, object> } }
  return new Map(Object.entries(components.schemas).map(([name, schema]) =>
    [fileOf(name), { $schema: DIALECT, $id: idOf(name), title: name, ...withFileReferences(schema) as object }]))
}
