import { LRUCache } from 'lru-cache'
import { systemClock } from '../clock.js'
import { upTo } from '../lru.js'
import { type Count, MAX_CLIENTS, WINDOW } from './minute-window.js'

/** Where the counts of all processes are. */
export interface SharedCounts {
  /** Adds to the count of a client and minute, and gives the sum; rejects soon when it can't. */
  add (key: string, n: number): Promise<number>
  readonly up: boolean
  /** Processes that count together, this one included, as far as is known. */
  readonly replicas: number
}

interface SharedCounterOptions {
  counts: SharedCounts
  /** Requests that a client may make in a window. */
  max: number
  /** Wall clock, ms. */
  now?: () => number
  most?: number
}

export type SharedCounter = ReturnType<typeof createSharedCounter>

interface Client {
  /** Highest shared count seen. */
  shared: number
  /** Requests let through by this process that the shared count has not been told of. */
  untold: number
  /** Requests let through on this process's share. */
  own: number
  /** How many those may be, from the first request on that needs to know. */
  share: number | undefined
}

/**
 * A counter of clock minutes over `counts`, in bounded memory. A client past the limit is not asked about again in that
 * minute. While counting together fails, and to the end of that minute, a process lets through what it knows to be left
 * divided by the number of processes, so that all together stay within the limit.
 */
export function createSharedCounter (
  { counts, max, now = systemClock.epoch, most = MAX_CLIENTS }: SharedCounterOptions
) {
  const clients = new LRUCache<string, Client>(upTo(most))
  let window = 0
  /** Counting together has failed in this window: processes are on their shares. */
  let torn = false

  function turn (time: number): void {
    const turned = Math.floor(time / WINDOW)
    if (turned === window) return
    clients.clear()
    window = turned
    torn = false
  }

  function clientOf (key: string): Client {
    const known = clients.get(key)
    if (known !== undefined) return known
    const client = { shared: 0, untold: 0, own: 0, share: undefined }
    clients.set(key, client)
    return client
  }

  /** The count of a request on the share of this process. */
  function countOwn (client: Client): number {
    // more processes than requests allowed: one each, since a process that refuses everybody helps nobody
    client.share ??= Math.max(Math.floor((max - client.shared) / counts.replicas), client.shared === 0 ? 1 : 0)
    if (client.own >= client.share) return max + 1
    client.own++
    return max - client.share + client.own
  }

  /** The count of a request that all processes know of, or of one on the share where that fails. */
  async function countRequest (key: string, client: Client): Promise<number> {
    let own = torn ? countOwn(client) : 0
    if (own > max) return own
    const told = client.untold + 1
    client.untold = 0
    if (counts.up) {
      try {
        const count = await counts.add(key, told)
        client.shared = Math.max(client.shared, count)
        return Math.max(count, own)
      } catch {
        // whoever made `counts` tells of it; here its requests count on the share
      }
    }
    torn = true
    if (own === 0) own = countOwn(client)
    client.untold += own > max ? told - 1 : told
    return own
  }

  return {
    /** Counts a request of `key`: past the limit where `current` is above `max`. Never rejects. */
    async count (key: string): Promise<Count> {
      const time = now()
      turn(time)
      const ttl = WINDOW - time % WINDOW
      const client = clientOf(key)
      if (client.shared >= max) return { current: max + 1, ttl }
      return { current: await countRequest(`${window}:${key}`, client), ttl }
    },
    /** Counting together has ceased, or works again: to the end of the minute each keeps to its share. */
    tear () {
      turn(now())
      torn = true
    }
  }
}
