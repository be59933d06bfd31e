import { test } from 'tap'
import type { RawAccount } from '../../../lib/chain/types.js'
import { createProgramClient } from '../../../lib/protocol/client.js'
import { createFinalDaos } from '../../../lib/responses/sources.js'
import { createLedger } from '../../../simulator/ledger.js'
import { withLists } from '../../support/account-lists.js'
import { atMoment } from '../../support/age-time.js'

test('numbers are those of the accounts; what is not there, or another\'s, is left out, ' +
  'not taken for none', async t => {
  const ledger = createLedger({ seed: 5 })
  const usdc = ledger.usdc()
  const [first, second] = [1, 2].map(() => ledger.dao(
    { base: ledger.mint(), quote: usdc, baseReserves: 10n ** 12n, quoteReserves: 10n ** 11n }
  ).address) as [string, string]
  ledger.daos[0]!.swap('buy', 1_000n)
  const raw = (address: string, of = address): RawAccount =>
    ({ address, owner: ledger.account(of)!.owner, data: ledger.account(of)!.data })
  let shown: Record<string, RawAccount | null> = {}
  const reader = withLists({
    programAccounts: async () => { throw new Error('no list is asked for') },
    accounts: async addresses => atMoment(ledger.slot, addresses.map(address => shown[address]!), { time: ledger.time })
  })
  const program = createProgramClient(ledger.program)
  await program.load()
  const read = createFinalDaos(reader, program)
  const numbers = ledger.daos.map(({ address, seqNum }) => ({ address, seqNum: BigInt(seqNum) }))
  shown = { [first]: raw(first), [second]: raw(second) }
  t.same(await read([first, second]), { slot: ledger.slot, time: ledger.time, daos: numbers })
  shown[first] = null
  t.same((await read([first, second])).daos, [numbers[1]], 'not there')
  shown[first] = raw(first, second)
  t.same((await read([first, second])).daos, [numbers[1]], 'mixed up')
  shown[first] = { ...raw(first), data: Buffer.alloc(8) }
  await t.rejects(read([first, second]), { code: 'NODE_BAD_ANSWER' }, 'unreadable')
})
