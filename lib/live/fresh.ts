import { LRUCache } from 'lru-cache'

/** Values that age: kept while fresh, renewed by one load at a time, and served stale only for a stated while after loads fail. */

export interface Aged<V> {
  value: V
  /** Milliseconds since the value was asked for from its source. */
  age: number
  /** Milliseconds for which it stays fresh; 0 when it is stale. */
  left: number
}

export interface FreshOptions<K, V> {
  load: (key: K) => Promise<V>
  /** How long a value is fresh, ms. */
  ttl: number
  /** How much longer it is served when renewing it fails, ms. */
  staleIfError: number
  /** Most keys kept; the least recently used goes. */
  max: number
  now?: () => number
  /** When the value's own source was read, ms, for a value made of others; by default when its load began. */
  readAt?: (value: V) => number
  /** Told of every load that fails, those behind a stale answer too. */
  onFailure?: (error: unknown) => void
}

export interface FreshCache<K, V> {
  /**
   * The value of `key`, loaded where there is none younger than `maxAge` ms (its lifetime, where not given). Throws what the load throws once
   * nothing may be served in its stead.
   */
  get (key: K, maxAge?: number): Promise<Aged<V>>
  /** The value as it is kept, whatever its age; loads nothing. */
  peek (key: K): Aged<V> | undefined
}

/** From this share of its life on, a value that is asked for is renewed in the background, so that nobody waits for it. */
export const RENEW_FROM = 0.8
/** After a failed load a stale value is served without trying again for this long, ms: a node that hangs must not make every answer hang. */
const RETRY_AFTER = 1_000

interface Entry<V> {
  value: V
  at: number
  failedAt: number
}

export function createFreshCache<K extends {}, V extends {}> (options: FreshOptions<K, V>): FreshCache<K, V> {
  const { load, ttl, staleIfError, max, now = Date.now, readAt, onFailure } = options
  const entries = new LRUCache<K, Entry<V>>({ max })
  const loads = new Map<K, Promise<Entry<V>>>()

  function renew (key: K): Promise<Entry<V>> {
    const running = loads.get(key)
    if (running !== undefined) return running
    const begun = now()
    const started = load(key).then(value => {
      const entry = { value, at: readAt?.(value) ?? begun, failedAt: -Infinity }
      entries.set(key, entry)
      return entry
    }, error => {
      const entry = entries.peek(key)
      if (entry !== undefined) entry.failedAt = now()
      onFailure?.(error)
      throw error
    }).finally(() => loads.delete(key))
    loads.set(key, started)
    return started
  }

  function aged ({ value, at }: Entry<V>): Aged<V> {
    const age = Math.max(0, now() - at)
    return { value, age, left: Math.max(0, ttl - age) }
  }

  return {
    async get (key, maxAge = ttl) {
      const entry = entries.get(key)
      if (entry === undefined) return aged(await renew(key))
      const { age } = aged(entry)
      const mayTry = now() - entry.failedAt >= RETRY_AFTER
      if (age < maxAge) {
        // the failure is counted by onFailure, and met again by whoever asks once the value has aged
        if (age >= ttl * RENEW_FROM && mayTry) renew(key).catch(() => {})
        return aged(entry)
      }
      if (!mayTry && age < ttl + staleIfError) return aged(entry)
      try {
        return aged(await renew(key))
      } catch (error) {
        if (aged(entry).age < ttl + staleIfError) return aged(entry)
        throw error
      }
    },
    peek (key) {
      const entry = entries.peek(key)
      return entry && aged(entry)
    }
  }
}
