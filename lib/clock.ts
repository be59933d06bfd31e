/** Time and chance, injected so that tests need neither wait nor guess. */
import { uptime } from 'node:os'
import { setTimeout as delay } from 'node:timers/promises'

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

/** Resolves after `ms`, or once `signal` aborts. */
export async function sleepUntil ({ sleep }: Pick<Clock, 'sleep'>, ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, signal).catch((error: unknown) => {
    if (!signal.aborted) throw error
  })
}

/** Beyond, the wall clock was set, or the machine has slept. */
const LEAP_MS = 15_000

/**
 * A steady clock, ms, that counts the machine's sleep, during which `monotonic`, ms, stops and `sinceBoot`, s, goes on
 * (CLOCK_MONOTONIC and CLOCK_BOOTTIME of clock_gettime(2)). The second is slow to read: a leap of the `wall` clock, ms,
 * says when.
 */
export function countingSleep (monotonic: () => number, wall: () => number, sinceBoot: () => number): () => number {
  const before = sinceBoot() * 1000 - monotonic()
  let [slept, ahead] = [0, wall() - monotonic()]
  return () => {
    const now = monotonic()
    const leap = wall() - now - ahead
    if (Math.abs(leap) > LEAP_MS) {
      ahead += leap
      const all = sinceBoot() * 1000 - now - before
      // the two are of different grain
      if (all > slept + 1000) slept = all
    }
    return now + slept
  }
}

export const systemClock: Clock = {
  now: countingSleep(() => performance.now(), () => Date.now(), () => uptime()),
  epoch: Date.now,
  random: Math.random,
  sleep: (ms, signal) => delay(ms, undefined, { signal: signal ?? undefined }).catch(() => { throw signal!.reason }),
  after (ms, action) {
    const timer = setTimeout(action, ms).unref()
    return () => clearTimeout(timer)
  }
}
