import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { recordNode } from './recording.js'

/**
 * `npm run record -- --url URL --out test/fixtures/NAME [--factory PROGRAM] [--mints A,B] [--most N]`: stores a node's answers to everything
 * that the service asks. FACTORY_ADDRESS is taken from the environment where --factory is not given.
 */

const { values } = parseArgs({
  options: {
    url: { type: 'string' },
    out: { type: 'string' },
    factory: { type: 'string', default: process.env.FACTORY_ADDRESS ?? '' },
    mints: { type: 'string', default: '' },
    most: { type: 'string' }
  }
})
const { url, out, factory, mints, most } = values
if (url === undefined || out === undefined || factory === '') {
  process.stderr.write('usage: npm run record -- --url URL --out test/fixtures/NAME --factory PROGRAM [--mints A,B] [--most N]\n')
  process.exit(2)
}

const text = await recordNode({
  url,
  program: factory,
  mints: mints.split(',').filter(mint => mint !== ''),
  ...most !== undefined && { most: Number(most) },
  onStep: step => process.stdout.write(`${step}\n`)
})
mkdirSync(out, { recursive: true })
writeFileSync(join(out, 'recording.json'), text)
process.stdout.write(`${join(out, 'recording.json')}: ${Math.ceil(text.length / 1024)} kB\n`)
