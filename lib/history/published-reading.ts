import type { Store } from './store/store.js'
import type { Completeness } from './volumes/volumes.js'

/**
 * What never changes any more, and can be given out however far the history is behind: block ranges, and what began a
 * DAO.
 */
export interface PublishedReading extends Pick<Store, 'published' | 'poolEvents' | 'firstEvent'> {
  /**
   * Whether it is a stated loss that the event which began a DAO is not stored, and has been published as one: found
   * after all, it is late.
   */
  isBeginningLost (dao: string): Promise<boolean>
}

export function createPublishedReading (
  { published, poolEvents, firstEvent }: Store, { sequenceGaps, searched, lostBefore }: Completeness
): PublishedReading {
  return {
    published,
    poolEvents,
    firstEvent,
    async isBeginningLost (dao) {
      const gap = sequenceGaps.get(dao)?.find(({ from }) => from === 1n)
      if (lostBefore === null || gap === undefined || !searched(gap)) return false
      return gap.toSlot <= ((await published())?.slot ?? -1)
    }
  }
}
