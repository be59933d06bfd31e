import { setTimeout as wait } from 'node:timers/promises'
import { test, type Test } from 'tap'
import type { Reading } from '../../../../lib/history/history.js'
import { createLedger } from '../../../../simulator/index.js'
import { settled, watch } from '../../../support/history/history.js'
import { ledgerReader } from '../../../support/history/reader.js'

/** Longer than a step takes that nothing holds up. */
const STEP_MS = 200

/** A settled history of one DAO; `during` reads while `happen` brings a step, once, after the reading has begun. */
async function stage (t: Test) {
  const ledger = createLedger({ seed: 6 })
  const dao = ledger.dao(
    { base: ledger.mint(), quote: ledger.usdc(), quoteReserves: 200_000_000_000n, baseReserves: 2_000_000_000_000n }
  )
  const trade = () => {
    const { signature } = dao.swap('buy', 1_000_003n)
    ledger.advance(60)
    return signature
  }
  for (let at = 0; at < 20; at++) trade()
  const withheld = new Set<string>()
  const reader = Object.assign(
    ledgerReader(ledger),
    { bendTransaction: (_tx: unknown, signature: string) => withheld.has(signature) ? null : undefined }
  )
  const watched = await watch(t, ledger, { reader, pollMs: 5, staleMs: 1e12 })
  await settled(watched, ledger)
  const { history } = watched
  async function during<T> (happen: () => void, work: (reading: Reading) => Promise<T>): Promise<T> {
    let isFirst = true
    return await history.read(async reading => {
      if (isFirst) {
        isFirst = false
        happen()
        await wait(STEP_MS)
      }
      return await work(reading)
    })
  }
  return { ledger, dao, trade, withheld, during }
}

test('a reading is of one state: trades that a step brings meanwhile are not taken for all there are', async t => {
  const { ledger, dao, trade, withheld, during } = await stage(t)
  const { seqs, known } = await during(() => {
    withheld.add(trade())
    trade()
  }, async reading => ({
    seqs: (await reading.trades({ dao: dao.address, limit: 5 })).map(({ seq }) => Number(seq)),
    known: reading.knowledge(dao.address, ledger.time - 1000)
  }))
  const have = ledger.swaps.map(({ seq }) => seq).reverse()
  const from = have.indexOf(seqs[0]!)
  t.ok(known === 'partly' || seqs.join() === have.slice(from, from + 5).join(), `${known}: ${seqs.join()}`)
})
