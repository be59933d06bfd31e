import { test } from 'tap'
import { ServiceError } from '../../../lib/errors.js'
import { openSqliteStore } from '../../../lib/history/store/sqlite.js'
import { createLedger } from '../../../simulator/index.js'
import { settled, until, watch } from '../../support/history/history.js'
import { ledgerReader } from '../../support/history/reader.js'

function market () {
  const ledger = createLedger({ seed: 6 })
  const dao = ledger.dao(
    { base: ledger.mint(), quote: ledger.usdc(), quoteReserves: 10n ** 12n, baseReserves: 10n ** 13n }
  )
  for (let at = 0; at < 20; at++) {
    ledger.advance(600)
    dao.swap('buy', BigInt(1000 + at))
  }
  return ledger
}

test('a store is bound to the network before its first row, and refused against another', async t => {
  const ledger = market()
  const folder = t.testdir()
  const reader = ledgerReader(ledger)
  let isAway = true
  reader.genesisHash = async () => {
    if (isAway) throw new ServiceError('NODE_UNAVAILABLE', 'gone')
    return 'GenesisOfOne'
  }
  const first = await watch(t, ledger, { folder, reader })
  await until(() => first.events.filter(({ message }) => message.includes('gone')).length > 2)
  t.match(first.history.status(), { events: 0, refusal: null })
  t.equal(reader.calls.transactions.length, 0, 'nothing is read before it is known whose it is')
  isAway = false
  await settled(first, ledger)
  await first.history.stop()
  await first.store.close()

  const other = ledgerReader(ledger)
  other.genesisHash = async () => 'GenesisOfAnother'
  const second = await watch(t, ledger, { folder, reader: other })
  await until(() => second.history.status().refusal !== null)
  const sentence =
    'the history belongs to another network: it was made for the one of genesis GenesisOfOne, ' +
      'CHAIN_RPC_URL leads to GenesisOfAnother'
  t.equal(second.history.status().refusal, sentence)
  t.ok(second.events.some(({ level, message }) => level === 'error' && message.includes(sentence)))
  await t.rejects(second.history.last24h(), { code: 'WARMING_UP' })
  await t.rejects(second.history.published(reading => reading.published()), { code: 'WARMING_UP' })
  t.equal(other.calls.transactions.length, 0)
  await second.history.stop()
  await second.store.close()

  const store = await openSqliteStore({ folder, program: ledger.program })
  t.teardown(() => store.close())
  await store.bindNetwork('GenesisOfOne')
  await t.rejects(store.bindNetwork('GenesisOfAnother'), { code: 'WRONG_NETWORK' })
})
