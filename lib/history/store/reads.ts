/** What a writer knows when it begins, and the notes of a rebuild. */
import type { StoreState } from '../rules/types.js'
import { readMeta, type Read, putMeta, type View, type Writing } from './view.js'
import {
  indexedRangeOf, nullable, numbersOf, parseValuation, sequenceRangeOf, unattributedOf, POOL_EVENT_COLUMNS,
  poolEventOf, seqText, sides
} from './row-mapping.js'
import { UNKNOWN_KIND } from '../../protocol/events.js'
import type { JudgedEvent } from './store.js'

export const readState: Read<'load'> = async view => {
  const { db, names } = view
  const meta = await readMeta(db)
  const sequenceRanges: StoreState['sequenceRanges'] = new Map()
  for (const row of await db.selectFrom('sequence_ranges').selectAll().orderBy('dao').orderBy('first_seq').execute()) {
    const dao = names.address(row.dao)
    const list = sequenceRanges.get(dao)
    if (list === undefined) sequenceRanges.set(dao, [sequenceRangeOf(row)])
    else list.push(sequenceRangeOf(row))
  }
  const unattributed = await db.selectFrom('unattributed').select(['key_a', 'key_b']).execute()
  const proposals = await db.selectFrom('proposals').selectAll().execute()
  const missing = await db.selectFrom('missing').selectAll().orderBy('slot', 'desc').execute()
  const rates = await db.selectFrom('rates').selectAll().execute()
  const daos = await db.selectFrom('daos').selectAll().where('first_swap', 'is not', null).execute()
  const indexedRanges = await db.selectFrom('indexed_ranges').selectAll().orderBy('newest_slot', 'desc').execute()
  return {
    indexedRanges: indexedRanges.map(indexedRangeOf),
    ended: meta.get('ended') === 'true',
    sequenceRanges,
    proposals: new Map(proposals.map(({ proposal, dao }) => [proposal, names.address(dao)])),
    unattributedKeys: new Set(unattributed.flatMap(row => [row.key_a, row.key_b]).filter(key => key !== null)),
    missing: missing.map(({ slot, at, ...row }) => ({ ...row, slot: Number(slot), at: nullable(at) })),
    losses: JSON.parse(meta.get('losses') ?? '[]') as StoreState['losses'],
    beginning: nullable(meta.get('beginning') ?? null),
    numbersAhead: numbersOf(meta.get('numbers_ahead') ?? ''),
    rates: new Map(rates.map(({ bps, swaps }) => [bps, Number(swaps)])),
    firstSwaps: new Map(daos.map(({ address, first_swap: at }) => [address, Number(at)])),
    unreadable: await readUnreadable(view),
    events: Number(meta.get('events') ?? 0),
    swaps: Number(meta.get('swaps') ?? 0)
  }
}

export const readValuation: Read<'valuation'> = async ({ db }) => {
  const noted = (await readMeta(db)).get('valuation')
  return noted === undefined ? null : parseValuation(noted)
}

export const readRebuilding: Read<'rebuilding'> = async ({ db }) => {
  const meta = await readMeta(db)
  const noted = meta.get('rebuilding')
  if (noted === undefined) return null
  const [revision, swaps] = meta.get('rebuilt_to')!.split(' ').map(Number)
  return { valuation: parseValuation(noted), revision: revision!, swaps: swaps! }
}

export const readUnattributed: Read<'unattributed'> = async ({ db }, keys) => {
  const rows = await db.selectFrom('unattributed').selectAll()
    .where(eb => eb.or([eb('key_a', 'in', keys), eb('key_b', 'in', keys)])).execute()
  return rows.map(unattributedOf)
}

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
