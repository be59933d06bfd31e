import { ServiceError } from '../../errors.js'
import { type AnswersOptions, createAnswers, type Seen as State } from '../answers.js'
import { gapKey, sequenceGapsOf } from '../rules/sequence-gaps.js'
import { otherNetwork } from '../store/failures.js'
import { createVolumes } from '../volumes/volumes.js'
import { type LeaderProgress, readLeaderProgress } from './leader-progress.js'
import type { PostgresReader } from './reader.js'

export interface FollowerOptions extends Omit<AnswersOptions, 'store' | 'last' | 'seeing'> {
  reader: PostgresReader
  /** The genesis hash of the network that is read beside the rows; undefined: not known yet. */
  network: () => string | undefined
}

type Seen = State & LeaderProgress

/** The answers of a history that another process may write, each from one state of the database. */
export function createFollower ({ reader: { store, together }, network, ...options }: FollowerOptions) {
  let seen: Seen | undefined

  async function look (db: Parameters<typeof readLeaderProgress>[0]): Promise<Seen> {
    const progress = await readLeaderProgress(db)
    // another lead may follow a database that was set back: what is in memory may be no more
    const before = seen?.fencingToken === progress.fencingToken ? seen : undefined
    const isSame = before?.revision === progress.revision
    const state = isSame ? before.state : await store.load()
    const sequenceGaps = isSame ? before.sequenceGaps : sequenceGapsOf(state)
    const volumes = before?.volumes ?? createVolumes(store, options.valuation)
    const searched: State['searched'] = gap => progress.lost.has(gapKey(gap))
    return (seen = { ...progress, state, sequenceGaps, searched, volumes })
  }

  function refusal (): ServiceError | undefined {
    const [kept, own] = [seen?.genesis, network()]
    return kept === undefined || own === undefined || kept === own ? undefined : otherNetwork(kept, own)
  }

  const seeing = <T>(work: (seen: Seen) => Promise<T>): Promise<T> => together(async db => {
    const now = await look(db)
    const wrong = refusal()
    if (wrong !== undefined) throw wrong
    if (network() === undefined) throw new ServiceError('WARMING_UP', 'the network of the node is not known yet')
    return await work(now)
  })
  const answers = createAnswers({ ...options, store, last: () => seen, seeing })

  return {
    ...answers,
    status: () => ({ ...answers.status(), refusal: refusal()?.message ?? null }),
    /** Looks at what has been written. Throws HISTORY_UNAVAILABLE. */
    refresh: (): Promise<void> => together(async db => { await look(db) })
  }
}
