import { test } from 'tap'
import { systemClock } from '../../../../lib/clock.js'
import { ratio } from '../../../../lib/decimal.js'
import { createCompletion } from '../../../../lib/history/indexing/complete.js'
import { createFetcher } from '../../../../lib/history/indexing/fetch.js'
import { createStepWriter } from '../../../../lib/history/indexing/commit.js'
import { openSqliteStore } from '../../../../lib/history/store/sqlite.js'
import { readEvents } from '../../../../lib/protocol/events.js'
import { createLedger } from '../../../../simulator/index.js'
import type { HistoryReader } from '../../../../lib/chain/transactions.js'
import type { RawTransaction } from '../../../../lib/chain/types.js'

test('what no node has told of stored events is learnt from their blocks, once', async t => {
  const ledger = createLedger({ seed: 6 })
  const dao = ledger.dao(
    { base: ledger.mint(), quote: ledger.usdc(), quoteReserves: 10n ** 12n, baseReserves: 10n ** 13n }
  )
  // more in one slot than are looked at in a piece
  for (let at = 0; at < 250; at++) dao.swap('buy', 10n ** 6n)
  const store = await openSqliteStore({ folder: t.testdir(), program: ledger.program })
  t.teardown(() => store.close())
  const writer = await createStepWriter(store, { rate: ratio(5n, 1000n), basis: 'input' }, () => {})
  const write = async (index: number): Promise<void> => {
    const tx = JSON.parse(ledger.history.json(index)) as RawTransaction
    const signature = ledger.history.signature(index)
    await writer.commit({
      events: readEvents(tx, ledger.program, ledger.eventAuthority).map(
        event => ({ event, signature, blockIndex: null })
      )
    })
  }
  const last = ledger.history.length - 1
  for (let index = 0; index < last; index++) await write(index)

  let now = 0
  const blocks: number[] = []
  let isAway = false
  const reader = {
    transactions: async () => { throw new Error('all makers are known') },
    async blockSignatures (slot: number) {
      blocks.push(slot)
      if (isAway) return null
      const all = Array.from({ length: ledger.history.length }, (_, index) => index)
      return all.filter(index => (JSON.parse(ledger.history.json(index)) as RawTransaction).slot === slot)
        .map(index => ledger.history.signature(index))
    }
  } as Partial<HistoryReader> as HistoryReader
  const context = {
    reader,
    store,
    writer,
    program: ledger.program,
    daos: async () => ({ slot: 0, time: 0, daos: [] }),
    clock: { ...systemClock, now: () => now },
    onLog () {},
    signal: new AbortController().signal
  }
  const complete = createCompletion({ ...context, fetcher: createFetcher(context) }, 2_000)
  const pass = async () => { while (await complete() === now) continue }

  await pass()
  t.equal(await store.incompleteSlot(), null)
  const asked = blocks.length
  await pass()
  t.equal(blocks.length, asked)
  isAway = true
  await write(last)
  for (let passes = 0; passes < 9; passes++) await pass()
  t.equal(blocks.length, asked + 5, 'what no node tells is left alone')
  isAway = false
  now += 600_000
  for (let passes = 0; passes < 2; passes++) await pass()
  t.equal(await store.incompleteSlot(), null, 'and asked for again')
})
