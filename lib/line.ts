import { LRUCache } from 'lru-cache'
import { letGo } from './async.js'
import { type Clock, systemClock } from './clock.js'
import { ServiceError } from './errors.js'
import { upTo } from './lru.js'

/** A fair queue for expensive work: a few pieces at a time, and who has used most of it lately waits longest. */

interface LineOptions {
  /** Pieces of work at once, of all clients and of one. */
  atOnce: number
  each: number
  /** Requests that may wait, of all clients and of one; beyond, they are refused. */
  waiting: number
  waitingEach: number
  clock?: Clock
}

export type Line = ReturnType<typeof createLine>

/** Of the work that is remembered, ms. */
const HALF_LIFE = 10_000
/** A client is greedy with such a share of the remembered work, where that is much, ms. */
const MUCH = 500
const LARGE_SHARE = 0.25
/** All of them. */
const ALL = ''
/** Clients whose work is remembered. */
const MAX_CLIENTS = 10_000
/** Longest wait, ms: an answer begins within 10 s, and may wait in two lines. */
const LONGEST = 4_000
/** Seconds after which a client who was refused may try again. */
const RETRY_AFTER = 2

interface Waiting { who: string, begin: () => void }

export function createLine ({ atOnce, each, waiting: most, waitingEach, clock = systemClock }: LineOptions) {
  const { now } = clock
  /** Clients of running work, once for each piece. */
  const working: string[] = []
  const line: Waiting[] = []
  const spentBy = new LRUCache<string, { ms: number, at: number }>(upTo(MAX_CLIENTS))

  function spent (who: string): number {
    const { ms, at } = spentBy.peek(who) ?? { ms: 0, at: 0 }
    return ms * 2 ** ((at - now()) / HALF_LIFE)
  }

  function note (who: string, ms: number): void {
    for (const one of [who, ALL]) spentBy.set(one, { ms: spent(one) + ms, at: now() })
  }

  function beginNext (): void {
    while (working.length < atOnce) {
      const [first, ...others] = line.filter(({ who }) => working.filter(one => one === who).length < each)
      if (first === undefined) return
      const next = others.reduce((least, one) => spent(one.who) < spent(least.who) ? one : least, first)
      line.splice(line.indexOf(next), 1)
      working.push(next.who)
      next.begin()
    }
  }

  const overloaded = () =>
    new ServiceError('OVERLOADED', 'too many such requests are waiting', { retryAfter: RETRY_AFTER })

  /**
   * Waits for a turn and gives the function that ends it. Throws OVERLOADED where the line is full, or the wait too
   * long; with `admitted` never.
   */
  async function enter (who: string, admitted?: 'admitted'): Promise<() => void> {
    const own = line.filter(one => one.who === who)
    if (admitted === undefined && (line.length >= most || own.length >= waitingEach)) throw overloaded()
    await new Promise<void>((resolve, reject) => {
      const giveUp = admitted === undefined
        ? clock.after(LONGEST, () => {
          line.splice(line.indexOf(one), 1)
          reject(overloaded())
        })
        : () => {}
      const one: Waiting = { who, begin: () => { giveUp(); resolve() } }
      line.push(one)
      beginNext()
    })
    // one piece in a round of the loop
    await letGo()
    const begun = now()
    return () => {
      note(who, now() - begun)
      working.splice(working.indexOf(who), 1)
      beginNext()
    }
  }

  return {
    enter,
    /** Runs `work` in a turn. Throws as `enter` does, and what `work` throws. */
    async run<T> (who: string, work: () => T | Promise<T>, admitted?: 'admitted'): Promise<T> {
      const end = await enter(who, admitted)
      try {
        return await work()
      } finally {
        end()
      }
    },
    /** Whether a client's work is a large part of the recent work, and that is much. */
    isGreedy: (who: string) => spent(ALL) >= MUCH && spent(who) >= LARGE_SHARE * spent(ALL)
  }
}

/** Runs expensive work in its client's turn; `admitted`: of an answer that has begun, which is never refused. */
export type Turn = <T>(work: () => T | Promise<T>, admitted?: 'admitted') => Promise<T>
