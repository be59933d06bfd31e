import { test } from 'tap'
import { systemClock } from '../../../../lib/clock.js'
import { ratio } from '../../../../lib/decimal.js'
import { createCompleter } from '../../../../lib/history/indexing/complete.js'
import { createFetcher } from '../../../../lib/history/indexing/fetch.js'
import { createStepWriter } from '../../../../lib/history/indexing/commit.js'
import { openSqliteStore } from '../../../../lib/history/store/sqlite.js'
import { readEvents } from '../../../../lib/protocol/events.js'
import { createLedger } from '../../../../simulator/index.js'
import type { HistoryReader, RawTransaction } from '../../../../lib/chain/types.js'

const ALL = [0, Number.MAX_SAFE_INTEGER] as const

test('what no node has told of stored events is learnt from their blocks, once', async t => {
  const ledger = createLedger({ seed: 6 })
  const dao = ledger.dao(
    { base: ledger.mint(), quote: ledger.usdc(), quoteReserves: 10n ** 12n, baseReserves: 10n ** 13n }
  )
  for (let at = 0; at < 3; at++) dao.swap('buy', 10n ** 6n)
  const store = await openSqliteStore({ folder: t.testdir(), program: ledger.program })
  t.teardown(() => store.close())
  const writer = await createStepWriter(store, { rate: ratio(5n, 1000n), basis: 'input' }, () => {})
  await writer.learn([dao.address])
  const write = async (index: number): Promise<void> => {
    const tx = JSON.parse(ledger.history.json(index)) as RawTransaction
    const signature = ledger.history.signature(index)
    await writer.commit({
      events: readEvents(tx, ledger.program, ledger.eventAuthority).map(
        event => ({ event, signature, slot: tx.slot, blockIndex: null })
      )
    })
  }
  const last = ledger.history.length - 1
  for (let index = 0; index < last; index++) await write(index)

  const reader = {
    transactions: async () => { throw new Error('all makers are known') },
    blockSignatures: async (slot: number) => Array.from({ length: ledger.history.length }, (_, index) => index)
      .filter(
        index => (JSON.parse(ledger.history.json(index)) as RawTransaction).slot === slot
      ).map(index => ledger.history.signature(index))
  } as Partial<HistoryReader> as HistoryReader
  const context = {
    reader,
    store,
    writer,
    program: ledger.program,
    eventAuthority: ledger.eventAuthority,
    daos: async () => ({ slot: 0, daos: [] }),
    clock: systemClock,
    onLog () {},
    signal: new AbortController().signal
  }
  const complete = createCompleter({ ...context, fetcher: createFetcher(context) })

  const { tried, completed } = await complete(...ALL)
  t.ok(tried > 0)
  t.equal(completed, tried)
  t.equal((await complete(...ALL)).tried, 0)
  await write(last)
  t.match(await complete(...ALL), { tried: 1, completed: 1 })
  t.equal(await store.incompleteSlots(), null)
})
