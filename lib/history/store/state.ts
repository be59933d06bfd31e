import type { VolumeBasis, VolumeRule } from '../../market/volume.js'
import { fractionText, parseFraction } from '../rules/fixed-point.js'
import type { StoreState, UnattributedEvent } from '../rules/types.js'
import { readPublished } from './published.js'
import type { NotedState } from './types.js'
import { INDEXED_RANGE, SEQUENCE_RANGE, UNATTRIBUTED } from './tables.js'
import { grouped, isOneOf, readMeta, readRevision, type View } from './view.js'

/** The rule by which volumes are counted, as "basis n/d", and read again. */
export const valuationText = ({ basis, rate }: VolumeRule): string => `${basis} ${fractionText(rate)}`
function parseValuation (noted: string): VolumeRule {
  const [basis, fraction = ''] = noted.split(' ')
  return { basis: basis as VolumeBasis, rate: parseFraction(fraction) }
}

/** Indexed ranges have a table. */
export function notesOf ({ indexedRanges: _, numbersAhead, ...noted }: Partial<NotedState>): Record<string, string> {
  return {
    ...Object.fromEntries(Object.entries(noted).map(([key, value]) => [key, JSON.stringify(value)])),
    ...(numbersAhead !== undefined && {
      numbers_ahead: Array.from(numbersAhead, ([dao, seq]) => `${dao} ${seq}`).join('\n')
    })
  }
}

function stateOfNotes (
  notes: ReadonlyMap<string, string>
): Omit<NotedState, 'indexedRanges'> & Pick<StoreState, 'valuation' | 'rebuilding'> {
  const noted = <K extends keyof NotedState>(key: K, none: NotedState[K]) =>
    notes.has(key) ? JSON.parse(notes.get(key)!) as NotedState[K] : none
  const [valuation, begun] = [notes.get('valuation'), notes.get('rebuilding')]
  const [revision, counted] = notes.get('rebuilt_to')?.split(' ').map(Number) ?? []
  const ahead = notes.get('numbers_ahead')?.split('\n').filter(line => line !== '') ?? []
  return {
    ended: noted('ended', false),
    losses: noted('losses', []),
    numbersAhead: new Map(ahead.map(line => {
      const [dao = '', seq = ''] = line.split(' ')
      return [dao, BigInt(seq)]
    })),
    events: noted('events', 0),
    swaps: noted('swaps', 0),
    valuation: valuation === undefined ? null : parseValuation(valuation),
    rebuilding: begun === undefined
      ? null
      : { valuation: parseValuation(begun), revision: revision!, swaps: counted! }
  }
}

export const stateReads = {
  async load ({ db, addressOf }: View): Promise<StoreState> {
    const ranges = await db.selectFrom('sequence_ranges').selectAll().orderBy('dao').orderBy('first_seq').execute()
    const proposals = await db.selectFrom('proposals').selectAll().execute()
    const rates = await db.selectFrom('rates').selectAll().execute()
    const daos = await db.selectFrom('daos').selectAll().where('first_swap', 'is not', null).execute()
    const unreadable = await db.selectFrom('events').select(['dao', 'at']).where('reason', 'is not', null)
      .orderBy('at').execute()
    const indexedRanges = await db.selectFrom('indexed_ranges').selectAll().orderBy('newest_slot', 'desc').execute()
    return {
      ...stateOfNotes(await readMeta(db)),
      indexedRanges: indexedRanges.map(row => INDEXED_RANGE.read(row)),
      sequenceRanges: grouped(ranges, ({ dao }) => addressOf(dao), SEQUENCE_RANGE.read),
      proposals: new Map(proposals.map(({ proposal, dao }) => [proposal, addressOf(dao)])),
      missing: await db.selectFrom('missing').selectAll().orderBy('slot', 'desc').execute(),
      rates: new Map(rates.map(({ bps, swaps }) => [bps, swaps])),
      firstSwaps: new Map(daos.map(({ address, first_swap: at }) => [address, at!])),
      // the newest in its place
      unreadable: new Map(unreadable.map(({ dao, at }) => [addressOf(dao), at]))
    }
  },

  /** Those that wait for one of `keys`. */
  async unattributed (view: View, keys: readonly string[]): Promise<UnattributedEvent[]> {
    const rows = await view.db.selectFrom('unattributed').selectAll().where(eb => eb.or([
      isOneOf(view, 'unattributed', ['key_a'], keys.map(key => ({ key_a: key }))),
      isOneOf(view, 'unattributed', ['key_b'], keys.map(key => ({ key_b: key })))
    ])).execute()
    return rows.map(row => UNATTRIBUTED.read(row))
  },

  /** null: nothing yet. */
  published: readPublished,

  revision: ({ db }: View) => readRevision(db)
}
