import { swapVolume, type Valuation } from '../market/volume.js'
import type { Store, SwapRow } from './store.js'
import { scaled } from './sums.js'

/** Sums of one DAO in the window, in units of the scale of `sums.ts`. */
export interface WindowSum { base: bigint, quote: bigint, trades: number }

interface Entry { key: string, dao: string, at: number, base: bigint, quote: bigint }

const DAY = 86_400
/** Seconds for which what has left the window is kept: readings may come with slightly older times. */
const KEPT = 600

/** The sums of the seconds that a window covers, moved along with the time. A swap at t counts while now − 86,400 < t ≤ now. */
function createSeconds (valuation: Valuation, start: number) {
  const bySecond = new Map<number, Entry[]>()
  const byKey = new Map<string, Entry>()
  const sums = new Map<string, WindowSum>()
  let now = start
  let forgotten = start - DAY - KEPT

  function count ({ dao, base, quote }: Entry, sign: 1 | -1): void {
    const sum = sums.get(dao) ?? { base: 0n, quote: 0n, trades: 0 }
    const factor = BigInt(sign)
    const next = { base: sum.base + factor * base, quote: sum.quote + factor * quote, trades: sum.trades + sign }
    if (next.trades === 0) sums.delete(dao)
    else sums.set(dao, next)
  }

  const countIfInside = (entry: Entry, sign: 1 | -1) => { if (entry.at > now - DAY && entry.at <= now) count(entry, sign) }

  function countSeconds (after: number, upTo: number, sign: 1 | -1): void {
    for (let second = after + 1; second <= upTo; second++) {
      for (const entry of bySecond.get(second) ?? []) count(entry, sign)
    }
  }

  return {
    sums,
    put (swap: SwapRow): void {
      const volume = swapVolume(swap, valuation)
      const entry = { key: `${swap.seq} ${swap.dao}`, dao: swap.dao, at: swap.at, base: scaled(volume.base), quote: scaled(volume.quote) }
      const known = byKey.get(entry.key)
      if (known !== undefined) {
        countIfInside(known, -1)
        Object.assign(known, entry)
        countIfInside(known, 1)
        return
      }
      byKey.set(entry.key, entry)
      const others = bySecond.get(entry.at)
      if (others === undefined) bySecond.set(entry.at, [entry])
      else others.push(entry)
      countIfInside(entry, 1)
    },
    /** False where `to` is too far away for what is kept. */
    canMove: (to: number) => to - now < DAY && to - DAY >= forgotten,
    move (to: number): void {
      countSeconds(now, to, 1)
      countSeconds(now - DAY, to - DAY, -1)
      countSeconds(to, now, -1)
      countSeconds(to - DAY, now - DAY, 1)
      now = to
      while (forgotten < now - DAY - KEPT) {
        forgotten++
        for (const { key } of bySecond.get(forgotten) ?? []) byKey.delete(key)
        bySecond.delete(forgotten)
      }
    }
  }
}

/**
 * The last 24 hours of all DAOs, kept in memory: seeded from the store once, then fed by what is new there, whichever process wrote it.
 * Swaps enter and leave by the second, and late or re-valued ones find their place, so a reading costs what has changed since the last
 * one and not what is stored.
 */
export function createWindow (store: Store, valuation: Valuation) {
  let seconds: ReturnType<typeof createSeconds> | undefined
  let change = 0

  async function seed (now: number): Promise<ReadonlyMap<string, WindowSum>> {
    const found = await store.swapsSince(now - DAY - KEPT)
    const fresh = createSeconds(valuation, now)
    for (const row of found.rows) fresh.put(row)
    seconds = fresh
    change = found.change
    return fresh.sums
  }

  async function advance (now: number): Promise<ReadonlyMap<string, WindowSum>> {
    if (seconds === undefined || !seconds.canMove(now)) return await seed(now)
    const found = await store.swapsAfter(change, now - DAY - KEPT)
    if (found === null) return await seed(now)
    seconds.move(now)
    for (const row of found.rows) seconds.put(row)
    change = found.change
    return seconds.sums
  }

  let last: Promise<unknown> = Promise.resolve()
  return {
    /** Hands the sums at the Unix second `now` to `use`, which must not keep them; DAOs without a swap are left out. Throws HISTORY_UNAVAILABLE. */
    read<T> (now: number, use: (sums: ReadonlyMap<string, WindowSum>) => T): Promise<T> {
      const next = last.then(async () => use(await advance(now)))
      last = next.catch(() => {})   // the one who asked is told
      return next
    }
  }
}
