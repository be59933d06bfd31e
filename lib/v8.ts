import { getHeapStatistics, setFlagsFromString } from 'node:v8'

/** Ways of V8 that the process sets by itself: for some versions alone, or as long as they suit. What they bring is in docs/performance.md. */

/**
 * Lets V8 optimise what has run for longer than by default: of a service that is mostly idle most of what it optimises in its first refreshes hardly runs
 * again. Takes a fifth off a cold refresh and 5 MB. For Node 20 alone: later ones have a cheaper tier in between, and no such flag.
 */
export function optimiseLater (): void {
  if (process.versions.node.startsWith('20.')) setFlagsFromString('--interrupt-budget=1000000')
}

/** Up to so many bytes it takes V8 some 30 ms at most to move together what lives; of a larger heap it would hold the event loop too long. */
const SMALL_HEAP = 64e6
let isThorough = false

/**
 * Lets V8 give back the room that lies between what lives whenever it collects, as long as the heap is small: 6 MB less under load. To be asked now
 * and then once the history has been read, which leaves that room behind; while it is read this would take a quarter more CPU.
 */
export function keepSmallHeapSmall (): void {
  const isSmall = getHeapStatistics().total_physical_size <= SMALL_HEAP
  if (isSmall === isThorough) return
  isThorough = isSmall
  setFlagsFromString(isSmall ? '--optimize-for-size' : '--no-optimize-for-size')
}
