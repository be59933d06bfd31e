/** How far the process that writes has come. */
import type { Kysely } from 'kysely'
import type { Progress } from '../status.js'
import type { Engine } from '../store/create-store.js'
import { putMeta, readMeta } from '../store/view.js'
import { NO_OWNERS } from '../rules/missing-owners.js'
import { gapKey } from '../rules/sequence-gaps.js'
import type { Tables } from '../store/tables.js'

type Told = Pick<Progress, 'head' | 'lastDay' | 'isPublished' | 'verifiedTo' | 'missingOwners'>

export interface LeaderProgress extends Told {
  /** Grows with every step. */
  revision: number
  /** Grows with every process that takes the lead; undefined before the first. */
  fencingToken: string | undefined
  /** The network of the rows, by its genesis hash; undefined before the first. */
  genesis: string | undefined
  /** Sequence gaps that have been looked for in vain, by `gapKey`. */
  lost: Set<string>
}

export async function readLeaderProgress (db: Kysely<Tables>): Promise<LeaderProgress> {
  const meta = await readMeta(db)
  const noted = JSON.parse(meta.get('progress') ?? '{}')
  return {
    head: null,
    lastDay: null,
    isPublished: false,
    verifiedTo: null,
    missingOwners: NO_OWNERS,
    ...noted,
    revision: Number(meta.get('revision') ?? 0),
    fencingToken: meta.get('epoch'),
    genesis: meta.get('genesis'),
    lost: new Set(noted.lost)
  }
}

/** Writes that, and all gaps ever looked for in vain: a new lead has yet to look for them, and to come as far. */
export const createProgressWriter = ({ writing }: Pick<Engine, 'writing'>) =>
  ({ head, lastDay, isPublished, verifiedTo, sequenceGaps, searched, missingOwners }: Progress): Promise<void> =>
    writing(async trx => {
      const before = await readLeaderProgress(trx)
      const lost = [...before.lost, ...[...sequenceGaps.values()].flat().filter(searched).map(gapKey)]
      const told: Told & { lost: string[] } = {
        head: head ?? before.head,
        lastDay,
        isPublished: isPublished || before.isPublished,
        verifiedTo: verifiedTo ?? before.verifiedTo,
        missingOwners,
        lost: [...new Set(lost)]
      }
      await putMeta(trx, { progress: JSON.stringify(told) })
    })
