import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { readRecording, type Recording } from '../../../scripts/recording/recording.js'
import { recordNode } from '../../../scripts/recording.js'
import { createLedger, startNode } from '../../../simulator/index.js'
import { buildMarket } from '../../../simulator/market.js'

/**
 * The committed recording of the simulated chain: ten DAOs of all kinds, two of them launched, and sixty swaps in two
 * days.
 */

const FOLDER = new URL('../../fixtures/simulated/', import.meta.url)
const FILE = new URL('recording.json', FOLDER)

/** Set, the fixtures are written anew instead of compared: look at the difference before committing it. */
export const UPDATE = process.env.UPDATE_FIXTURES === '1'
export const HOW =
  'if that is meant, run `UPDATE_FIXTURES=1 npx tap --disable-coverage test/system/contract/replay.test.ts` and ' +
    'commit what it changes'

/** An address that holds no mint: wrapped SOL, which this chain has not. */
export const NO_MINT = 'So11111111111111111111111111111111111111112'

/** Records the simulated chain; the same text each time. */
export async function recordSimulated (): Promise<string> {
  const ledger = createLedger()
  buildMarket(ledger, { daos: 10, swaps: 60, days: 2 })
  // the ledger stands still: what is confirmed would never be final
  const node = await startNode(ledger, { finalityLag: 0 })
  try {
    return await recordNode({ url: node.url, program: ledger.program, mints: [NO_MINT], now: () => ledger.time * 1000 })
  } finally {
    await node.close()
  }
}

export async function simulated (): Promise<Recording> {
  if (UPDATE) {
    mkdirSync(FOLDER, { recursive: true })
    writeFileSync(FILE, await recordSimulated())
  }
  return readRecording(readFileSync(FILE, 'utf8'))
}

/** What an endpoint is expected to answer; written where UPDATE is set. */
export function expected (name: string, found: string): string {
  const file = new URL(`expected/${name}.http`, FOLDER)
  if (UPDATE) {
    mkdirSync(new URL('expected/', FOLDER), { recursive: true })
    writeFileSync(file, found)
  }
  return readFileSync(file, 'utf8')
}
