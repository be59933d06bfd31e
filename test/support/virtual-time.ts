/**
 * A clock whose time passes as fast as the work that waits for it: whatever sleeps is woken in order, as soon as
 * nothing else is left to do.
 */
import type { Clock } from '../../lib/clock.js'

export interface VirtualTime extends Clock {
  /** Runs until `ms` have passed. */
  run (ms: number): Promise<void>
}

export function createVirtualTime (): VirtualTime {
  let time = 0
  let order = 0
  const due: Array<{ at: number, order: number, action: () => void }> = []
  const idle = () => new Promise<void>(resolve => { setImmediate(resolve) })

  function after (ms: number, action: () => void): () => void {
    const entry = { at: time + Math.max(0, ms), order: order++, action }
    due.push(entry)
    return () => {
      const at = due.indexOf(entry)
      if (at >= 0) due.splice(at, 1)
    }
  }

  return {
    now: () => time,
    epoch: () => 1_700_000_000_000 + time,
    random: () => 0.5,
    after,
    sleep: (ms, signal) => new Promise((resolve, reject) => {
      if (signal?.aborted === true) return reject(signal.reason)
      const stop = after(ms, () => {
        signal?.removeEventListener('abort', abort)
        resolve()
      })
      const abort = () => { stop(); reject(signal!.reason) }
      signal?.addEventListener('abort', abort, { once: true })
    }),
    async run (ms) {
      const end = time + ms
      for (;;) {
        await idle()
        const next = due.reduce<typeof due[number] | undefined>((first, entry) => first === undefined ||
          entry.at < first.at || (entry.at === first.at && entry.order < first.order)
          ? entry
          : first, undefined)
        if (next === undefined || next.at > end) break
        due.splice(due.indexOf(next), 1)
        time = Math.max(time, next.at)
        next.action()
      }
      time = end
    }
  }
}
