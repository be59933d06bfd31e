import Fastify from 'fastify'
import { test } from 'tap'
import { SettingsError } from '../../../lib/settings.js'
import config from '../../../plugins/config.js'
import { SettingsSchema } from '../../../schemas/settings.js'
import fc from '../../support/property.js'

/** Random settings: each is taken, or refused with a sentence that names it and does not repeat its value. */

const RUNS = Number(process.env.FUZZ_RUNS ?? 150)
const PROGRAM = 'FUTARELBfJfQ8RDGhg1wdhddq1odMAJUePHFuBYfUxKq'
const BASE = { FACTORY_ADDRESS: PROGRAM, ROUTER_ADDRESS: PROGRAM }
const names = Object.keys(SettingsSchema.properties)

const value = fc.oneof(
  fc.string(),
  fc.string({ unit: 'binary' }),
  fc.integer().map(String),
  fc.double().map(String),
  fc.constantFrom(
    '0',
    '-1',
    '1e3',
    '0x10',
    '٣',
    'NaN',
    'Infinity',
    ' ',
    '0.5',
    '.5',
    '5.',
    'true',
    'null',
    '::/0',
    '0.0.0.0/33',
    'http://',
    'postgres://',
    `${PROGRAM},${PROGRAM}`,
    `${PROGRAM}:${PROGRAM}`,
    ',,,'
  )
)

test('random settings are taken or refused by name, without their values, and never crash', async t => {
  let [taken, refused] = [0, 0]
  await fc.assert(fc.asyncProperty(fc.dictionary(
    fc.constantFrom(...names), value, { minKeys: 1, maxKeys: 4 }
  ), async entries => {
    const app = Fastify()
    try {
      await app.register(config, { env: { ...BASE, ...entries } })
      await app.ready()
      taken++
      if (app.config.rateLimitMax < 1 || app.config.feeRate.n <= 0n ||
        app.config.nodeUrls.length === 0) throw new Error('a setting out of its bounds')
    } catch (error) {
      if (!(error instanceof SettingsError)) throw error
      refused++
      for (const problem of error.problems) {
        if (!names.some(name => problem.startsWith(name))) throw new Error(`no setting is named: ${problem}`)
        for (const text of Object.values(entries)) {
          if (text.length > 8 && problem.includes(text)) throw new Error(`a value is repeated: ${problem}`)
        }
      }
    } finally {
      await app.close()
    }
  }), { numRuns: RUNS })
  t.ok(taken > 0 && refused > 0, `${taken} taken, ${refused} refused`)
})
