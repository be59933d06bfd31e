import { sql } from 'kysely'
import { type NumberAt, SEQUENCE_RANGE, type StoreState } from '../rules/rows.js'
import { jsonText, jsonValue } from '../rules/mapping.js'
import type { NotedState, PublishedSlot } from './types.js'
import { grouped, readMeta, revisionOf, type View } from './view.js'

type Noted = NotedState & Pick<StoreState, 'valuation' | 'rebuilding'>

export const notesOf = (noted: Partial<Noted>): Record<string, string> =>
  Object.fromEntries(Object.entries(noted).map(([key, value]) => [key, jsonText(value)]))

function stateOfNotes (notes: ReadonlyMap<string, string>): Noted {
  const noted = <T>(key: string, none: T): T => notes.has(key) ? jsonValue(notes.get(key)!) : none
  return {
    indexedRanges: noted('indexedRanges', []),
    ended: noted('ended', false),
    losses: noted('losses', []),
    numbersAhead: new Map(noted<Array<[string, string]>>('numbersAhead', []).map(([dao, seq]) => [dao, BigInt(seq)])),
    numbersBefore: new Map(noted<Array<[string, Omit<NumberAt, 'seq'> & { seq: string }]>>('numbersBefore', [])
      .map(([dao, { seq, ...at }]) => [dao, { seq: BigInt(seq), ...at }])),
    events: noted('events', 0),
    swaps: noted('swaps', 0),
    rates: new Map(noted<Array<[string, number]>>('rates', [])),
    valuation: noted('valuation', null),
    rebuilding: noted('rebuilding', null)
  }
}

export const publishedOf = (meta: ReadonlyMap<string, string>): PublishedSlot | null =>
  JSON.parse(meta.get('published') ?? 'null')

export const stateReads = {
  async load ({ db, addressOf }: View): Promise<StoreState> {
    const first = sql<number | null>`(
      select at from events where dao = daos.id and side is not null order by at limit 1)`
    const [meta, ranges, missing, daos, unreadable] = await Promise.all([
      readMeta(db),
      db.selectFrom('sequence_ranges').selectAll().orderBy('dao').orderBy('first_seq').execute(),
      db.selectFrom('missing').selectAll().orderBy('slot', 'desc').execute(),
      db.selectFrom('daos').select(['address', first.as('at')]).execute(),
      // by DAO, as in its index: by time every event would be read
      db.selectFrom('events').select(({ fn }) => ['dao', fn.max('at').as('at')])
        .where('reason', 'is not', null).groupBy('dao').execute()
    ])
    return {
      ...stateOfNotes(meta),
      sequenceRanges: grouped(ranges, ({ dao }) => addressOf(dao), SEQUENCE_RANGE.read),
      missing: new Map(missing.map(row => [row.signature, row])),
      firstSwaps: new Map(daos.flatMap(({ address, at }) => at === null ? [] : [[address, at]])),
      unreadable: new Map(unreadable.map(({ dao, at }) => [addressOf(dao), at]))
    }
  },

  /** null: nothing yet. */
  published: async ({ db }: View) => publishedOf(await readMeta(db)),

  revision: async ({ db }: View) => revisionOf(await readMeta(db)),

  /** Of who writes: undefined before the first. */
  async leader ({ db }: View) {
    const meta = await readMeta(db)
    return {
      /** Grows with every step. */
      revision: revisionOf(meta),
      /** Grows with every process that takes the lead. */
      fencingToken: meta.get('epoch'),
      /** The network of the rows, by its genesis hash. */
      genesis: meta.get('genesis'),
      isPublished: meta.has('published'),
      /** What it has told. */
      progress: meta.get('progress')
    }
  }
}
