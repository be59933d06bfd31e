/** How far a node has come: it follows the chain, lags behind it, has stopped, or catches up. */
import { type Ledger } from './ledger.js'

export type Position = ReturnType<typeof createPosition>

export function createPosition (ledger: Ledger) {
  /** What it had seen at a moment, and how quickly it goes on, both moments in ms of the ledger; null: it follows. */
  let way: { at: number, seen: number, pace: number } | null = null

  function seen (): number {
    if (way === null) return ledger.elapsed
    const ms = way.seen + (ledger.elapsed - way.at) * way.pace
    if (ms >= ledger.elapsed && way.pace > 1) way = null
    return Math.min(ms, ledger.elapsed)
  }

  const go = (from: number, pace: number): void => { way = { at: ledger.elapsed, seen: from, pace } }

  return {
    /** The newest slot that it knows. */
    slot: (): number => ledger.slotAt(seen()),
    /** Seconds that it is behind. */
    behind: (): number => (ledger.elapsed - seen()) / 1000,
    /** From now on it is so many seconds behind, or catches up from there at a pace above 1. */
    lag: (seconds: number, pace = 1): void => go(ledger.elapsed - seconds * 1000, pace),
    freeze: (): void => go(seen(), 0),
    /** It goes on from where it is, at so many times the chain's pace. */
    catchUp: (pace = 10): void => go(seen(), pace),
    follow: (): void => { way = null }
  }
}
