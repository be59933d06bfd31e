/** Signals that end work: the caller's, a deadline's, the closing of the transport. */
import { setMaxListeners } from 'node:events'

/**
 * Runs `work` with an AbortController of its own that follows `outer`, and rejects with the reason as soon as it aborts, even
 * where `work` itself does not listen. Leaves no listener behind: `AbortSignal.any` on a long-lived signal would.
 */
export async function underSignals<T> (outer: ReadonlyArray<AbortSignal | null | undefined>, work: (controller: AbortController) => Promise<T>): Promise<T> {
  const controller = new AbortController()
  const links: Array<() => void> = []
  for (const signal of outer) {
    if (!signal) continue
    signal.throwIfAborted()
    // Any number of calls may share a signal; each takes its listener away again, so no number of them is a leak.
    setMaxListeners(0, signal)
    const follow = () => controller.abort(signal.reason)
    signal.addEventListener('abort', follow, { once: true })
    links.push(() => signal.removeEventListener('abort', follow))
  }
  try {
    return await new Promise<T>((resolve, reject) => {
      controller.signal.addEventListener('abort', () => reject(controller.signal.reason), { once: true })
      work(controller).then(resolve, reject)
    })
  } finally {
    for (const unlink of links) unlink()
  }
}
