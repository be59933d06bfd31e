import type { Clock } from './clock.js'

const FIRST_MS = 500
/** Half a cache lifetime: volumes may not be missing for longer after a fault has ended. */
const MAX_MS = 5_000

/** Milliseconds to wait after the nth failure in a row, from 1: doubling to a bound, less up to a half by chance. */
export const backoff = (failures: number, { random }: Pick<Clock, 'random'>, maxMs = MAX_MS): number =>
  Math.min(FIRST_MS * 2 ** (failures - 1), maxMs) * (0.5 + random() / 2)
