import { randomUUID } from 'node:crypto'
import { openRedis } from './commands.js'

/** The counts that all replicas share, in a Redis or Valkey. */

/** Why it can't be used: bounded, for logs and metrics. */
export type Trouble = 'timeout' | 'connection' | 'answer'

export interface RedisLinkOptions {
  url: string
  /** What the keys begin with. */
  prefix: string
  /** How long a count lives unless it is counted on, ms. */
  expiry: number
  /** The longest that a request waits, ms. */
  timeout?: number
  /** Between two beats, while it answers and while it does not, ms. */
  beatMs?: number
  retryMs?: number
  /** Told when it begins or ceases to answer; of the URL, `reason` holds the host at most. */
  onChange?: (change: { up: true, replicas: number } | { up: false, trouble: Trouble, reason: string }) => void
}

export interface RedisLink {
  /** Adds `n` to the count of `key` and gives the sum. Rejects at once while Redis is away, and after the timeout at the latest. */
  add (key: string, n: number): Promise<number>
  readonly up: boolean
  /** Processes that shared the counts when that was last known, this one included. */
  readonly replicas: number
  /** Settles with the first answer, or after a short wait without one: the service starts all the same. */
  start (): Promise<void>
  close (): Promise<void>
}

const TIMEOUT = 100
const BEAT_MS = 5_000
const RETRY_MS = 1_000
/** Beats that a replica may miss before it is taken for gone. */
const MISSED = 3
/** A connection that owes answers for so long is given up and made anew, ms. */
const DEAD_AFTER = 1_000
const LONGEST_REASON = 200

class Late extends Error {}

/** `work`, or Late once `ms` have passed. An answer that waits in the socket because we were busy is still read: then we were late, not Redis. */
function within<T> (work: Promise<T>, ms: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => setImmediate(() => reject(new Late(`no answer within ${ms} ms`))), ms)
    work.then(value => {
      clearTimeout(timer)
      resolve(value)
    }, (error: Error) => {
      clearTimeout(timer)
      reject(error)
    })
  })
}

/** What an error says; its other properties may hold the command, and with it the password. */
function describe (error: unknown): { trouble: Trouble, reason: string } {
  const { code, message, name } = error as NodeJS.ErrnoException
  const trouble = error instanceof Late ? 'timeout' : name === 'ReplyError' ? 'answer' : 'connection'
  return { trouble, reason: (message || code || name).slice(0, LONGEST_REASON) }
}

/** A connection that counts, tells whether Redis answers, and comes back by itself. */
export function createRedisLink (options: RedisLinkOptions): RedisLink {
  const { url, prefix, expiry, timeout = TIMEOUT, beatMs = BEAT_MS, retryMs = RETRY_MS, onChange } = options
  const id = randomUUID()
  const membersKey = `${prefix}replicas`
  const redis = openRedis(url, { retryMs, deadAfter: DEAD_AFTER, farewell: timeout })

  let up: boolean | undefined
  let replicas = 1
  let closed = false
  let timer: NodeJS.Timeout | undefined
  let lastError: unknown
  let settle = (): void => {}
  const settled = new Promise<void>(resolve => { settle = resolve })

  function schedule (): void {
    clearTimeout(timer)
    if (!closed) timer = setTimeout(beat, up ? beatMs : retryMs).unref()
  }

  function fail (error: unknown): void {
    if (up === false || closed) return
    up = false
    onChange?.({ up, ...describe(error) })
    // nothing shall wait behind answers that nobody needs any more
    if (error instanceof Late) redis.disconnect(true)
    // the next beat does not keep the pace of good times
    schedule()
    settle()
  }

  async function beat (): Promise<void> {
    try {
      if (redis.status !== 'ready') throw lastError ?? new Error(`the connection is ${redis.status}`)
      const members = await within(redis.beat(membersKey, id, beatMs * MISSED, beatMs * MISSED), timeout)
      if (closed) return
      replicas = members
      if (up !== true) onChange?.({ up: true, replicas })
      up = true
      settle()
    } catch (error) {
      fail(error)
    }
    schedule()
  }

  redis.on('error', error => { lastError = error })
  redis.on('close', () => fail(lastError ?? new Error('the connection was closed')))
  redis.on('ready', () => {
    lastError = undefined
    beat().catch(fail)
  })

  return {
    get up () { return up === true },
    get replicas () { return replicas },
    async add (key, n) {
      if (up !== true) throw new Error('Redis is away')
      try {
        return await within(redis.addRequests(prefix + key, n, expiry), timeout)
      } catch (error) {
        fail(error)
        throw error
      }
    },
    async start () {
      redis.connect().catch((error: unknown) => { lastError ??= error })
      await within(settled, DEAD_AFTER).catch(fail)
    },
    async close () {
      closed = true
      clearTimeout(timer)
      // so that the others do not share with one who is gone; told or not, they find out
      if (up === true) await within(redis.zrem(membersKey, id), timeout).catch(() => {})
      redis.disconnect()
    }
  }
}
