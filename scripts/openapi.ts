import { writeFileSync } from 'node:fs'
import { contractText } from './contract.js'

/** `npm run openapi`: writes openapi.json, the contract that clients are generated from. */

writeFileSync(new URL('../openapi.json', import.meta.url), await contractText())
