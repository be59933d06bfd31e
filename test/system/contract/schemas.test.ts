import { readdirSync, readFileSync } from 'node:fs'
import { Ajv2020, type AnySchemaObject } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { test, type Test } from 'tap'
import { runScript } from '../../support/script-process.js'

async function exported (t: Test): Promise<Map<string, AnySchemaObject>> {
  const folder = t.testdir()
  t.match(await runScript('scripts/schemas.ts', ['--out', folder]), { code: 0 })
  return new Map(
    readdirSync(folder).map(name => [name, JSON.parse(readFileSync(`${folder}/${name}`, 'utf8')) as AnySchemaObject])
  )
}

test('npm run schemas writes a file for each answer, with a stable id, and references that resolve', async t => {
  const files = await exported(t)
  const known = [
    'aggregate-volume.json', 'daily-volume.json', 'dao-report.json', 'daos.json', 'error.json', 'health.json',
    'ready.json', 'root.json',
    'supply-answer.json', 'supply.json', 'ticker.json', 'tickers.json', 'token-volume.json'
  ]
  t.same(known.filter(name => !files.has(name)), [], 'the answers of the specification')
  const ajv = new Ajv2020({ allErrors: true })
  formats.default(ajv)
  for (const schema of files.values()) ajv.addSchema(schema)
  for (const [name, schema] of files) {
    t.equal(schema.$id, `dao-market-data/${name}`)
    t.equal(schema.$schema, 'https://json-schema.org/draft/2020-12/schema')
    const validate = ajv.getSchema(`dao-market-data/${name}`)!
    for (const example of schema.examples as unknown[]) {
      t.ok(validate(example), `the example of ${name}`, { errors: validate.errors })
    }
    t.notOk(validate(null), `${name} does not take everything`)
  }
  const validate = ajv.getSchema('dao-market-data/tickers.json')!
  const [[ticker]] = files.get('tickers.json')!.examples as [[Record<string, unknown>]]
  t.notOk(validate([{ ...ticker, bid: 1 }]), 'a reference leads to the ticker\'s own rules')
})
