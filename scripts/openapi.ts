import { writeFileSync } from 'node:fs'
import { readCommandLine } from './command-line.js'
import { contractText } from './contract.js'

/** Writes openapi.json, the contract that clients are generated from. */

readCommandLine('npm run openapi: writes openapi.json', {})
writeFileSync(new URL('../openapi.json', import.meta.url), await contractText())
