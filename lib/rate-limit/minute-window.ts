import { LRUCache } from 'lru-cache'
import { systemClock } from '../clock.js'
import { upTo } from '../lru.js'

export const WINDOW = 60_000
/** Clients counted at once, about 20 MB; beyond, the one not seen for longest is forgotten. */
export const MAX_CLIENTS = 100_000

export interface Count {
  /** Requests in this window, this one included. */
  current: number
  /** Milliseconds until the window turns. */
  ttl: number
}

export function createWindowCounter (now: () => number = systemClock.epoch, most: number = MAX_CLIENTS) {
  const counts = new LRUCache<string, { current: number }>(upTo(most))
  let window = 0
  return {
    count (key: string): Count {
      const time = now()
      const turned = Math.floor(time / WINDOW)
      if (turned !== window) {
        counts.clear()
        window = turned
      }
      const ttl = WINDOW - time % WINDOW
      const known = counts.get(key)
      if (known !== undefined) return { current: ++known.current, ttl }
      counts.set(key, { current: 1 })
      return { current: 1, ttl }
    },
    /** Clients counted in this window. */
    size: () => counts.size
  }
}
