import { systemClock } from '../clock.js'
import type { RedisLink } from './redis.js'
import { type Count, createMinute, windowOf } from './minute-window.js'

/** Counts of all processes. */
export type SharedCounts = Pick<RedisLink, 'add' | 'up' | 'replicas'>

interface SharedCounterOptions {
  counts: SharedCounts
  /** Requests that may be made by a key in a window. */
  max: (key: string) => number
  /** Wall clock, ms. */
  now?: () => number
}

interface Client {
  /** Highest shared count seen. */
  shared: number
  /** Requests let through on this process's share. */
  own: number
  /** How many those may be; undefined before one needs to know. */
  share: number | undefined
}

/**
 * A counter of clock minutes over `counts`, in bounded memory. A client past the limit is not asked about again in that
 * minute. While counting together fails, and to the end of that minute, a process lets through what it knows to be left
 * divided by the number of processes, so that all together stay within the limit.
 */
export function createSharedCounter ({ counts, max: maxOf, now = systemClock.epoch }: SharedCounterOptions) {
  const minute = createMinute<Client>(() => ({ shared: 0, own: 0, share: undefined }), now)
  /** The last window in which shared counting failed: in it processes are on their shares. */
  let torn = -1

  function countOwn (client: Client, max: number): number {
    // with more processes than allowed requests, one each: a process that refuses everybody helps nobody
    client.share ??= Math.max(Math.floor((max - client.shared) / counts.replicas), client.shared === 0 ? 1 : 0)
    if (client.own >= client.share) return max + 1
    client.own++
    return max - client.share + client.own
  }

  async function countRequest (key: string, client: Client, window: number, max: number): Promise<number> {
    const own = torn === window ? countOwn(client, max) : undefined
    if (own !== undefined && own > max) return own
    if (counts.up) {
      try {
        const count = await counts.add(`${window}:${key}`)
        client.shared = Math.max(client.shared, count)
        return Math.max(count, own ?? 0)
      } catch {
        // `counts` reports it
      }
    }
    torn = window
    return own ?? countOwn(client, max)
  }

  return {
    /** Counts a request of `key`: past the limit where `current` is above its `max`. Never rejects. */
    async count (key: string): Promise<Count> {
      const { client, window, ttl } = minute.of(key)
      const max = maxOf(key)
      return { current: client.shared >= max ? max + 1 : await countRequest(key, client, window, max), ttl }
    },
    /** To be called when shared counting has ceased, or works again. */
    tear () { torn = windowOf(now()) }
  }
}
