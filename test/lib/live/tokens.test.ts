import { test } from 'tap'
import type { AccountReader } from '../../../lib/chain/types.js'
import { createTokenReader } from '../../../lib/live/tokens.js'
import { createLedger } from '../../../simulator/ledger.js'

test('what was a mint stays one while a node gives something else; what never was is null', async t => {
  const ledger = createLedger({ seed: 5 })
  const { address } = ledger.mint({ decimals: 3, symbol: 'ABC' })
  const clock = { time: 0 }
  let owner: string | undefined = 'SomebodyE1se'
  const reader: AccountReader = {
    programAccounts: async () => { throw new Error('not asked') },
    accounts: async addresses => ({
      slot: 1,
      value: addresses.map(key => {
        const account = ledger.account(key)
        return account === null ? null : { address: key, owner: owner ?? account.owner, data: Buffer.from(account.data) }
      })
    })
  }
  const tokens = createTokenReader({ reader, ttl: 100, now: () => clock.time })
  const read = async () => (await tokens.read([address], 1)).get(address)
  t.equal(await read(), null)
  clock.time = 100
  owner = undefined
  t.match(await read(), { decimals: 3, symbol: 'ABC' })
  for (const later of [200, 300, 400]) {
    clock.time = later
    owner = 'SomebodyE1se'
    t.match(await read(), { decimals: 3 }, `read again at ${later}`)
  }
})
