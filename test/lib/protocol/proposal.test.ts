import { test } from 'tap'
import { createProgramClient } from '../../../lib/protocol/client.js'
import { decodeProposal } from '../../../lib/protocol/proposal.js'
import { createLedger, PROGRAMS } from '../../../simulator/index.js'

const client = createProgramClient(PROGRAMS.futarchy)
await client.load()

test('a proposal whose times are no dates is none', t => {
  const ledger = createLedger({ seed: 8 })
  const dao = ledger.dao(
    { base: ledger.mint(), quote: ledger.usdc(), baseReserves: 10n ** 12n, quoteReserves: 10n ** 11n }
  )
  dao.launchProposal()
  const { address } = dao.proposal!
  const { owner, data } = ledger.account(address)!
  const bytes = Buffer.from(data)
  const decode = () => decodeProposal(client, { address, owner, data: bytes })
  t.match(decode(), { address, dao: dao.address, launchedAt: ledger.time })
  for (const enqueued of [2n ** 62n, 253_402_300_799n]) {
    bytes.writeBigInt64LE(enqueued, 44)
    t.throws(decode, { name: 'DecodeError' })
  }
  t.end()
})

test('a proposal whose account ends with its contents is one, and one cut short is none', t => {
  const ledger = createLedger({ seed: 8 })
  const dao = ledger.dao(
    { base: ledger.mint(), quote: ledger.usdc(), baseReserves: 10n ** 12n, quoteReserves: 10n ** 11n }
  )
  const cut = (length: number) => {
    const { address } = dao.proposal!
    const { owner, data } = ledger.account(address)!
    return decodeProposal(client, { address, owner, data: Buffer.from(data).subarray(0, length) })
  }
  const sponsored = (lengths: number[]) => lengths.map(length => cut(length).isTeamSponsored)
  dao.initializeProposal()
  t.same(sponsored([354, 355]), [null, false], 'a draft')
  for (const length of [0, 12, 53, 353]) t.throws(() => cut(length), { name: 'DecodeError' })
  dao.sponsor()
  dao.launchProposal()
  // 354 has room for a draft of the version without sponsors
  t.same(sponsored([346, 347, 354, 355]), [null, true, null, true])
  t.equal(cut(346).dao, dao.address)
  for (const length of [0, 12, 53, 345]) t.throws(() => cut(length), { name: 'DecodeError' })
  t.end()
})
