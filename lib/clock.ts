/** Time and chance, injected so that tests need neither wait nor guess. */
import { setTimeout as delay } from 'node:timers/promises'

export interface Clock {
  /** Milliseconds, steadily growing: for durations. */
  now (): number
  /** Unix milliseconds: for dates that others state. */
  epoch (): number
  /** At least 0, below 1. */
  random (): number
  /** Resolves after `ms`; rejects with the reason of `signal` as soon as that aborts. Keeps the process alive: someone waits for it. */
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
    // The platform wraps the reason of the signal into an AbortError of its own; ours is the one to tell.
    await delay(ms, undefined, signal ? { signal } : {}).catch((error: unknown) => { throw signal?.aborted === true ? signal.reason : error })
  },
  after (ms, action) {
    const timer = setTimeout(action, ms).unref()
    return () => clearTimeout(timer)
  }
}
