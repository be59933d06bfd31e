/** Time and chance, injected so that tests need neither wait nor guess. */

export interface Clock {
  /** Milliseconds, steadily growing: for durations. */
  now (): number
  /** Unix milliseconds: for dates that others state. */
  epoch (): number
  /** At least 0, below 1. */
  random (): number
  /** Resolves after `ms`; rejects with the reason of `signal` as soon as that aborts. Keeps the process alive. */
  sleep (ms: number, signal?: AbortSignal | null): Promise<void>
  /** Runs `action` after `ms` unless the function that it returns was called. Does not keep the process alive. */
  after (ms: number, action: () => void): () => void
}

export const systemClock: Clock = {
  now: () => performance.now(),
  epoch: Date.now,
  random: Math.random,
  async sleep (ms, signal) {
    signal?.throwIfAborted()
    await new Promise<void>((resolve, reject) => {
      const stop = () => { clearTimeout(timer); reject(signal!.reason) }
      const timer = setTimeout(() => { signal?.removeEventListener('abort', stop); resolve() }, ms)
      signal?.addEventListener('abort', stop, { once: true })
    })
  },
  after (ms, action) {
    const timer = setTimeout(action, ms).unref()
    return () => clearTimeout(timer)
  }
}
