import { test } from 'tap'
import { decodeProposal } from '../../../lib/protocol/proposal.js'
import { createLedger } from '../../../simulator/index.js'

test('a proposal whose times are no dates is none', t => {
  const ledger = createLedger({ seed: 8 })
  const dao = ledger.dao(
    { base: ledger.mint(), quote: ledger.usdc(), baseReserves: 10n ** 12n, quoteReserves: 10n ** 11n }
  )
  dao.launchProposal()
  const { address } = dao.proposal!
  const { owner, data } = ledger.account(address)!
  const bytes = Buffer.from(data)
  const decode = () => decodeProposal(ledger.program, { address, owner, data: bytes })
  t.match(decode(), { address, dao: dao.address, launchedAt: ledger.time })
  for (const enqueued of [2n ** 62n, 253_402_300_799n]) {
    bytes.writeBigInt64LE(enqueued, 44)
    t.throws(decode, { name: 'DecodeError' })
  }
  t.end()
})
