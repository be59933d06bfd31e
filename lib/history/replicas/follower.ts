import pg from 'pg'
import { createTurns, orLate } from '../../async.js'
import { systemClock } from '../../clock.js'
import { type ServiceError, unusable, warmingUp } from '../../errors.js'
import { type AnswersOptions, createAnswers, type Seen as State } from '../answers.js'
import { sequenceGapsOf } from '../rules/sequence-gaps.js'
import { createStore } from '../store/create-store.js'
import { failed, otherNetwork } from '../store/failures.js'
import { configOf, type PostgresLocation, tablesOf } from '../store/postgres-connection.js'
import { type Db, NUMERIC_COLUMNS } from '../store/tables.js'
import { createVolumes } from '../volumes/volumes.js'
import { type LeaderProgress, lostKey, readLeaderProgress } from './leader-progress.js'

/** Longest wait for the first answer of the database, and for a reading, ms: a silent one takes longer to fail. */
const PATIENCE_MS = 4_000
const WHOLE_MS = 9_000
/** For a connection that nobody uses. */
const UNUSED_MS = 30_000

const slow = () => unusable('the database takes too long')

/** Of a process that only reads; the tables exist by the first use. */
export function openPostgresReader (place: PostgresLocation) {
  const pool = new pg.Pool({ ...configOf(place), max: 1, idleTimeoutMillis: UNUSED_MS })
  // without listeners the loss of a connection would end the process
  pool.on('error', () => {}).on('connect', client => { client.on('error', () => {}) })
  const turns = createTurns()
  let opened: Db | undefined

  async function reading<T> (work: (db: Db) => Promise<T>): Promise<T> {
    if (opened !== undefined) return await work(opened)
    try {
      const client = await pool.connect()
      // a truncated table is empty in older states, too: a rebuild waits for us, or we for it, before ours is chosen
      const begun = client.query('start transaction isolation level repeatable read read only; ' +
        'lock table candles in access share mode')
      const read = Promise.all([work(tablesOf(client)), begun])
      // the answer does not wait for the end
      read.catch(() => {}).then(() => client.query('commit')).then(() => client.release(), client.release)
      return (await read)[0]
    } catch (error) {
      throw failed("the history can't be read", error)
    }
  }

  return {
    store: createStore({
      types: NUMERIC_COLUMNS,
      reading,
      writing: async () => { throw new Error('this process does not write') },
      release: () => pool.end()
    }),
    /**
     * Has what `work` reads through `store` be of one state of the database; one after the other, so that an older
     * state is never read after a newer one. Throws HISTORY_UNAVAILABLE.
     */
    async together<T> (work: () => Promise<T>): Promise<T> {
      const asked = systemClock.now()
      return await turns(async () => {
        if (systemClock.now() - asked > PATIENCE_MS) throw slow()
        return await reading(async trx => {
          opened = trx
          try {
            return await work()
          } finally {
            opened = undefined
          }
        })
      })
    }
  }
}

export interface FollowerOptions extends Omit<AnswersOptions, 'store' | 'last' | 'seeing'> {
  reader: ReturnType<typeof openPostgresReader>
  /** The genesis hash of the network of the node; undefined: not known yet. */
  network: () => string | undefined
}

type Seen = State & LeaderProgress

/** The answers of a history that another process writes, each from one state of the database. */
export function createFollower ({ reader: { store, together }, network, ...options }: FollowerOptions) {
  let seen: Seen | undefined
  let tellLoaded = () => {}
  const loaded = new Promise<void>(resolve => { tellLoaded = resolve })

  async function look (tellAnswered = () => {}): Promise<Seen> {
    const progress = await readLeaderProgress(store)
    tellAnswered()
    // before a new lead the database may have been restored from a backup: what is in memory may be gone
    const before = seen?.fencingToken === progress.fencingToken ? seen : undefined
    const state = before?.revision === progress.revision ? before : await store.load()
    const volumes = before?.volumes ?? createVolumes(store, options.valuation)
    const isLost: State['isLost'] = gap => progress.lost.has(lostKey(gap))
    seen = { ...state, ...progress, sequenceGaps: sequenceGapsOf(state), isLost, volumes }
    tellLoaded()
    return seen
  }

  function refusal (): ServiceError | undefined {
    const [kept, own] = [seen?.genesis, network()]
    return kept === undefined || own === undefined || kept === own ? undefined : otherNetwork(kept, own)
  }

  async function seeing<T> (work: (seen: Seen) => Promise<T>): Promise<T> {
    let tellAnswered = () => {}
    const answered = new Promise<void>(resolve => { tellAnswered = resolve })
    const all = orLate(together(async () => {
      const now = await look(tellAnswered)
      const wrong = refusal()
      if (wrong !== undefined) throw wrong
      if (network() === undefined) throw warmingUp('the network of the node is not known yet')
      return await work(now)
    }), WHOLE_MS, slow)
    await orLate(Promise.race([answered, all]), PATIENCE_MS, slow)
    return await all
  }
  const answers = createAnswers({ ...options, store, last: () => seen, seeing })

  return {
    ...answers,
    loaded,
    status: () => ({ ...answers.status(), refusal: refusal()?.message ?? null }),
    /** Throws HISTORY_UNAVAILABLE. */
    refresh: (): Promise<void> => together(async () => { await look() })
  }
}
