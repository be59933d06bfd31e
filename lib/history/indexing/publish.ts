import type { Moment } from '../../chain/moment.js'
import { publishableSlot } from '../rules/published-slot.js'
import type { Context } from './context.js'
import type { Reconciler } from './reconcile.js'

/** Heads that wait for the accounts to confirm them: more than come until then. */
const MAX_HEADS = 64

/** Publishes block ranges that are final, at each head; whether there are any. Throws HISTORY_UNAVAILABLE. */
export function createPublisher (
  { store }: Context, { known, search: { met } }: Reconciler, excluded: ReadonlySet<string>
) {
  let heads: Moment[] = []

  return async (head: Moment): Promise<boolean> => {
    const last = await store.published()
    const published = last?.slot ?? -1
    heads = [...heads, head].filter(({ slot }) => slot > published).slice(-MAX_HEADS)
    const incompleteSlot = await store.incompleteSlot()
    const slot = publishableSlot(known(), { met, incompleteSlot, excluded })
    if (slot === undefined || slot <= published) return last !== null
    // its time is the Clock's, as that of events is: getBlockTime may differ
    const newest = heads.findLast(one => one.slot <= slot)
    const found = newest === undefined ? await store.newestBlock(slot) : { slot: newest.slot, at: newest.time }
    if (found === null || found.slot <= published) return last !== null
    await store.publish(found)
    return true
  }
}
