import { systemClock } from './clock.js'

/** `work`, or a rejection with `late()` after `ms`, once sockets have been read: the answer may be there already. */
export async function orLate<T> (work: Promise<T>, ms: number, late: () => Error): Promise<T> {
  let cancel = () => {}
  const end = new Promise<never>((_resolve, reject) => {
    cancel = systemClock.after(ms, () => setImmediate(() => reject(late())))
  })
  try {
    return await Promise.race([work, end])
  } finally {
    cancel()
  }
}

type Turns = <T>(work: () => T | Promise<T>) => Promise<T>

/**
 * A readers-writer lock, first come, first served: `alone` is a writer's turn, `together` a reader's. What a piece of
 * work throws reaches only its caller.
 */
export function createSharedTurns (): { alone: Turns, together: Turns } {
  let last: Promise<unknown> = Promise.resolve()
  let since = new Set<Promise<unknown>>()
  return {
    alone (work) {
      const next = Promise.all([last, ...since]).then(work)
      last = next.catch(() => {})   // its caller has the error
      since = new Set()
      return next
    },
    together (work) {
      const next = last.then(work)
      const group = since
      const ended: Promise<unknown> = next.catch(() => {}).then(() => group.delete(ended))
      group.add(ended)
      return next
    }
  }
}

/** A queue of turns: each piece of work begins once the ones before it have ended, well or not. */
export const createTurns = (): Turns => createSharedTurns().alone

/** Longest that work holds the event loop, ms, in real time: it is the loop's. */
const SLICE_MS = 8

/** Long work that has let the event loop go, in the order in which it did. */
const waiting: Array<() => void> = []

/** Resumes one in a round of the loop: together they would hold it for as long as all of them. */
function resumeNext (): void {
  waiting.shift()?.()
  if (waiting.length > 0) setImmediate(resumeNext)
}

/** Yields to the event loop. */
export function letGo (): Promise<void> {
  return new Promise(resolve => {
    waiting.push(resolve)
    if (waiting.length === 1) setImmediate(resumeNext)
  })
}

/** A function to call between pieces of long work: `letGo` where it has held the loop too long, else undefined. */
export function createPauses (): () => Promise<void> | undefined {
  let begun = systemClock.now()
  return () => systemClock.now() - begun < SLICE_MS ? undefined : letGo().then(() => { begun = systemClock.now() })
}

/** `work` with each of `items`, in their order, letting the event loop go in between. Throws what `work` throws. */
export async function eachInSlices<T> (items: Iterable<T>, work: (item: T) => void): Promise<void> {
  const pause = createPauses()
  for (const item of items) {
    work(item)
    const wait = pause()
    if (wait !== undefined) await wait
  }
}

/** As `eachInSlices`, with what `work` gives for each of them. */
export async function inSlices<T, R> (items: Iterable<T>, work: (item: T) => R): Promise<R[]> {
  const results: R[] = []
  await eachInSlices(items, item => results.push(work(item)))
  return results
}
