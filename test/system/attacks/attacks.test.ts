import { readFileSync } from 'node:fs'
import { test } from 'tap'
import { ATTACKS } from '../../../scripts/attacks/attacks.js'
import { openStage } from '../../../scripts/attacks/stage.js'

/** What must not move, and what the attack is worth. */
const AFTER: Record<string, Record<string, unknown>> = {
  'ten-cent-pool': { first: 'ALPHA 400099.50 USD', total: '100.00', rich: '0.00' },
  dust: { first: 'ALPHA 400099.50 USD', total: '199.00', dust: '99.00' },
  'fake-dollar': { first: 'ALPHA 400099.50 USD', total: '100.00', last: 'FAKED', unpriced: 1 },
  'nobodys-tokens': { first: 'ALPHA 400099.50 USD', total: '100.00', listed: 62 },
  'same-pair': { first: 'ALPHA 400099.50 USD', total: '100.00', pools: ['400099.50', '0.00'] },
  'treasury-fake-dollar': {
    first: 'ALPHA 400099.50 USD', total: '100.00', dollars: '0', nav: '200049.75', perToken: '0.000200450551403'
  },
  'treasury-gift': {
    first: 'ALPHA 400099.50 USD', total: '100.00', dollars: '500', nav: '200549.75', perToken: '0.000200951553158'
  },
  'supply-of-no-launch': { protocolAmmLiquidity: '1999502.623723' },
  multisig: { status: 404, body: { error: 'Token mint not found' } }
}

for (const [name, { run, show }] of Object.entries(ATTACKS)) {
  test(`attack: ${name}`, async t => {
    const stage = await openStage()
    t.teardown(() => stage.close())
    await run(stage)
    t.same(await show(await stage.look(), stage), AFTER[name])
  })
}

test('every attack stands on the page of security', async t => {
  const page = readFileSync(new URL('../../../docs/security.md', import.meta.url), 'utf8')
  for (const name of Object.keys(ATTACKS)) t.ok(page.includes(`\`${name}\``), name)
})
