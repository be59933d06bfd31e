import { isServiceError } from '../../errors.js'
import { publishableSlot } from '../rules/published-slot.js'
import type { PublishedSlot } from '../store/types.js'
import { completenessOf } from '../status.js'
import type { Context } from './context.js'
import type { Reconciler } from './reconcile.js'

/** Slots without a block looked behind for one: a block's time belongs to what is published. */
const MAX_SKIPPED = 16

/** The newest slot up to `slot` that has a block, with its time; where no node tells, that of a stored event. */
async function withTime ({ reader, store }: Context, slot: number, above: number): Promise<PublishedSlot | null> {
  try {
    for (let at = slot; at > above && at > slot - MAX_SKIPPED; at--) {
      const time = await reader.blockTime(at, { priority: 'head' })
      if (time !== null) return { slot: at, at: time }
    }
  } catch (error) {
    if (!isServiceError(error)) throw error
  }
  return await store.newestBlock(slot)
}

/** Publishes block ranges as far as nothing can change in them. Throws HISTORY_UNAVAILABLE. */
export async function publish (context: Context, { proof, search: { meetsMissing } }: Reconciler): Promise<void> {
  const { store, writer } = context
  const published = (await store.published())?.slot ?? -1
  const incompleteSlot = await store.incompleteSlot()
  const slot = publishableSlot(completenessOf(writer.state, proof()), { meetsMissing, incompleteSlot })
  if (slot === undefined || slot <= published) return
  const found = await withTime(context, slot, published)
  if (found !== null) await store.publish(found)
}
