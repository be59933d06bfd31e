import Database from 'libsql'
import { join } from 'node:path'
import { test } from 'tap'
import type { RawTransaction } from '../../../lib/chain/types.js'
import { base58, fromBase58, type Ledger } from '../../../simulator/index.js'
import { createRandom, type Random } from '../../../simulator/random.js'
import { settled, until, watch } from '../../support/history/history.js'
import { ledgerReader } from '../../support/history/reader.js'
import { makeYear } from '../../support/history/year.js'

/** All that figures are made of, but for what is told of the markets themselves. */
const TABLES = {
  events: `select dao, seq, kind, slot, at, signature, event_index, side, input, output, fee, quote_fees, base_fees,
    quote_reserves, base_reserves, reason, raw, maker, block_index, quote_change, base_change, proposal
    from events order by dao, seq`,
  ...Object.fromEntries([
    'daos', 'makers', 'fee_rates', 'sequence_ranges'
  ].map(table => [table, `select * from ${table}`])),
  rates: "select value from meta where key = 'rates'",
  closes: 'select dao, day, seq, at, quote_reserves, base_reserves from closes order by dao, day',
  candles: `select dao, width, start, base, quote, trades, fees, unknown_fees, open_quote, high_quote, low_quote,
    close_quote, average_quote, average_base from candles order by dao, width, start`
}
const MARKETS = 'select dao, seq, market, facts from events where market is not null order by dao, seq'

const [SPOT_SWAP, CONDITIONAL_SWAP] = ['1dfd79ff523c94c3', '02a6c8a05ed4442d']
/** Where the AMM's state begins, and the two conditional pools in it. */
const [POOL_BYTES, STATE_OF] = [132, { [SPOT_SWAP]: 129, [CONDITIONAL_SWAP]: 162 } as Record<string, number>]

/** An event with random markets: what was swapped on them, and what they hold. */
function scrambled (event: Buffer, random: Random): Buffer {
  const name = event.toString('hex', 8, 16)
  const state = STATE_OF[name]
  if (state === undefined || event[state] !== 1) return event
  const data = Buffer.from(event)
  random.bytes(2 * POOL_BYTES).copy(data, state + 1 + POOL_BYTES)
  if (name === CONDITIONAL_SWAP) {
    data[136] = 1 + random.int(2)
    data[137] = random.int(2)
    random.bytes(24).copy(data, 138)
  }
  return data
}

async function tablesOf (t: Parameters<typeof watch>[0], ledger: Ledger, random: Random | null) {
  const reader = ledgerReader(ledger)
  let changed = 0
  reader.bendTransaction = (tx: RawTransaction) => {
    for (const { instructions } of tx.meta.innerInstructions ?? []) {
      for (const instruction of instructions) {
        const data = fromBase58(instruction.data)
        const bent = random === null || data.length < 300 ? data : scrambled(data, random)
        if (bent !== data) changed++
        instruction.data = base58(bent)
      }
    }
    return tx
  }
  const folder = t.testdir({})
  const watched = await watch(t, ledger, { folder: join(folder, random === null ? 'own' : 'bent'), reader })
  await settled(watched, ledger)
  await until(async () => await watched.store.incompleteSlot() === null)
  await watched.history.stop()
  await watched.store.close()
  const db = new Database(join(folder, random === null ? 'own' : 'bent', 'history.db'))
  const read = (sql: string): string[] => db.prepare(sql).all().map(row => JSON.stringify(row)).sort()
  const tables = Object.fromEntries(Object.entries(TABLES).map(([name, sql]) => [name, read(sql)]))
  const markets = read(MARKETS)
  db.close()
  return { tables, markets, changed }
}

for (const seed of [1, 2, 3]) {
  test(
    `whatever is traded on the markets of proposals, no other figure of the history changes, seed ${seed}`,
    async t => {
      const ledger = makeYear(seed, 60)
      const own = await tablesOf(t, ledger, null)
      const bent = await tablesOf(t, ledger, createRandom(seed))
      t.ok(
        own.markets.length > 20 && bent.changed > 40, `${own.markets.length} swaps of markets, ${bent.changed} events`
      )
      t.notSame(bent.markets, own.markets)
      for (const [name, rows] of Object.entries(own.tables)) {
        t.same(bent.tables[name], rows, `${name}: ${rows.length} rows`)
      }
    }
  )
}
