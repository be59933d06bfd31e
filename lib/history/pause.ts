import type { Clock } from '../clock.js'

/** Waits for `ms`, or until one of `signals` is aborted. */
export async function pause (clock: Clock, ms: number, ...signals: AbortSignal[]): Promise<void> {
  const signal = AbortSignal.any(signals)
  if (signal.aborted) return
  try {
    await clock.sleep(ms, signal)
  } catch (error) {
    if (!signal.aborted) throw error
  }
}
