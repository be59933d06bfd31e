import { isServiceError } from '../../errors.js'
import type { Completeness } from '../rules/completeness.js'
import { publishableSlot, type PublishView } from '../rules/published-slot.js'
import type { Context } from './context.js'

/** Slots without a block looked behind for one: a block's time belongs to what is published. */
const MAX_SKIPPED = 16

/** Publishes block ranges as far as nothing can change in them. Throws HISTORY_UNAVAILABLE. */
export function createPublisher (
  { reader, store }: Context, known: () => Completeness, meetsMissing: PublishView['meetsMissing']
): () => Promise<void> {
  /** The newest slot up to `slot` that has a block, with its time. */
  async function withTime (slot: number, above: number): Promise<{ slot: number, at: number } | undefined> {
    for (let at = slot; at > above && at > slot - MAX_SKIPPED; at--) {
      const time = await reader.blockTime(at, { priority: 'head' })
      if (time !== null) return { slot: at, at: time }
    }
    return undefined
  }

  return async () => {
    const published = (await store.published())?.slot ?? -1
    const incompleteSlot = await store.incompleteSlot()
    const slot = publishableSlot(known(), { meetsMissing, incompleteSlot })
    if (slot === undefined || slot <= published) return
    try {
      const found = await withTime(slot, published)
      if (found !== undefined) await store.publish(found)
    } catch (error) {
      // the head is looked at again soon, and then this is, too
      if (!isServiceError(error) || error.code === 'HISTORY_UNAVAILABLE') throw error
    }
  }
}
