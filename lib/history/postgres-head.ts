/** How far the process that writes has come, for those that only read: it is not to be seen from the rows. Times are the server's own. */
import { type Kysely, sql, type Transaction } from 'kysely'
import type { Reached } from './indexer.js'
import { valuationOf } from './rows.js'
import { putMeta } from './store-writes.js'
import type { Valuation } from '../market/volume.js'
import type { Tables } from './tables.js'

export interface Head {
  /** Grows with every step. */
  change: number
  /** Grows with every process that takes the lead; undefined before the first. */
  epoch: string | undefined
  /** Milliseconds since the head was last known to be reached; null where it never was. */
  age: number | null
  /** Slot of the `accounts`; 0 before the first comparison. */
  provenSlot: number
  /** DAOs whose first numbers are missing and have been looked for in vain. */
  lost: ReadonlySet<string>
  /** What the day sums were made with. */
  valuation: Valuation | null
}

/** The head in one reading. */
export async function readHead (db: Kysely<Tables>): Promise<Head> {
  const { rows } = await sql<{ key: string, value: string, clock: string }>`
    select key, value, extract(epoch from clock_timestamp())::text as clock from meta`.execute(db)
  const meta = new Map(rows.map(({ key, value }) => [key, value]))
  const [reachedAt, valuation] = [meta.get('reached_at'), meta.get('valuation')]
  return {
    change: Number(meta.get('change') ?? 0),
    epoch: meta.get('epoch'),
    age: reachedAt === undefined ? null : Math.max(0, (Number(rows[0]!.clock) - Number(reachedAt)) * 1000),
    provenSlot: Number(meta.get('proven_slot') ?? 0),
    lost: new Set(meta.get('lost')?.split(' ')),
    valuation: valuation === undefined ? null : valuationOf(valuation)
  }
}

/** The sequence numbers that the accounts had at `provenSlot`. */
export async function readAccounts (db: Kysely<Tables>): Promise<Map<string, bigint>> {
  const rows = await db.selectFrom('accounts').selectAll().execute()
  return new Map(rows.map(({ address, seq }) => [address, BigInt(seq)]))
}

/** Writes the head for others, and of the accounts only what has changed since the last time. For one lead: a new one begins with a new writer. */
export function createHeadWriter (writing: (work: (trx: Transaction<Tables>) => Promise<void>) => Promise<void>, now: () => number) {
  let written: Reached['accounts'] | undefined

  async function putAccounts (trx: Transaction<Tables>, accounts: Reached['accounts']): Promise<void> {
    const known = written ?? await readAccounts(trx)
    const gone = [...known.keys()].filter(address => !accounts.has(address))
    const changed = [...accounts].filter(([address, seq]) => known.get(address) !== seq).map(([address, seq]) => ({ address, seq: seq.toString() }))
    if (gone.length > 0) await sql`delete from accounts where address = any(${gone})`.execute(trx)
    if (changed.length === 0) return
    await sql`insert into accounts select * from json_populate_recordset(null::accounts, ${JSON.stringify(changed)}::json)
      on conflict (address) do update set seq = excluded.seq`.execute(trx)
  }

  /** All that has ever been looked for in vain: a new lead need not look again before the others may know. */
  let vain: ReadonlySet<string> | undefined

  return async ({ at, accounts, provenSlot, lost }: Reached): Promise<void> => {
    const isNew = provenSlot > 0 && accounts !== written
    let all = vain
    await writing(async trx => {
      const before = vain ?? (await readHead(trx)).lost
      all = lost.every(dao => before.has(dao)) ? before : new Set([...before, ...lost])
      const { rows: [clock] } = await sql<{ at: string }>`select (extract(epoch from clock_timestamp()) - ${(now() - at) / 1000}::numeric)::text as at`.execute(trx)
      if (isNew) await putAccounts(trx, accounts)
      await putMeta(trx, { reached_at: clock!.at, ...(isNew && { proven_slot: String(provenSlot) }), ...(all !== before && { lost: [...all].join(' ') }) })
    })
    if (isNew) written = accounts
    vain = all
  }
}
