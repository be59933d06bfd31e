import { test } from 'tap'
import { ratio } from '../../../../lib/decimal.js'
import { ServiceError } from '../../../../lib/errors.js'
import { createStepWriter } from '../../../../lib/history/indexing/commit.js'
import { openSqliteStore } from '../../../../lib/history/store/sqlite.js'
import { readEvents } from '../../../../lib/protocol/events.js'
import { createLedger } from '../../../../simulator/index.js'
import type { RawTransaction } from '../../../../lib/chain/types.js'

const VALUATION = { rate: ratio(5n, 1000n), basis: 'input' as const }

test('a step adds to what the one before has written, and to what may or may not have been', async t => {
  const ledger = createLedger({ seed: 5 })
  const dao = ledger.dao(
    { base: ledger.mint(), quote: ledger.usdc(), quoteReserves: 10n ** 12n, baseReserves: 10n ** 13n }
  )
  const begun = ledger.history.length
  for (let at = 0; at < 6; at++) {
    dao.swap('buy', 10n ** 6n)
    ledger.advance(60)
  }
  const stepOf = (index: number) => {
    const tx = JSON.parse(ledger.history.json(index)) as RawTransaction
    return {
      events: readEvents(tx, ledger.program, ledger.eventAuthority).map(
        event => ({ event, signature: ledger.history.signature(index), blockIndex: 0 })
      )
    }
  }
  const store = await openSqliteStore({ folder: t.testdir(), program: ledger.program })
  t.teardown(() => store.close())
  let fault = ''
  const writer = await createStepWriter({
    ...store,
    async write (changes) {
      if (fault === 'before') throw new ServiceError('HISTORY_UNAVAILABLE', 'the disk is full')
      await store.write(changes)
    }
  }, VALUATION, () => {})
  const trades = async () => (await store.daysAfter(0, 99)).rows.reduce((sum, { trades }) => sum + trades, 0)
  for (let index = 0; index < begun; index++) await writer.commit(stepOf(index))
  await writer.commit(stepOf(begun + 1))
  t.equal(writer.state.firstSwaps.get(dao.address), ledger.swaps[1]!.time)
  await writer.commit(stepOf(begun))
  t.equal(writer.state.firstSwaps.get(dao.address), ledger.swaps[0]!.time, 'the first one, whenever it comes')
  fault = 'before'
  await t.rejects(writer.commit(stepOf(begun + 2)), { code: 'HISTORY_UNAVAILABLE' })
  fault = ''
  await writer.commit(stepOf(begun + 2))
  t.equal(await trades(), 3, 'what was not written counts once')
  t.same((await store.load()).firstSwaps, writer.state.firstSwaps)
})
