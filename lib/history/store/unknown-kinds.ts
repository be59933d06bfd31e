/** Events that are not understood: which of them are still to be judged, and what was found. */
import type { Kysely, Transaction } from 'kysely'
import { UNKNOWN_KIND } from '../../protocol/events.js'
import type { ToldEvent } from '../rules/unknown-kinds.js'
import type { Names } from './keys.js'
import { POOL_EVENT_COLUMNS, poolEventOf, seqText } from './row-mapping.js'
import type { JudgedEvent } from './store.js'
import type { Tables } from './table-types.js'

/** Unix second of the newest event of each DAO that is not understood. */
export async function readUnreadable (db: Kysely<Tables>, names: Names): Promise<Map<string, number>> {
  const rows = await db.selectFrom('events').select(['dao', 'at']).where('reason', 'is not', null)
    .orderBy('at').execute()
  return new Map(rows.map(({ dao, at }) => [names.address(Number(dao)), Number(at)]))
}

export async function readUnjudged (
  db: Kysely<Tables>, names: Names, limit: number
): Promise<Array<{ dao: string, seq: bigint }>> {
  const rows = await db.selectFrom('events').select(['dao', 'seq']).where('reason', '=', UNKNOWN_KIND)
    .orderBy('at', 'desc').limit(limit).execute()
  return rows.map(({ dao, seq }) => ({ dao: names.address(Number(dao)), seq: BigInt(seq) }))
}

export async function readEventsOf (
  db: Kysely<Tables>, names: Names, dao: string, from: bigint, limit: number
): Promise<ToldEvent[]> {
  const rows = await db.selectFrom('events').select([...POOL_EVENT_COLUMNS, 'quote_fees', 'base_fees', 'reason'])
    .where('dao', '=', names.id(dao) ?? 0).where('seq', '>=', seqText(from)).orderBy('seq').limit(limit).execute()
  return rows.map(row => {
    const { quote_fees: quote, base_fees: base, reason } = row
    const fees = quote === null || base === null ? null : { quote: BigInt(quote), base: BigInt(base) }
    return { ...poolEventOf(row, dao), fees, reason }
  })
}

export async function putJudged (trx: Transaction<Tables>, names: Names, found: readonly JudgedEvent[]): Promise<void> {
  for (const { dao, seq, reason } of found) {
    const row = trx.updateTable('events').set({ reason }).where('dao', '=', names.id(dao)!)
    await row.where('seq', '=', seqText(seq)).execute()
  }
}
