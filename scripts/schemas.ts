import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { schemaFiles } from './schema-files.js'

/** `npm run schemas [-- --out FOLDER]`: writes each JSON Schema of the answers into a folder. */

const { values: { out } } = parseArgs({ options: { out: { type: 'string', default: 'dist-schemas' } } })
const files = schemaFiles()
mkdirSync(out, { recursive: true })
for (const [name, schema] of files) writeFileSync(join(out, name), `${JSON.stringify(schema, null, 2)}\n`)
process.stdout.write(`${files.size} schemas written to ${out}\n`)
