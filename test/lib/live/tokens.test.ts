import { test } from 'tap'
import { ServiceError } from '../../../lib/errors.js'
import { createTokenReader } from '../../../lib/live/tokens.js'
import { fromBase58 } from '../../../simulator/bytes.js'
import { createLedger } from '../../../simulator/ledger.js'
import { withLists } from '../../support/account-lists.js'
import { atMoment } from '../../support/age-time.js'

test('what was a mint stays one while a node gives something else; what never was is null', async t => {
  const ledger = createLedger({ seed: 5 })
  const { address } = ledger.mint({ decimals: 3, symbol: 'ABC' })
  const clock = { time: 0 }
  let owner: string | undefined = 'SomebodyE1se'
  const reader = withLists({
    programAccounts: async () => { throw new Error('not asked') },
    accounts: async addresses => atMoment(1, addresses.map(key => {
      const account = ledger.account(key)
      return account === null ? null : { address: key, owner: owner ?? account.owner, data: Buffer.from(account.data) }
    }))
  })
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

test('a key that was no mint is asked for again each time; a failed read throws', async t => {
  const ledger = createLedger({ seed: 5 })
  const mints = Array.from({ length: 120 }, (_, at) => ledger.mint({ symbol: `T${at}` }).address)
  const clock = { time: 0 }
  const asked: number[] = []
  let gives: 'half' | 'mints' | 'failure' = 'half'
  const reader = withLists({
    programAccounts: async () => { throw new Error('not asked') },
    accounts: async addresses => {
      asked.push(addresses.length)
      if (gives === 'failure') throw new ServiceError('NODE_UNAVAILABLE', 'the node is away')
      return atMoment(1, addresses.map(key => {
        const account = gives === 'half' && mints.indexOf(key) % 2 === 0 ? null : ledger.account(key)
        return account === null ? null : { address: key, owner: account.owner, data: Buffer.from(account.data) }
      }))
    }
  })
  const tokens = createTokenReader({ reader, ttl: 100_000, now: () => clock.time })
  /** How many are mints, and the calls made of it. */
  async function read (): Promise<[number, number[]]> {
    asked.length = 0
    return [[...(await tokens.read(mints, 1)).values()].filter(token => token !== null).length, [...asked]]
  }
  t.same(await read(), [60, [98, 98, 44]])
  t.same(await read(), [60, [98, 22]], 'those that are kept are not')
  gives = 'failure'
  await t.rejects(read(), { code: 'NODE_UNAVAILABLE' })
  gives = 'mints'
  t.same(await read(), [120, [98, 22]])
  t.same(await read(), [120, []])
  clock.time = 100_000
  gives = 'failure'
  await t.rejects(read(), { code: 'NODE_UNAVAILABLE' }, 'what is due is not left as it was')
})

test('what a mint points to is read only where metadata can be: ' +
  'anything else may be as large as accounts are', async t => {
  const ledger = createLedger({ seed: 5 })
  const [own, other] = ['OWN', 'OTHER'].map(
    symbol => ledger.mint({ symbol, program: 'token-2022', metadata: 'pointer' })
  )
  const [place, elsewhere] = [own!.metadataAccount!, ledger.newAddress()]
  const { owner, data } = ledger.account(other!.address)!
  data.set(fromBase58(elsewhere), data.indexOf(fromBase58(other!.metadataAccount!)))
  ledger.setAccount(other!.address, { owner, data })
  const asked = new Set<string>()
  const reader = withLists({
    programAccounts: async () => { throw new Error('not asked') },
    accounts: async addresses => atMoment(1, addresses.map(key => {
      asked.add(key)
      const account = ledger.account(key)
      return account === null ? null : { address: key, owner: account.owner, data: account.data }
    }))
  })
  const read = await createTokenReader({ reader, ttl: 100 }).read([own!.address, other!.address], 1)
  t.match(read.get(own!.address), { symbol: 'OWN', name: 'OWN' })
  t.match(read.get(other!.address), { symbol: '', name: '' }, 'nor is the text taken that it does not point to')
  t.ok(asked.has(place))
  t.notOk(asked.has(elsewhere))
})
