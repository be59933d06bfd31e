import { Redis, type Result } from 'ioredis'

/** The commands that counting takes, as scripts, so that each is one round trip and none can be left half done. */

declare module 'ioredis' {
  interface RedisCommander<Context> {
    addRequests (key: string, n: number, expiry: number): Result<number, Context>
    beat (key: string, id: string, gone: number, expiry: number): Result<number, Context>
  }
}

/** Adds to a count, which lives for as long as its beginning says. */
const ADD = `local count = redis.call('INCRBY', KEYS[1], ARGV[1])
if count == tonumber(ARGV[1]) then redis.call('PEXPIRE', KEYS[1], ARGV[2]) end
return count`

/**
 * Notes that a process lives, forgets those that have not been heard of for a while, and gives how many there are. By Redis' own clock,
 * since those of the processes differ. It writes, as counting does: a server that can only be read is of no use here.
 */
const BEAT = `local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - ARGV[2])
redis.call('ZADD', KEYS[1], now, ARGV[1])
redis.call('PEXPIRE', KEYS[1], ARGV[3])
return redis.call('ZCARD', KEYS[1])`

export interface ConnectionOptions {
  /** Before the next try to connect, ms. */
  retryMs: number
  /** A connection that owes answers for so long is given up and made anew, ms. */
  deadAfter: number
  /** For the peer to agree to the end, ms. */
  farewell: number
}

/** A client that is not connected yet, fails what it can't send, and connects again for ever. Its URL may name user, password and database. */
export function openRedis (url: string, { retryMs, deadAfter, farewell }: ConnectionOptions): Redis {
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
    disconnectTimeout: farewell,
    retryStrategy: () => retryMs
  })
  redis.defineCommand('addRequests', { numberOfKeys: 1, lua: ADD })
  redis.defineCommand('beat', { numberOfKeys: 1, lua: BEAT })
  return redis
}
