import type { Ledger } from '../../../simulator/index.js'

/** A clock that is right, and the chain by it: both go on with real time, and by what is let pass. */
export function goingOn (ledger: Ledger): { now (): number, pass (seconds: number): void } {
  const start = ledger.utc * 1000 - ledger.elapsed
  let moved = performance.now()
  return {
    now () {
      const at = performance.now()
      ledger.advance((at - moved) / 1000)
      moved = at
      return start + ledger.elapsed
    },
    pass: seconds => ledger.advance(seconds)
  }
}
