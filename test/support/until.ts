import { setTimeout as wait } from 'node:timers/promises'

const LOOK_EVERY_MS = 10

/** Waits until `holds`, for `ms` at most; throws with `what` then. */
export async function until (what: string, holds: () => boolean | Promise<boolean>, ms = 10_000): Promise<void> {
  const deadline = performance.now() + ms
  while (!await holds()) {
    if (performance.now() > deadline) throw new Error(`within ${ms} ms it did not come to this: ${what}`)
    await wait(LOOK_EVERY_MS)
  }
}
