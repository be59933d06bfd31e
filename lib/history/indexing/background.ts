import type { Clock } from '../../clock.js'
import { messageOf } from '../../errors.js'
import type { OnLog } from '../log-events.js'
import { pause } from '../pause.js'
import type { createCompleter } from './complete-events.js'

export interface BackgroundOptions {
  complete: ReturnType<typeof createCompleter>
  clock: Clock
  signal: AbortSignal
  onLog: OnLog
  /** Between two looks at the newest events, ms. */
  pollMs: number
}

/** What no node has told is asked for again after so long, ms. */
const AGAIN_MS = 600_000
/** Looks at the newest events before those that no node completes are left to the next pass. */
const TRIES = 5

/** Completes stored events beside the indexer, until the signal. Never throws: what fails is told and tried again. */
export async function runBackground ({ complete, clock, signal, onLog, pollMs }: BackgroundOptions): Promise<void> {
  /** Everything above is done or has been tried often enough; everything from here down to `below` is still to come. */
  let top = 0
  let tries = 0
  let below = Number.MAX_SAFE_INTEGER
  let again = -Infinity

  async function head (): Promise<void> {
    const { tried, completed, newest } = await complete(top, Number.MAX_SAFE_INTEGER)
    if (tried === 0) return
    tries = completed === tried ? 0 : tries + 1
    if (tries !== 0 && tries < TRIES) return
    tries = 0
    top = newest
  }

  async function backlog (): Promise<boolean> {
    if (clock.now() < again) return false
    const { tried, oldest } = await complete(0, below)
    below = oldest
    if (tried > 0) return true
    below = Number.MAX_SAFE_INTEGER
    again = clock.now() + AGAIN_MS
    return false
  }

  while (!signal.aborted) {
    let more = false
    try {
      await head()
      more = await backlog()
    } catch (error) {
      if (signal.aborted) return
      onLog({
        level: 'warn',
        code: 'retry',
        message: `stored events can't be completed: ${messageOf(error)}; tried again`
      })
    }
    await pause(clock, more ? 1 : pollMs, signal)
  }
}
