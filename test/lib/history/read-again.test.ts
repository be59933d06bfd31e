import { join } from 'node:path'
import bs58 from 'bs58'
import Database from 'libsql'
import { test, type Test } from 'tap'
import type { RawTransaction } from '../../../lib/chain/types.js'
import { openPostgresStore } from '../../../lib/history/replicas/sole-writer.js'
import { openSqliteStore } from '../../../lib/history/store/sqlite.js'
import type { Store } from '../../../lib/history/store/store.js'
import type { Ledger } from '../../../simulator/index.js'
import { settled, until, watch } from '../../support/history/history.js'
import { ask, newPlace, withoutPostgres } from '../../support/history/postgres.js'
import { ledgerReader, type TestReader } from '../../support/history/reader.js'
import { makeYear } from '../../support/history/year.js'

const SPOT_SWAP = '1dfd79ff523c94c3'
const TYPE_AT = 104

/** What must be the same, whenever an event was understood. `change` tells in what order rows arrived: that differs. */
const TABLES = {
  events: `select dao, seq, kind, slot, at, signature, place, side, input, output, fee, quote_fees, base_fees, quote_reserves, base_reserves, reason, raw, maker, block_index, quote_change, base_change
    from events`,
  days: `select dao, day, base, quote, trades, makers, hours, fees, unknown_fees, open_seq, open_quote, open_base, close_seq, close_quote, close_base, high_quote, high_base, low_quote, low_base
    from days`,
  minutes: 'select start, dao, candles from minutes',
  makers: 'select day, dao, maker from makers',
  fees: 'select dao, bps, from_slot, to_slot from fee_rates',
  rates: 'select bps, swaps from rates where swaps > 0',
  ranges: 'select * from intervals',
  daos: 'select address, first_swap from daos',
  counts: "select key, value from meta where key in ('events', 'swaps')"
}

interface Place { open (program: string): Promise<Store>, run (sql: string): Promise<void>, all (sql: string): Promise<Array<Record<string, unknown>>> }

/** The ledger's transactions with the data of swaps as another program would write them. */
function bend (tx: RawTransaction, wanted: (data: Buffer) => boolean): RawTransaction {
  for (const { instructions } of tx.meta.innerInstructions ?? []) {
    for (const instruction of instructions) {
      const data = Buffer.from(bs58.decode(instruction.data))
      if (data.length < 121 || data.toString('hex', 8, 16) !== SPOT_SWAP || !wanted(data)) continue
      data[TYPE_AT]! += 7
      instruction.data = bs58.encode(data)
    }
  }
  return tx
}

/** A node that gives blocks, too: an event that waited for its DAO has kept no place in its block. */
function readerOf (ledger: Ledger): TestReader {
  const { history } = ledger
  return Object.assign(ledgerReader(ledger), {
    async blockSignatures (slot: number) {
      const block: string[] = []
      for (const { signature } of ledger.swaps.filter(swap => swap.slot === slot)) block[history.blockIndex(history.find(signature)!)!] = signature
      return Array.from(block, signature => signature ?? 'another')
    }
  })
}

async function fill (t: Test, ledger: Ledger, place: Place, wanted: (data: Buffer) => boolean): Promise<void> {
  const reader = readerOf(ledger)
  reader.bendTransaction = tx => bend(tx, wanted)
  const watched = await watch(t, ledger, { reader, store: await place.open(ledger.program), folder: 'of the place' })
  await settled(watched, ledger)
  await until(async () => await watched.store.incompleteSlots() === null)
  await watched.history.stop()
  await watched.store.close()
}

async function tables ({ all }: Place): Promise<Record<string, unknown[]>> {
  const found: Record<string, unknown[]> = {}
  // A store numbers its DAOs as it meets them
  const addresses = new Map((await all('select id, address from daos')).map(({ id, address }) => [id, address]))
  for (const [name, sql] of Object.entries(TABLES)) {
    found[name] = (await all(sql)).map(row => JSON.stringify('dao' in row ? { ...row, dao: addresses.get(row.dao) } : row)).sort()
  }
  return found
}

async function readsAgain (t: Test, days: number, [place, other]: [Place, Place]): Promise<void> {
  const ledger = makeYear(9, days)
  await fill(t, ledger, other, () => false)
  // Single ones, runs of them and the first of a DAO: by the sequence number
  await fill(t, ledger, place, data => { const seq = Number(data.readBigUInt64LE(32)); return seq % 7 < 2 || seq < 9 })
  const [expected, raw] = [await tables(other), await place.all('select dao, seq, raw from events where raw is not null and reason is not null')]
  t.ok(raw.length > 20)
  t.notSame(await tables(place), expected)

  // As a program would be that knows their form: what is stored of half of them is what it can read
  const mend = async (rows: typeof raw) => {
    for (const { dao, seq, raw } of rows) {
      const data = Buffer.from(String(raw), 'base64')
      data[TYPE_AT]! -= 7
      await place.run(`update events set raw = '${data.toString('base64')}' where dao = ${Number(dao)} and seq = '${String(seq)}'`)
    }
  }
  for (const part of [raw.filter((_, at) => at % 3 === 0), raw.filter((_, at) => at % 3 !== 0)]) {
    const left = (await place.all('select 1 from events where reason is not null')).length - part.length
    await mend(part)
    const again = await watch(t, ledger, { reader: readerOf(ledger), store: await place.open(ledger.program), folder: 'of the place' })
    await until(async () => (await again.store.rawEvents(null, 1000)).filter(({ reason }) => reason !== null).length === left)
    await until(() => again.history.status().headAt !== null)
    t.ok(again.events.some(({ code }) => code === 'reread'))
    const unreadable = new Set((await again.store.rawEvents(null, 1000)).filter(({ reason }) => reason !== null).map(({ dao }) => dao))
    const volumes = await again.history.last24h(() => ledger.time)
    t.ok([...volumes].every(([dao, { complete }]) => complete || unreadable.has(dao)), 'a DAO of which all is understood is given out again')
    await until(async () => await again.store.incompleteSlots() === null)
    await again.history.stop()
    await again.store.close()
  }
  const found = await tables(place)
  for (const [name, rows] of Object.entries(expected)) t.same(found[name], rows, `${name}: ${rows.length} rows`)
}

test('events that an older version could not read are read again at the start, as if they had been understood at once', async t => {
  const root = t.testdir({ old: {}, plain: {} })
  const at = (name: string): Place => {
    const within = <T>(work: (db: Database.Database) => T): T => {
      const db = new Database(join(root, name, 'history.db'))
      try {
        return work(db)
      } finally {
        db.close()
      }
    }
    return {
      open: program => openSqliteStore({ folder: join(root, name), program }),
      run: async sql => { within(db => db.exec(sql)) },
      all: async sql => within(db => db.prepare(sql).all() as Array<Record<string, unknown>>)
    }
  }
  await readsAgain(t, 20, [at('old'), at('plain')])
})

test('and so they are in PostgreSQL', { skip: await withoutPostgres(), timeout: 300_000 }, async t => {
  const at = (): Place => {
    const { url, schema } = newPlace(t)
    const placed = (sql: string) => sql.replace(/\b(from|update) (?=\w)/g, `$1 "${schema}".`)
    return { open: program => openPostgresStore({ url, program }), run: async sql => { await ask(placed(sql)) }, all: async sql => await ask(placed(sql)) }
  }
  await readsAgain(t, 12, [at(), at()])
})
