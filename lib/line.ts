import { ServiceError } from './errors.js'

/** Work that is dear, a few pieces at a time: who has fewest of them in work comes first. */

interface LineOptions {
  /** Pieces of work at once, of all clients and of one. */
  atOnce: number
  each: number
  /** Requests that may wait, of all clients and of one; beyond, they are refused. */
  waiting: number
  waitingEach: number
}

export type Line = ReturnType<typeof createLine>

/** Seconds after which a client who was refused may try again. */
const RETRY_AFTER = 2

interface Waiting { who: string, begin: () => void }

/** Adds `n` to a count that is there only while it is not 0. */
function add (counts: Map<string, number>, who: string, n: number): void {
  const count = (counts.get(who) ?? 0) + n
  if (count === 0) counts.delete(who)
  else counts.set(who, count)
}

export function createLine ({ atOnce, each, waiting: most, waitingEach }: LineOptions) {
  const working = new Map<string, number>()
  const inLine = new Map<string, number>()
  const line: Waiting[] = []
  let busy = 0

  const workOf = ({ who }: Waiting): number => working.get(who) ?? 0

  function beginNext (): void {
    while (busy < atOnce) {
      let next: Waiting | undefined
      for (const one of line) {
        if (workOf(one) < each && (next === undefined || workOf(one) < workOf(next))) next = one
      }
      if (next === undefined) return
      line.splice(line.indexOf(next), 1)
      add(inLine, next.who, -1)
      add(working, next.who, 1)
      busy++
      next.begin()
    }
  }

  /** Waits for a turn and gives what ends it. Throws OVERLOADED where the line is full; with `admitted` it never is. */
  async function enter (who: string, admitted?: 'admitted'): Promise<() => void> {
    if (admitted === undefined && (line.length >= most || (inLine.get(who) ?? 0) >= waitingEach)) {
      throw new ServiceError('OVERLOADED', 'too many such requests are waiting', { retryAfter: RETRY_AFTER })
    }
    const turn = new Promise<void>(resolve => line.push({ who, begin: resolve }))
    add(inLine, who, 1)
    beginNext()
    await turn
    return () => {
      add(working, who, -1)
      busy--
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
    }
  }
}

/** Runs a piece of dear work in its client's turn; one of an answer that has begun is `admitted`, and never refused. */
export type Turn = <T>(work: () => T | Promise<T>, admitted?: 'admitted') => Promise<T>
