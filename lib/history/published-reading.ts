import type { Store } from './store/store.js'
import type { Completeness } from './volumes/volumes.js'

/** What never changes any more, and can be given out however far the history is behind: block ranges, and what began a DAO. */
export interface PublishedReading extends Pick<Store, 'published' | 'poolEvents' | 'firstEvent'> {
  /** Whether it is a stated loss that the event which began a DAO is not stored: no node has it. */
  isBeginningLost (dao: string): boolean
}

export function createPublishedReading ({ published, poolEvents, firstEvent }: Store, { sequenceGaps, searched, lostBefore }: Completeness): PublishedReading {
  return {
    published,
    poolEvents,
    firstEvent,
    isBeginningLost: dao => lostBefore !== null && (sequenceGaps.get(dao) ?? []).some(gap => gap.from === 1n && searched(gap))
  }
}
