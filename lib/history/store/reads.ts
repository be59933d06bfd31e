/** What a writer knows when it begins, and the notes of a rebuild. */
import type { StoreState } from '../rules/types.js'
import { readMeta } from './meta.js'
import { indexedRangeOf, nullable, numbersOf, parseValuation, sequenceRangeOf, unattributedOf } from './row-mapping.js'
import { readUnreadable } from './judged.js'
import type { Read } from './view.js'

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
