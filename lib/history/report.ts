import type { Completeness } from './completeness.js'
import type { Hole } from './gaps.js'
import type { Recorder } from './recorder.js'

/** Per DAO: the newest sequence number stored, the numbers missing (both ends included), the Unix second of the first swap. */
export type Report = ReadonlyMap<string, { indexed: bigint, holes: Array<[bigint, bigint]>, firstSwap: number | null }>

/** Gives the report of now: the same map as long as nothing has changed, so asking for it costs nothing. */
export function createReport ({ state }: Pick<Recorder, 'state'>, completeness: Pick<Completeness, 'holes' | 'accounts'>): () => Report {
  let made: { of: ReadonlyMap<string, Hole[]>, report: Report } | undefined
  return () => {
    const holes = completeness.holes()
    if (made?.of === holes) return made.report
    const daos = new Set([...completeness.accounts.keys(), ...state.intervals.keys()])
    const report: Report = new Map(Array.from(daos, dao => [dao, {
      indexed: state.intervals.get(dao)?.at(-1)?.high ?? 0n,
      holes: (holes.get(dao) ?? []).map(({ from, to }): [bigint, bigint] => [from, to]),
      firstSwap: state.firstSwaps.get(dao) ?? null
    }]))
    made = { of: holes, report }
    return report
  }
}
