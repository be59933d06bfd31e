import { test } from 'tap'
import { createSetReader } from '../../../lib/live/account-sets.js'
import { createDaoFactsReader, type DaoFacts } from '../../../lib/live/dao-facts.js'
import { createProgramClient } from '../../../lib/protocol/client.js'
import { createLedger } from '../../../simulator/index.js'
import { withLists } from '../../support/account-lists.js'
import { atMoment } from '../../support/age-time.js'

const MOST_EACH = 15

test('DAOs of one base mint cost no more accounts each than others, ' +
  'and what is wrong with one is wrong with it alone', async t => {
  const ledger = createLedger({ seed: 5 })
  const base = ledger.mint()
  const daos = Array.from({ length: 80 }, () =>
    ledger.dao({ base, quote: ledger.usdc(), baseReserves: 1_000n, quoteReserves: 100_000n }))
  const [first, odd] = [daos[0]!, daos[7]!]
  const { owner, data } = ledger.account(first.positionAddress)!
  ledger.setAccount(odd.positionAddress, { owner, data })
  let read = 0
  const readSets = createSetReader(withLists({
    programAccounts: async () => { throw new Error('not asked') },
    accounts: async addresses => {
      read += addresses.length
      return atMoment(1, addresses.map(key => {
        const account = ledger.account(key)
        return account === null ? null : { address: key, owner: account.owner, data: account.data }
      }))
    }
  }))
  const { all } = createDaoFactsReader({
    readSets,
    client: createProgramClient(ledger.program),
    tokenAccounts: async () => undefined,
    mints: [],
    state: async () => ({
      discovered: daos.map(({ address, identity: { baseMint } }) =>
        ({ address, dao: { baseMint }, leftOut: undefined }))
    }) as never
  })
  const known = daos.map(({ address, identity: { baseMint, quoteMint, vault } }) =>
    ({ address, baseMint, quoteMint, vault }))
  const tokens = new Map(known.flatMap(({ baseMint, quoteMint }) => [baseMint, quoteMint]).map(mint =>
    [mint, { tokenProgram: ledger.account(mint)!.owner }]))
  // the pools of the mint are known to be needed from then on
  await all([], known, tokens)
  read = 0
  const facts = await all([], known, tokens)
  t.ok(read <= MOST_EACH * daos.length, `${read} accounts`)
  t.equal(facts.size, daos.length)
  t.match(facts.get(odd.address), { code: 'NODE_BAD_ANSWER', message: `${odd.address}: position: of another DAO` })
  for (const { address, reserves } of daos) {
    if (address === odd.address) continue
    const { internal, allocation, dao } = facts.get(address) as DaoFacts
    t.same([dao.address, internal], [address, reserves])
    t.same(allocation.map(({ kind, amount }) => [kind, amount]), daos.map(() => ['internal_pool', 1_000n]))
  }
})
