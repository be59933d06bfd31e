import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { httpUrl, readCommandLine, refuse, runScript, texts, wholeNumber } from './command-line.js'
import { recordNode } from './recording.js'

/** Stores a node's answers to everything that the service asks. `--factory` is FACTORY_ADDRESS of the environment. */

const USAGE = 'usage: npm run record -- --url URL --out test/fixtures/NAME --factory PROGRAM [--mints A,B] [--most N]'
/** Most transactions that may be asked for. */
const MOST = 10_000_000

const { values } = readCommandLine(USAGE, texts('url', 'out', 'factory', 'mints', 'most'))
const { url, out, factory = process.env.FACTORY_ADDRESS ?? '', mints = '', most } = values

await runScript(async signal => {
  if (url === undefined || out === undefined || factory === '') return refuse(USAGE)
  const text = await recordNode({
    url: httpUrl('url', url).href,
    program: factory,
    signal,
    mints: mints.split(',').filter(mint => mint !== ''),
    ...most !== undefined && { most: wholeNumber('most', most, 1, MOST) },
    onStep: step => process.stdout.write(`${step}\n`)
  })
  mkdirSync(out, { recursive: true })
  writeFileSync(join(out, 'recording.json'), text)
  process.stdout.write(`${join(out, 'recording.json')}: ${Math.ceil(text.length / 1024)} kB\n`)
}, { interrupted: 'nothing is written.' })
