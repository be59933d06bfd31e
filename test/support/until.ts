import { setTimeout as wait } from 'node:timers/promises'
import { steadyNow } from './steady-time.js'

const LOOK_EVERY_MS = 10

/** What comes in an instant may take long where the machine is busy. */
const PATIENCE_MS = 300_000

/** Waits until `holds`, for `ms` of steady time at most; throws with `what` then. */
export async function until (what: string, holds: () => boolean | Promise<boolean>, ms = PATIENCE_MS): Promise<void> {
  const deadline = steadyNow() + ms
  while (!await holds()) {
    if (steadyNow() > deadline) throw new Error(`within ${ms} ms it did not come to this: ${what}`)
    await wait(LOOK_EVERY_MS)
  }
}
