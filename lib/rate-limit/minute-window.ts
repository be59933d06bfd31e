import { LRUCache } from 'lru-cache'
import { systemClock } from '../clock.js'
import { upTo } from '../lru.js'

export const WINDOW = 60_000
/** Clients counted at once, about 20 MB; beyond, the one not seen for longest is forgotten. */
export const MAX_CLIENTS = 100_000

/** Requests in this window, this one included, and the milliseconds until it turns. */
export interface Count { current: number, ttl: number }

/** Number of the clock minute in which `time` is, Unix ms. */
export const windowOf = (time: number) => Math.floor(time / WINDOW)

/** What is kept of each client until the clock's minute turns: at first what `make` gives. */
export function createMinute<T extends object> (make: () => T, now: () => number = systemClock.epoch) {
  const clients = new LRUCache<string, T>(upTo(MAX_CLIENTS))
  let current = 0
  return {
    of (key: string) {
      const time = now()
      const window = windowOf(time)
      if (window !== current) {
        clients.clear()
        current = window
      }
      let client = clients.get(key)
      if (client === undefined) clients.set(key, client = make())
      return { client, window, ttl: WINDOW - time % WINDOW }
    },
    size: () => clients.size
  }
}

export function createWindowCounter (now?: () => number) {
  const { of, size } = createMinute(() => ({ current: 0 }), now)
  return {
    count (key: string): Count {
      const { client, ttl } = of(key)
      return { current: ++client.current, ttl }
    },
    size
  }
}
