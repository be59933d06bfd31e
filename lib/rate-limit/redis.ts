import { randomUUID } from 'node:crypto'
import { Redis } from 'ioredis'
import { orLate } from '../async.js'
import { systemClock } from '../clock.js'

/** Counts that all replicas share, in a Redis or Valkey. */

export interface RedisLinkOptions {
  url: string
  prefix: string
  /** How long a count lives, ms. */
  expiry: number
  /** The longest that a request waits, ms. */
  timeout?: number
  /** A connection that owes answers for so long, ms, is replaced. */
  deadAfter?: number
  /** Between two beats, while it answers and while it does not, ms. */
  heartbeatMs?: number
  retryMs?: number
  /** Told when it begins or ceases to answer; of the URL, `reason` holds the host at most. */
  onChange?: (change: { up: true, replicas: number } | { up: false } & ReturnType<typeof describe>) => void
}

export type RedisLink = ReturnType<typeof createRedisLink>

/** Beats after which a silent replica counts as gone. */
const MISSED = 3
const MAX_REASON = 200

class Late extends Error {}

const within = <T>(work: Promise<T>, ms: number): Promise<T> =>
  orLate(work, ms, () => new Late(`no answer within ${ms} ms`))

/** What an error says; its other properties may hold the command, and with it the password. */
function describe (error: unknown) {
  const { code, message, name } = error as NodeJS.ErrnoException
  const trouble = error instanceof Late ? 'timeout' : name === 'ReplyError' ? 'answer' : 'connection'
  return { trouble, reason: (message || code || name).slice(0, MAX_REASON) }
}

/** A request is counted by a script: in one round trip, and never half. */
const ADD = `local count = redis.call('INCR', KEYS[1])
if count == 1 then redis.call('PEXPIRE', KEYS[1], ARGV[1]) end
return count`

/**
 * Notes that a process lives, forgets those not heard of for a while, and gives how many there are, by Redis' clock. It
 * begins with what takes room, as counting does: a server that can only be read, or is full, is taken for away.
 */
const HEARTBEAT = `local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('ZADD', KEYS[1], now, ARGV[1])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - ARGV[2])
redis.call('PEXPIRE', KEYS[1], ARGV[3])
return redis.call('ZCARD', KEYS[1])`

/** A connection that counts, tells whether Redis answers, and comes back by itself. */
export function createRedisLink ({
  url, prefix, expiry, timeout = 100, deadAfter = 1_000, heartbeatMs = 5_000, retryMs = 1_000, onChange
}: RedisLinkOptions) {
  const id = randomUUID()
  const gone = heartbeatMs * MISSED
  const membersKey = `${prefix}replicas`
  // not connected yet, it fails what it can't send, and connects again for ever
  const redis = new Redis(url, {
    lazyConnect: true,
    protocol: 2,                  // what every server speaks
    disableClientInfo: true,
    enableReadyCheck: false,      // the beat tells more
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,      // what waits for an answer fails with the connection
    connectTimeout: deadAfter,
    socketTimeout: deadAfter,
    disconnectTimeout: timeout,
    // after a failover the name leads to another, while this one keeps the connection
    reconnectOnError: ({ message }) => message.includes('READONLY'),
    retryStrategy: () => retryMs
  })
  const run = (script: string, ...args: Array<string | number>): Promise<number> =>
    within(redis.eval(script, 1, ...args) as Promise<number>, timeout)

  let up: boolean | undefined
  let replicas = 1
  let backAt = -Infinity
  let closed = false
  let cancelBeat = (): void => {}
  let lastError: unknown

  function schedule (): void {
    cancelBeat()
    if (!closed) cancelBeat = systemClock.after(up ? heartbeatMs : retryMs, beat)
  }

  function fail (error: unknown): void {
    if (up === false || closed) return
    up = false
    onChange?.({ up, ...describe(error) })
    // no command should wait behind answers that nobody needs any more
    if (error instanceof Late) redis.disconnect(true)
    // the next beat comes after retryMs
    schedule()
  }

  async function beat (): Promise<void> {
    try {
      if (redis.status !== 'ready') throw lastError ?? new Error(`the connection is ${redis.status}`)
      const members = await run(HEARTBEAT, membersKey, id, gone, gone)
      if (closed) return
      if (up === false) backAt = systemClock.now()
      // a Redis that is back, perhaps empty, knows of few until each has beaten again
      replicas = systemClock.now() - backAt < gone ? Math.max(replicas, members) : members
      if (up !== true) onChange?.({ up: true, replicas })
      up = true
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
    /** Processes that count together, this one included, as far as is known. */
    get replicas () { return replicas },
    /** Adds one to a count and gives the sum. Rejects while Redis is away, or after the timeout. */
    async add (key: string) {
      if (up !== true) throw new Error('Redis is away')
      try {
        return await run(ADD, prefix + key, expiry)
      } catch (error) {
        fail(error)
        throw error
      }
    },
    /** Settles with the first answer, or after `deadAfter` without one. */
    async start () {
      await within(redis.connect().then(beat), deadAfter).catch(fail)
    },
    async close () {
      closed = true
      cancelBeat()
      // so that the others do not share with this one; if this fails, they miss its beats
      if (up === true) await within(redis.zrem(membersKey, id), timeout).catch(() => {})
      redis.disconnect()
    }
  }
}
