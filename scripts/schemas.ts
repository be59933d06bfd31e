/** Writes each JSON Schema of the answers into a folder. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path/posix'
import { readCommandLine } from './command-line.js'
import { describeContract } from './contract.js'

const DIALECT = 'https://json-schema.org/draft/2020-12/schema'
/** Ids are relative, so that they are the same wherever the files are put; references among them resolve against it. */
const NAMESPACE = 'dao-market-data'

const { values: { out } } = readCommandLine(
  'npm run schemas -- [--out dist-schemas]', { out: { type: 'string', default: 'dist-schemas' } }
)

/** `SupplyAnswer` is `supply-answer.json`. */
const fileOf = (name: string): string =>
  `${name.replaceAll(/(?<=[a-z])[A-Z]/g, letter => `-${letter}`).toLowerCase()}.json`

function withFileReferences (value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withFileReferences)
  if (typeof value !== 'object' || value === null) return value
  if ('$ref' in value) return { $ref: fileOf(basename(String(value.$ref))) }
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, withFileReferences(member)]))
}

const { components: { schemas } } = await describeContract() as { components: { schemas: Record<string, object> } }
mkdirSync(out, { recursive: true })
for (const [title, schema] of Object.entries(schemas)) {
  const file = fileOf(title)
  const whole = { $schema: DIALECT, $id: `${NAMESPACE}/${file}`, title, ...withFileReferences(schema) as object }
  writeFileSync(join(out, file), `${JSON.stringify(whole, null, 2)}\n`)
}
process.stdout.write(`${Object.keys(schemas).length} schemas written to ${out}\n`)
