import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import Database from 'libsql'
import { test } from 'tap'
import { startScript } from '../../support/script-process.js'

const CHILD = 'test/support/history/child.ts'
/** More in a run of its own: `KILLS=400 npx tap test/lib/history/kill.test.ts`. */
const KILLS = Number(process.env.KILLS ?? 12)
const LANES = 2
const LATENCY_MS = 6
const MAX_MS = 30

/**
 * Runs the indexing process; kills it so many milliseconds after it has begun, or lets it finish. True: it finished.
 */
async function run (folder: string, killAfter?: number): Promise<boolean> {
  const { child, stdout, output, isAlive, ended } = startScript(
    CHILD, { args: [folder, String(killAfter === undefined ? 0 : LATENCY_MS)] }
  )
  const begun = () => stdout().includes('begun')
  while (!begun() && isAlive()) await Promise.race([once(child.stdout, 'data'), ended])
  if (killAfter !== undefined) {
    await Promise.race([wait(killAfter), ended])
    child.kill('SIGKILL')
  }
  await ended
  if (!begun()) throw new Error(`the process did not begin: ${output()}`)
  return stdout().includes('done')
}

/** All rows, but for numbers that tell the order of arrival alone, and notes that are empty, as good as none. */
function rowsOf (folder: string): Record<string, unknown[]> {
  const db = new Database(join(folder, 'history.db'))
  const all = (sql: string) => db.prepare(sql).all()
  const rows = {
    events: all(
      `select daos.address, e.seq, kind, slot, at, signature, event_index, side, input, output, fee, quote_fees,
        base_fees, quote_reserves, base_reserves, reason, raw
        from events e join daos on daos.id = e.dao order by 1, 2`
    ),
    daos: all('select address from daos order by 1'),
    candles: all(
      `select daos.address, width, start, base, quote, trades, fees, open_seq, close_seq, average_base
        from candles c join daos on daos.id = c.dao order by 1, 2, 3`
    ),
    sequence_ranges: all(
      `select daos.address, first_seq, last_seq, first_slot, last_slot, first_at, last_at, keeps_fees, quote_fees_after,
        base_fees_after, pending_seq from sequence_ranges i join daos on daos.id = i.dao order by 1, 2`
    ),
    missing: all('select * from missing'),
    rates: all("select r.value from meta, json_each(meta.value) r where meta.key = 'rates' order by 1"),
    // `numbersBefore` tells of when accounts were first compared
    meta: all(`select * from meta where key not in ('revision', 'published', 'rates', 'numbersBefore') and
      value not in ('', '[]') order by 1`)
  }
  db.close()
  return rows
}

test(`killed at ${KILLS} random points and started again, the store ends as if nothing had been`, async t => {
  t.setTimeout(1_800_000 + KILLS * 10_000)
  const undisturbed = t.testdir()
  t.ok(await run(undisturbed))
  const expected = rowsOf(undisturbed)
  t.ok(expected.events!.length > 400)
  const ends = await Promise.all(Array.from({ length: LANES }, async (_, lane) => {
    const folder = join(undisturbed, `lane${lane}`)
    let finished = 0
    for (let kill = 0; kill < KILLS / LANES; kill++) if (await run(folder, Math.random() * MAX_MS)) finished++
    return { finished, done: await run(folder), rows: rowsOf(folder) }
  }))
  for (const { finished, done, rows } of ends) {
    t.ok(done)
    t.ok(finished < KILLS / LANES / 2, 'most were killed in the middle')
    for (const [table, expectedRows] of Object.entries(expected)) t.same(rows[table], expectedRows, table)
  }
})
