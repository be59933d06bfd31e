import type { Reconciler } from './indexing/reconcile.js'
import type { SequenceGap } from './rules/sequence-gaps.js'
import type { StepWriter } from './indexing/step-writer.js'

/**
 * Per DAO: the newest sequence number stored, the numbers missing (both ends included), the Unix second of the first
 * swap, and the slot of the oldest event stored.
 */
export type HistoryReport = ReadonlyMap<string, {
  indexed: bigint,
  sequenceGaps: Array<[bigint, bigint]>,
  firstSwap: number | null,
  firstSlot: number | null
}>

/** Gives the report of now: the same map as long as nothing has changed, so asking for it costs nothing. */
export function createReport (
  { state }: Pick<StepWriter, 'state'>, reconciler: Pick<Reconciler, 'sequenceGaps' | 'accounts'>
): () => HistoryReport {
  let made: { of: ReadonlyMap<string, SequenceGap[]>, report: HistoryReport } | undefined
  return () => {
    const sequenceGaps = reconciler.sequenceGaps()
    if (made?.of === sequenceGaps) return made.report
    const daos = new Set([...reconciler.accounts.keys(), ...state.sequenceRanges.keys()])
    const report: HistoryReport = new Map(Array.from(daos, dao => [dao, {
      indexed: state.sequenceRanges.get(dao)?.at(-1)?.last ?? 0n,
      sequenceGaps: sequenceGaps.get(dao)?.map(({ from, to }): [bigint, bigint] => [from, to]) ?? [],
      firstSwap: state.firstSwaps.get(dao) ?? null,
      firstSlot: state.sequenceRanges.get(dao)?.[0]?.firstSlot ?? null
    }]))
    made = { of: sequenceGaps, report }
    return report
  }
}
