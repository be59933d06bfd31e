/** Events that are not understood: which of them are still to be judged, and what was found. */
import { UNKNOWN_KIND } from '../../protocol/events.js'
import { putMeta } from './meta.js'
import { POOL_EVENT_COLUMNS, poolEventOf, seqText, sides } from './row-mapping.js'
import type { JudgedEvent } from './store.js'
import type { Read, View, Writing } from './view.js'

/** Unix second of the newest event of each DAO that is not understood. */
export async function readUnreadable ({ db, names }: View): Promise<Map<string, number>> {
  const rows = await db.selectFrom('events').select(['dao', 'at']).where('reason', 'is not', null)
    .orderBy('at').execute()
  return new Map(rows.map(({ dao, at }) => [names.address(dao), Number(at)]))
}

export const readUnjudged: Read<'unjudged'> = async ({ db, names }, limit) => {
  const rows = await db.selectFrom('events').select(['dao', 'seq']).where('reason', '=', UNKNOWN_KIND)
    .orderBy('at', 'desc').limit(limit).execute()
  return rows.map(({ dao, seq }) => ({ dao: names.address(dao), seq: BigInt(seq) }))
}

export const readEventsOf: Read<'eventsOf'> = async ({ db, names }, dao, from, limit) => {
  const rows = await db.selectFrom('events').select([...POOL_EVENT_COLUMNS, 'quote_fees', 'base_fees', 'reason'])
    .where('dao', '=', names.id(dao) ?? 0).where('seq', '>=', seqText(from)).orderBy('seq').limit(limit).execute()
  return rows.map(row => ({ ...poolEventOf(row, dao), fees: sides(row.quote_fees, row.base_fees), reason: row.reason }))
}

export async function putJudged ({ trx, names, numbers }: Writing, found: readonly JudgedEvent[]): Promise<void> {
  for (const { dao, seq, reason } of found) {
    const row = trx.updateTable('events').set({ reason }).where('dao', '=', names.id(dao)!)
    await row.where('seq', '=', seqText(seq)).execute()
  }
  await putMeta(trx, { revision: String(numbers.revision()) })
}
