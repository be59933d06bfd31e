import { isServiceError } from '../../errors.js'
import { publishableSlot } from '../rules/published-slot.js'
import { isComplete } from '../status.js'
import type { Context } from './context.js'
import type { Reconciler } from './reconcile.js'

/** Slots without a block looked behind for one: a block's time belongs to what is published. */
const MAX_SKIPPED = 16

/** Publishes block ranges as far as nothing can change in them. Throws HISTORY_UNAVAILABLE. */
export function createPublisher (
  { reader, store, writer: { state } }: Context, reconciler: Reconciler
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
    try {
      const found = await withTime(slot, published)
      if (found === undefined) return
      await store.publish(found)
      published = found.slot
    } catch (error) {
      // the head is looked at again soon, and then this is, too
      if (!isServiceError(error) || error.code === 'HISTORY_UNAVAILABLE') throw error
    }
  }
}
