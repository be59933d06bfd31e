import { join } from 'node:path'
import Database from 'libsql'
import { test } from 'tap'
import { settled, until, watch } from '../../support/history/history.js'
import { ledgerReader } from '../../support/history/reader.js'
import { sqliteRows } from '../../support/history/rows.js'
import { makeYear } from '../../support/history/year.js'

const NEVER = Number.MAX_SAFE_INTEGER
const PRICES = ['open_seq', 'open_quote', 'open_base', 'close_seq', 'close_quote', 'close_base', 'high_quote', 'high_base', 'low_quote', 'low_base']

/** Takes away what version 1.0 did not keep. */
function asVersionOne (folder: string): void {
  const db = new Database(join(folder, 'history.db'))
  db.exec(`
    update events set maker = null, block_index = null, quote_change = null, base_change = null;
    delete from minutes; delete from makers; delete from fee_rates; delete from meta where key = 'minutes_from';
    update daos set rolled_from = ${NEVER};
    update days set hours = null, fees = '0', unknown_fees = 0, makers = 0, ${PRICES.map(name => `${name} = null`).join(', ')}`)
  db.close()
}

function tables (folder: string): Record<string, unknown[]> {
  const db = new Database(join(folder, 'history.db'))
  const all = (sql: string) => db.prepare(sql).all()
  const found = {
    events: all("select dao, seq, maker, block_index, quote_change, base_change from events where kind in ('SpotSwap', 'ProvideLiquidity', 'WithdrawLiquidity', 'LaunchProposal', 'FinalizeProposal', 'AdminCancelProposal', 'InitializeDao') order by dao, seq"),
    daos: all('select * from daos order by id'),
    days: all(`select dao, day, base, quote, trades, fees, unknown_fees, makers, hours, ${PRICES.join(', ')} from days order by dao, day`),
    minutes: all('select * from minutes order by start, dao'),
    makers: all('select * from makers order by dao, day, maker'),
    rates: all('select * from fee_rates order by dao, bps')
  }
  db.close()
  return found
}

test('a store of version 1.0 is completed in the background to what a new one would hold, through stops on the way', async t => {
  const ledger = makeYear(31, 40)
  const folder = t.testdir({})
  const first = await watch(t, ledger, { folder })
  await settled(first, ledger)
  await until(async () => await first.store.incompleteSlots() === null)
  await first.history.stop()
  await first.store.close()
  const [expected, events] = [tables(folder), sqliteRows(folder).events!.length]
  asVersionOne(folder)

  for (let stops = 0; ; stops++) {
    const again = await watch(t, ledger, { folder, reader: ledgerReader(ledger) })
    await until(() => again.history.status().headAt !== null)
    const dao = ledger.daos[0]!.address
    if (stops === 0) t.equal((await again.history.last24h(ledger.time)).size, ledger.daos.length, 'tickers need nothing of it')
    if (stops < 3) {
      await new Promise(resolve => setTimeout(resolve, 5 * stops))
    } else {
      await until(async () => await again.store.incompleteSlots() === null)
      await until(async () => await again.history.read(async reading => reading.known.rolledFrom.size) === 0)
      t.ok((await again.history.read(reading => reading.candles(dao, '1h', { from: 0, to: ledger.time, limit: 10 }))).length > 0)
    }
    await again.history.stop()
    await again.store.close()
    if (stops === 3) break
  }
  t.same(tables(folder), expected)
  t.equal(sqliteRows(folder).events!.length, events, 'and no row is lost')
})
