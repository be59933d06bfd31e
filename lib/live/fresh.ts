import { LRUCache } from 'lru-cache'
import { orLate } from '../async.js'
import { CURRENT_MS, type Commitment } from '../chain/moment.js'
import type { AgeTime } from '../chain/timekeeper.js'
import type { AtMoment } from '../chain/types.js'
import { ServiceError } from '../errors.js'

/** A state of the chain that a value is made of. */
export interface Part {
  /** The chain's own time of it, Unix seconds. */
  time: number
  /** When it was asked for, by the steady clock, ms. */
  readAt: number
  /** By it, how old it may have been then and count as current. */
  commitment: Commitment
  /** It has turned out to be false: nothing that is made of it may be served. */
  isRefuted?: boolean
}

/** Of a state read at `confirmed`. */
export const partOf = ({ moment, readAt }: Omit<AtMoment<unknown>, 'value'>): Part =>
  ({ time: moment.time, readAt, commitment: 'confirmed' })

/** Gives a value, and adds its states to the caller's `parts`: `[]` where these don't date the caller's answer. */
export type Kept<V, Q extends unknown[] = []> = (parts: Part[], ...question: Q) => Promise<V>

/** A value, and the states that it was made of: it is as old as the oldest. */
interface Made<V> { value: V, parts: readonly Part[] }

/** What `make` gives, with the states that it has added. */
export async function dated<V> (make: (parts: Part[]) => Promise<V>): Promise<Made<V>> {
  const parts: Part[] = []
  const value = await make(parts)
  return { value, parts: [...new Set(parts)] }
}

/** `age` of its oldest state; `left`: for how long it stays fresh, 0 when it is stale; ms. */
export interface Aged<V> extends Made<V> { age: number, left: number }

interface Lifetime {
  /** How long a value is fresh if its states were current when they were read, ms. */
  ttl: number
  /** Milliseconds, steadily growing. */
  now: () => number
  time: AgeTime
}

interface FreshOptions<V, Q extends unknown[]> extends Lifetime {
  load: Kept<V, Q>
  /** Questions that have the same answer have the same key. */
  keyOf: (question: Q) => string
  /** The asker's own bound: a state read so long ago is too old for it, ms. */
  maxAgeOf?: (question: Q) => number | undefined
  /** By how much it may be older where no younger one can be read, ms. */
  staleIfError: number
  /** Most answers kept; the least recently used goes. */
  max: number
  /** Told of every load that fails, those behind a stale answer too. */
  onFailure?: (error: unknown) => void
}

export type FreshCache<V extends {}, Q extends unknown[]> = ReturnType<typeof createFreshCache<V, Q>>

/** From this share of its life on, a value that is asked for is renewed in the background. */
export const RENEW_FROM = 0.8
/** After a load that brought nothing newer a stale value is served without another try for so long, ms. */
const RETRY_AFTER = 1_000
/** How long a load is waited for, ms: with a stale value that may be served, and without. The load goes on. */
const WAIT_WITH_VALUE = 2_000
const WAIT_WITHOUT = 10_000

/** `triedAt`, `failed`: of the last load. */
interface Entry<V> extends Made<V> { triedAt: number, failed: boolean }

const isRefuted = ({ parts }: Made<unknown>) => parts.some(part => part.isRefuted)

/** The oldest one's time, Unix seconds. */
export const oldestOf = (parts: readonly Part[]): number => Math.min(...parts.map(({ time }) => time))

/** How long ago the first of them was read, ms; Infinity where one was not current then. */
function readSince (parts: readonly Part[], now: number, time: AgeTime): number {
  return parts.reduce((longest, part) => {
    const since = Math.max(0, now - part.readAt)
    return Math.max(longest, time.age(part.time) - since > CURRENT_MS[part.commitment] ? Infinity : since)
  }, 0)
}

export const aged = <V>({ value, parts }: Made<V>, { ttl, now, time }: Lifetime): Aged<V> =>
  ({
    value,
    parts,
    age: Math.max(0, ...parts.map(part => time.age(part.time))),
    left: Math.max(0, ttl - readSince(parts, now(), time))
  })

/** What a load gives. Throws NODE_UNAVAILABLE where it takes longer than `ms`. */
export const within = <T>(load: Promise<T>, ms = WAIT_WITHOUT): Promise<T> => orLate(load, ms, () =>
  new ServiceError('NODE_UNAVAILABLE', `no node has answered within ${ms} ms`))

export function createFreshCache<V extends {}, Q extends unknown[]> (options: FreshOptions<V, Q>) {
  const { load, keyOf, maxAgeOf, ttl, staleIfError, max, now, time, onFailure } = options
  const entries = new LRUCache<string, Entry<V>>({ max })
  const loads = new Map<string, Promise<Entry<V>>>()
  const listeners: Array<(value: V) => void> = []

  function renew (question: Q, key: string): Promise<Entry<V>> {
    const running = loads.get(key)
    if (running !== undefined) return running
    const started = dated(parts => load(parts, ...question)).then(made => {
      const before = entries.peek(key)
      // A state may not go back, unless what is kept is too old to be served
      const isOlder = before !== undefined && oldestOf(made.parts) < oldestOf(before.parts) && serves(before)
      const entry = { ...(isOlder ? before : made), triedAt: now(), failed: false }
      entries.set(key, entry)
      for (const listener of listeners) listener(entry.value)
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

  const serves = (made: Made<V>) => !isRefuted(made) && made.parts.every(part => {
    const most = Math.max(ttl + staleIfError, time.halted() === undefined ? 0 : CURRENT_MS[part.commitment])
    return readSince([part], now(), time) < ttl || time.ageBesideHalt(part.time) < most
  })

  function serve (entry: Entry<V>): Made<V> {
    if (serves(entry)) return entry
    throw new ServiceError('NODE_UNAVAILABLE', time.tooOld(oldestOf(entry.parts)))
  }

  async function answer (question: Q): Promise<Made<V>> {
    const key = keyOf(question)
    const entry = entries.get(key)
    if (entry === undefined || isRefuted(entry)) return serve(await within(renew(question, key)))
    const since = readSince(entry.parts, now(), time)
    const mayTry = now() - entry.triedAt >= RETRY_AFTER
    if (since < Math.min(maxAgeOf?.(question) ?? ttl, ttl)) {
      // the failure goes to onFailure
      if (since >= ttl * RENEW_FROM && mayTry) renew(question, key).catch(() => {})
      return entry
    }
    // an old state is as old after a load as before: asked for again a second later, not at every request
    if (!mayTry && since >= ttl && (serves(entry) || !entry.failed)) return serve(entry)
    try {
      return serve(await within(renew(question, key), serves(entry) ? WAIT_WITH_VALUE : WAIT_WITHOUT))
    } catch (error) {
      const last = entries.peek(key) ?? entry
      if (serves(last)) return last
      throw error
    }
  }

  return {
    /** The kept answer, loaded where it is too old. Throws what the load throws where none may be served. */
    async get (parts: Part[], ...question: Q): Promise<V> {
      const made = await answer(question)
      parts.push(...made.parts)
      return made.value
    },
    /** The kept answer, of any age; loads nothing. */
    peek (...question: Q): Aged<V> | undefined {
      const entry = entries.peek(keyOf(question))
      return entry && aged(entry, options)
    },
    /** Tells `listener` of each value that is loaded from now on. It must not throw. */
    follow (listener: (value: V) => void) { listeners.push(listener) }
  }
}
