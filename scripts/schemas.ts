import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readCommandLine } from './command-line.js'
import { schemaFiles } from './schema-files.js'

/** Writes each JSON Schema of the answers into a folder. */

const { values: { out } } = readCommandLine(
  'npm run schemas -- [--out dist-schemas]', { out: { type: 'string', default: 'dist-schemas' } }
)
const files = await schemaFiles()
mkdirSync(out, { recursive: true })
for (const [name, schema] of files) writeFileSync(join(out, name), `${JSON.stringify(schema, null, 2)}\n`)
process.stdout.write(`${files.size} schemas written to ${out}\n`)
