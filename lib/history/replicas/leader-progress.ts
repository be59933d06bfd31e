import type { Progress } from '../status.js'
import type { Store } from '../store/create-store.js'
import { NO_OWNERS } from '../rules/completeness.js'
import type { SequenceGap } from '../rules/sequence-gaps.js'
import { isComplete } from '../rules/signature-ranges.js'

const NOTHING: Pick<Progress, 'lastDay' | 'verifiedTo' | 'missingOwners'> = {
  lastDay: null, verifiedTo: null, missingOwners: NO_OWNERS
}

export type LeaderProgress = Awaited<ReturnType<typeof readLeaderProgress>>

/** One that has grown is another. */
export const lostKey = ({ dao, from, to }: SequenceGap): string => `${dao} ${from} ${to}`

/** `lost`: sequence gaps that are stated losses, by `lostKey`. */
export async function readLeaderProgress (store: Store) {
  const { progress = '{}', ...leader } = await store.leader()
  const { lost, ...told } = JSON.parse(progress)
  return { ...NOTHING, ...told as Partial<typeof NOTHING>, ...leader, lost: new Set<string>(lost) }
}

/**
 * Tells it to followers, with what earlier leaders told: a new one has yet to search the gaps, and to come as far. What
 * was lost and found since is no gap any more, once the walk shows them all.
 */
export const createProgressWriter = (store: Store) => async (progress: Progress) => {
  const { lastDay, verifiedTo, sequenceGaps, isLost, missingOwners } = progress
  const before = await readLeaderProgress(store)
  const gaps = new Map([...sequenceGaps.values()].flat().map(gap => [lostKey(gap), gap]))
  const lost = [...gaps].filter(([key, gap]) => before.lost.has(key) || isLost(gap)).map(([key]) => key)
  await store.tell(JSON.stringify({
    lastDay,
    verifiedTo: verifiedTo ?? before.verifiedTo,
    missingOwners,
    lost: isComplete(progress) ? lost : [...new Set([...before.lost, ...lost])]
  }))
}
