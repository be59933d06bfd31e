import type { HistoryReader } from '../../chain/types.js'
import { isServiceError } from '../../errors.js'
import { publishableSlot } from '../rules/published-slot.js'
import { isComplete } from '../status.js'
import type { Store } from '../store/store.js'
import type { Reconciler } from './reconcile.js'
import type { StepWriter } from './commit.js'

/** Slots without a block in a row that are looked behind for one: a block's time belongs to what is published. */
const MAX_SKIPPED = 16

/** Publishes block ranges as far as nothing can change in them, at each reached head. Throws HISTORY_UNAVAILABLE. */
export function createPublisher (
  reader: HistoryReader, store: Store, { state }: Pick<StepWriter, 'state'>, reconciler: Reconciler
): () => Promise<void> {
  let published: number | undefined

  /** The newest slot up to `slot` that has a block, with its time. */
  async function withTime (slot: number, above: number): Promise<{ slot: number, at: number } | undefined> {
    for (let at = slot; at > above && at > slot - MAX_SKIPPED; at--) {
      const time = await reader.blockTime(at, { priority: 'head' })
      if (time !== null) return { slot: at, at: time }
    }
    return undefined
  }

  return async () => {
    const { verifiedSlot, wasSearched: searched, isWithheld: withheld } = reconciler
    const view = {
      complete: isComplete(state),
      listed: state.indexedRanges.length > 0,
      verifiedSlot,
      sequenceGaps: [...reconciler.sequenceGaps().values()].flat(),
      searched,
      withheld,
      losses: state.losses,
      missing: state.missing
    }
    published ??= (await store.published())?.slot ?? -1
    const quick = publishableSlot({ ...view, incompleteSlot: null })
    if (quick === undefined || quick <= published) return
    const slot = publishableSlot({ ...view, incompleteSlot: (await store.incompleteSlots())?.oldest ?? null })
    if (slot === undefined || slot <= published) return
    let found
    try {
      found = await withTime(slot, published)
    } catch (error) {
      if (isServiceError(error)) return   // the head is looked at again soon, and then this is, too
      throw error
    }
    if (found === undefined) return
    await store.publish(found)
    published = found.slot
  }
}
