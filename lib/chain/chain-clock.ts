/** The chain's own time: block times of recent slots, carried on by a steady clock between them. Windows and days end at it. */
import type { Clock } from '../clock.js'
import type { HistoryReader } from './types.js'

export interface ChainClock {
  /** Unix milliseconds of the chain; undefined until it has been read once. */
  time (): number | undefined
  /** By how much the wall clock is ahead of the chain, ms; undefined until known. */
  offset (): number | undefined
  /** Reads it anew; throws a ServiceError. */
  read (): Promise<void>
  /** A finalized slot has been seen elsewhere: where the clock stands before it, the time is not known until it has been read there. */
  note (slot: number): void
  start (): void
  stop (): void
}

export interface ChainClockOptions {
  reader: Pick<HistoryReader, 'finalizedSlot' | 'blockTime'>
  clock: Clock
  /** Told once whenever the two clocks begin to differ by more than a minute; `aheadMs` by how much ours is ahead. */
  onDifference?: (aheadMs: number) => void
}

// A steady clock loses a few milliseconds in a minute.
const READ_MS = 60_000
// While the two clocks differ it may be the node that is behind, and soon no more.
const DIFFERENT_READ_MS = 10_000
// Until it has been read, after a failure, and while the chain stands: when it goes on, windows must end where it is.
const RETRY_MS = 2_000
// A lower slot is of a node that lags; after so long without a higher one it is what there is.
const LOWER_AFTER_MS = 600_000
// As long as a lower slot than what the chain went on at is laid to a node that lags; then nobody has seen that one again, and it was never there.
const DOUBTED_AFTER_MS = 60_000
const DIFFERENCE_MS = 60_000
// Slots are skipped now and then, hardly ever so many in a row.
const SKIPPED = 10

export function createChainClock ({ reader, clock, onDifference = () => {} }: ChainClockOptions): ChainClock {
  let mark: { slot: number, time: number, at: number } | undefined
  /** How far time is carried on from the mark: without an end, also while no node answers, until the same slot is read again. */
  let carryMs = Infinity
  /** Where the chain went on after it had stood, and when it was last seen there or further: until a time has been read from there on, it is not known. */
  let goneOn: { slot: number, at: number } | undefined
  let told = false
  let stopTimer = () => {}
  let running = false
  let looking = false

  const time = (): number | undefined => mark && mark.time + Math.min(carryMs, clock.now() - mark.at)

  /** Takes note of a slot. True where the clock stood before it: the chain goes on, and no window ends where it was. */
  function goesOn (slot: number): boolean {
    if (goneOn !== undefined) {
      if (slot >= goneOn.slot) goneOn.at = clock.now()
      return false
    }
    if (mark === undefined || carryMs === Infinity || slot <= mark.slot) return false
    mark = undefined
    goneOn = { slot, at: clock.now() }
    return true
  }

  async function read (): Promise<void> {
    const newest = await reader.finalizedSlot({ priority: 'head' })
    const at = clock.now()
    goesOn(newest)
    const isBefore = (): boolean => goneOn !== undefined && newest < goneOn.slot && clock.now() - goneOn.at < DOUBTED_AFTER_MS
    if (isBefore()) return
    for (let slot = newest; slot > newest - SKIPPED; slot--) {
      const seconds = await reader.blockTime(slot, { priority: 'head' })
      // that the chain has gone on may have been told meanwhile
      if (isBefore()) return
      if (seconds === null) continue
      if (mark !== undefined && slot <= mark.slot) {
        // The same slot again: the chain stands, and so does its time
        if (slot === mark.slot) carryMs = Math.min(carryMs, at - mark.at)
        if (slot === mark.slot || at - mark.at < LOWER_AFTER_MS) return
      }
      mark = { slot, time: seconds * 1000, at }
      carryMs = Infinity
      goneOn = undefined
      compare()
      return
    }
  }

  function compare (): void {
    const ahead = offset()!
    const differs = Math.abs(ahead) > DIFFERENCE_MS
    if (differs && !told) onDifference(ahead)
    told = differs
  }

  function offset (): number | undefined {
    const now = time()
    return now === undefined ? undefined : clock.epoch() - now
  }

  function look (): void {
    // What the node does is told where its answers are used
    const next = (ms: number): void => {
      looking = false
      if (running) stopTimer = clock.after(ms, look)
    }
    looking = true
    read().then(() => next(mark === undefined || carryMs !== Infinity ? RETRY_MS : told ? DIFFERENT_READ_MS : READ_MS), () => next(RETRY_MS))
  }

  return {
    time,
    offset,
    read,
    note (slot) {
      if (!goesOn(slot) || !running || looking) return
      stopTimer()
      look()
    },
    start () {
      running = true
      look()
    },
    stop () {
      running = false
      stopTimer()
    }
  }
}
