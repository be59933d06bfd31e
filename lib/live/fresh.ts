import { LRUCache } from 'lru-cache'
import { systemClock } from '../clock.js'
import { ServiceError } from '../errors.js'

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
  /** Milliseconds, steadily growing. */
  now?: () => number
  /** When the state that the value shows was first seen, ms; by default when its load began. */
  readAt?: (value: V) => number
  /** For how long the chain itself has stood, ms, 0 where it moves: a value is served so much longer, since its state has been the state. */
  haltedMs?: () => number
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
/** After a load that brought nothing newer a stale value is served without trying again for this long, ms: a node that hangs must not make every answer hang. */
const RETRY_AFTER = 1_000
/** How long a load is waited for, ms: with a stale value that may be served meanwhile, and without. A slow node may need longer; the load goes on. */
const WAIT_WITH_VALUE = 2_000
const WAIT_WITHOUT = 10_000

interface Entry<V> {
  value: V
  at: number
  /** When it was last tried to renew it, and whether that failed. */
  triedAt: number
  failed: boolean
}

export function createFreshCache<K extends {}, V extends {}> (options: FreshOptions<K, V>): FreshCache<K, V> {
  const { load, ttl, staleIfError, max, now = systemClock.now, readAt, haltedMs = () => 0, onFailure } = options
  const entries = new LRUCache<K, Entry<V>>({ max })
  const loads = new Map<K, Promise<Entry<V>>>()

  function renew (key: K): Promise<Entry<V>> {
    const running = loads.get(key)
    if (running !== undefined) return running
    const begun = now()
    const started = load(key).then(value => {
      const at = readAt?.(value) ?? begun
      const entry = { value, at, triedAt: now(), failed: false }
      entries.set(key, entry)
      return entry
    }, error => {
      const entry = entries.peek(key)
      if (entry !== undefined) Object.assign(entry, { triedAt: now(), failed: true })
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

  /** Whether a value of this age may be served where there is no newer one. */
  const serves = (age: number): boolean => age - haltedMs() < ttl + staleIfError

  /** What a load gives, unless it takes longer than `ms`. */
  async function within (ms: number, load: Promise<Entry<V>>): Promise<Entry<V>> {
    let cancel = () => {}
    const late = new Promise<never>((_resolve, reject) => {
      cancel = systemClock.after(ms, () => reject(new ServiceError('NODE_UNAVAILABLE', `no node has answered within ${ms} ms`)))
    })
    try {
      return await Promise.race([load, late])
    } finally {
      cancel()
    }
  }

  function serve (entry: Entry<V>): Aged<V> {
    const current = aged(entry)
    if (serves(current.age)) return current
    throw new ServiceError('NODE_UNAVAILABLE', `the node's state has not changed for ${Math.round(current.age / 1000)} s`)
  }

  return {
    async get (key, maxAge = ttl) {
      const entry = entries.get(key)
      if (entry === undefined) return serve(await within(WAIT_WITHOUT, renew(key)))
      const { age } = aged(entry)
      const mayTry = now() - entry.triedAt >= RETRY_AFTER
      if (age < Math.min(maxAge, ttl)) {
        // the failure is counted by onFailure, and met again by whoever asks once the value has aged
        if (age >= ttl * RENEW_FROM && mayTry) renew(key).catch(() => {})
        return aged(entry)
      }
      // a state that stands is as old after a load as before: asked for again a second later, not at every request
      if (!mayTry && age >= ttl && (serves(age) || !entry.failed)) return serve(entry)
      try {
        return serve(await within(serves(age) ? WAIT_WITH_VALUE : WAIT_WITHOUT, renew(key)))
      } catch (error) {
        const last = entries.peek(key) ?? entry
        if (serves(aged(last).age)) return aged(last)
        throw error
      }
    },
    peek (key) {
      const entry = entries.peek(key)
      return entry && aged(entry)
    }
  }
}
