/** How far the process that writes has come, for those that only read: it is not to be seen from the rows. Times are the server's own. */
import { type Kysely, sql, type Transaction } from 'kysely'
import type { Clock } from '../../clock.js'
import type { HeadReached } from '../indexing/indexer.js'
import type { LastDayWork } from '../status.js'
import { parseValuation } from '../store/row-mapping.js'
import { putMeta } from '../store/writes.js'
import { type NamedOwners, namedText, parseNamed } from '../rules/missing-owners.js'
import type { NotedRule } from '../rules/fixed-point.js'
import type { Tables } from '../store/table-types.js'

export interface LeaderProgress {
  /** Grows with every step. */
  revision: number
  /** Grows with every process that takes the lead; undefined before the first. */
  fencingToken: string | undefined
  /** When the head was last known to be reached, as the leader has noted it: it changes with each time. */
  reachedAt: string | undefined
  /** Milliseconds since then by the server's clock; null where it never was. */
  age: number | null
  /** Newest finalized slot up to which everything is stored. */
  headSlot: number | null
  /** How far the last 24 hours are, while they are read. */
  lastDay: LastDayWork | null
  /** Up to here everything that the `accounts` number should be stored; 0 before the first comparison. */
  verifiedSlot: number
  /** Whose the transactions are that are missing beyond it. */
  named: NamedOwners
  /** Sequence gaps that have been looked for in vain, by `gapKey`. */
  lost: ReadonlySet<string>
  /** What the day sums were made with. */
  valuation: NotedRule | null
}

/** The head in one reading. */
export async function readLeaderProgress (db: Kysely<Tables>): Promise<LeaderProgress> {
  const { rows } = await sql<{ key: string, value: string, clock: string }>`
    select key, value, extract(epoch from clock_timestamp())::text as clock from meta`.execute(db)
  const meta = new Map(rows.map(({ key, value }) => [key, value]))
  const [reachedAt, valuation] = [meta.get('reached_at'), meta.get('valuation')]
  return {
    revision: Number(meta.get('change') ?? 0),
    fencingToken: meta.get('epoch'),
    reachedAt,
    headSlot: meta.has('head_slot') ? Number(meta.get('head_slot')) : null,
    lastDay: meta.has('last_day') ? JSON.parse(meta.get('last_day')!) as LastDayWork | null : null,
    age: reachedAt === undefined ? null : Math.max(0, (Number(rows[0]!.clock) - Number(reachedAt)) * 1000),
    verifiedSlot: Number(meta.get('proven_slot') ?? 0),
    named: parseNamed(meta.get('named')),
    lost: new Set(meta.get('lost')?.split(',')),
    valuation: valuation === undefined ? null : parseValuation(valuation)
  }
}

/** The sequence numbers that the accounts had at `provenSlot`. */
export async function readAccounts (db: Kysely<Tables>): Promise<Map<string, bigint>> {
  const rows = await db.selectFrom('accounts').selectAll().execute()
  return new Map(rows.map(({ address, seq }) => [address, BigInt(seq)]))
}

/** Writes the head for others, and of the accounts only what has changed since the last time. For one lead: a new one begins with a new writer. */
export function createProgressWriter (writing: (work: (trx: Transaction<Tables>) => Promise<void>) => Promise<void>, clock: Clock) {
  let written: HeadReached['accounts'] | undefined

  async function putAccounts (trx: Transaction<Tables>, accounts: HeadReached['accounts']): Promise<void> {
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

  /** Tells that the head is reached. */
  async function reached ({ at, slot, accounts, verifiedSlot, lost, named }: HeadReached): Promise<void> {
    const isNew = accounts !== written
    let all = vain
    await writing(async trx => {
      const before = vain ?? (await readLeaderProgress(trx)).lost
      all = lost.every(gap => before.has(gap)) ? before : new Set([...before, ...lost])
      const { rows: [server] } = await sql<{ at: string }>`select (extract(epoch from clock_timestamp()) - ${(clock.now() - at) / 1000}::numeric)::text as at`.execute(trx)
      if (verifiedSlot > 0 && isNew) await putAccounts(trx, accounts)
      await putMeta(trx, { reached_at: server!.at, head_slot: String(slot), named: namedText(named), ...(verifiedSlot > 0 && { proven_slot: String(verifiedSlot) }), ...(all !== before && { lost: [...all].join(',') }) })
    })
    if (verifiedSlot > 0) written = accounts
    vain = all
  }

  return {
    reached,
    /** Tells how far the last 24 hours are. */
    progress: async (work: LastDayWork | null): Promise<void> => { await writing(trx => putMeta(trx, { last_day: JSON.stringify(work) })) }
  }
}
