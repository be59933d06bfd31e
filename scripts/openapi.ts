import { writeFileSync } from 'node:fs'
import { readCommandLine } from './command-line.js'
import { contractFiles } from './contract.js'

/** Writes the contract that clients are generated from, and that the service serves. */

readCommandLine('npm run openapi: writes openapi.json and openapi.yaml', {})
for (const [name, text] of Object.entries(await contractFiles())) {
  writeFileSync(new URL(`../${name}`, import.meta.url), text)
}
