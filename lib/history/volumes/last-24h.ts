import { createTurns } from '../../async.js'
import { swapVolume, type VolumeRule } from '../../market/volume.js'
import { DAY } from '../../time.js'
import type { Store } from '../store/store.js'
import type { SwapRow } from '../rules/types.js'
import { candleOf, comparePrices, executedPrice, type Candle, type ExecutedPrice, type TradePrice } from '../rules/candles.js'

/** Sums of one DAO in the window, in units of the scale of `sums.ts`. */
export interface WindowSum { base: bigint, quote: bigint, trades: number }

/** The trades of one DAO in the window. */
export interface WindowDetail {
  high: ExecutedPrice | null
  low: ExecutedPrice | null
  /** The newest price. */
  close: ExecutedPrice | null
  /** Raw units of the trades that have a price, which their average is the quotient of. */
  priced: { quote: bigint, base: bigint }
  /** Protocol fees in quote units of the scale, and the trades whose fee is not known. */
  fees: bigint
  unknownFees: number
  makers: number
  /** Trades whose maker is not known yet. */
  unnamed: number
}

interface Entry { key: string, dao: string, at: number, candle: Candle, maker: string | null }

export const NOTHING_TRADED: WindowDetail = {
  high: null, low: null, close: null, priced: { quote: 0n, base: 0n }, fees: 0n, unknownFees: 0, makers: 0, unnamed: 0
}

/** Seconds for which what has left the window is kept: readings may come with slightly older times. */
const KEPT = 600

/** The sums of the seconds that a window covers, moved along with the time. A swap at t counts while now − 86,400 < t ≤ now. */
function createSeconds (valuation: VolumeRule, start: number) {
  const bySecond = new Map<number, Entry[]>()
  const byKey = new Map<string, Entry>()
  const sums = new Map<string, WindowSum>()
  const inside = new Map<string, Set<Entry>>()
  /** By the sum that they go with: where it is still the same, so are they. */
  const details = new WeakMap<WindowSum, WindowDetail>()
  let now = start
  let forgotten = start - DAY - KEPT

  function count (entry: Entry, sign: 1 | -1): void {
    const { dao, candle: { base, quote } } = entry
    const entries = inside.get(dao) ?? new Set()
    inside.set(dao, entries)
    if (sign === 1) entries.add(entry)
    else entries.delete(entry)
    if (entries.size === 0) inside.delete(dao)
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
    /** Costs a look at the DAO's trades in the window where one of them has come, gone or changed since the last time. */
    detail (dao: string): WindowDetail {
      const sum = sums.get(dao)
      if (sum === undefined) return NOTHING_TRADED
      let detail = details.get(sum)
      if (detail === undefined) details.set(sum, detail = detailOf(inside.get(dao) ?? []))
      return detail
    },
    put (swap: SwapRow): void {
      const volume = swapVolume(swap, valuation)
      const entry = { key: `${swap.seq} ${swap.dao}`, dao: swap.dao, at: swap.at, candle: candleOf(swap, swap.seq, volume), maker: swap.maker }
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

function detailOf (entries: Iterable<Entry>): WindowDetail {
  let [high, low, close]: [ExecutedPrice | null, ExecutedPrice | null, TradePrice | null] = [null, null, null]
  let [quote, base, fees, unknownFees, unnamed] = [0n, 0n, 0n, 0, 0]
  const makers = new Set<string>()
  for (const { candle, maker } of entries) {
    fees += candle.fees
    unknownFees += candle.unknownFees
    if (maker === null) unnamed++
    else makers.add(maker)
    if (candle.prices === null) continue
    const { close: price } = candle.prices
    quote += price.quote
    base += price.base
    if (high === null || comparePrices(price, high) > 0) high = price
    if (low === null || comparePrices(price, low) < 0) low = price
    if (close === null || price.seq > close.seq) close = price
  }
  return { high, low, close, priced: { quote, base }, fees, unknownFees, makers: makers.size, unnamed }
}

/**
 * The last 24 hours of all DAOs, kept in memory: seeded from the store once, then fed by what is new there, whichever process wrote it.
 * Swaps enter and leave by the second, and late or re-valued ones find their place, so a reading costs what has changed since the last
 * one and not what is stored.
 */
export function createWindow (store: Store, valuation: VolumeRule) {
  let seconds: ReturnType<typeof createSeconds> | undefined
  let change = 0
  let before: { at: number, revision: number, prices: Map<string, ExecutedPrice> } | undefined

  async function seed (now: number): Promise<ReadonlyMap<string, WindowSum>> {
    const found = await store.swapsSince(now - DAY - KEPT)
    const fresh = createSeconds(valuation, now)
    for (const row of found.rows) fresh.put(row)
    seconds = fresh
    change = found.revision
    before = undefined
    return fresh.sums
  }

  /** The newest priced trade of each DAO from before the window at `now`, brought up to date. */
  async function readBefore (now: number): Promise<ReadonlyMap<string, ExecutedPrice>> {
    const edge = now - DAY
    // only what has been read is kept: a reading that fails is made again
    if (before === undefined || before.at > edge) {
      const prices = new Map<string, ExecutedPrice>()
      for (const trade of await store.lastTrades(edge)) prices.set(trade.dao, executedPrice(trade.swap)!)
      before = { at: edge, revision: change, prices }
      return prices
    }
    const changed = await store.daosChanged(before.revision, 0, edge + 1)
    const daos = new Set([...changed.rows, ...await store.daosTraded(before.at + 1, edge + 1)])
    if (daos.size > 0) for (const trade of await store.lastTrades(edge, [...daos])) before.prices.set(trade.dao, executedPrice(trade.swap)!)
    before = { ...before, at: edge, revision: changed.revision }
    return before.prices
  }

  async function advance (now: number): Promise<ReadonlyMap<string, WindowSum>> {
    if (seconds === undefined || !seconds.canMove(now)) return await seed(now)
    const found = await store.swapsAfter(change, now - DAY - KEPT)
    if (found === null) return await seed(now)
    seconds.move(now)
    for (const row of found.rows) seconds.put(row)
    change = found.revision
    return seconds.sums
  }

  const inTurn = createTurns()
  return {
    /** Hands the sums at the Unix second `now` to `use`, which must not keep them; DAOs without a swap are left out. Throws HISTORY_UNAVAILABLE. */
    read: <T>(now: number, use: (sums: ReadonlyMap<string, WindowSum>) => T): Promise<T> => inTurn(async () => use(await advance(now))),
    /** As `read`, with what is known of each DAO's trades in the window, and the last price of each from before it. All stay as they are until `use` has ended. */
    readDetails: <T>(now: number, use: (sums: ReadonlyMap<string, WindowSum>, detail: (dao: string) => WindowDetail, before: ReadonlyMap<string, ExecutedPrice>) => T | Promise<T>): Promise<T> =>
      inTurn(async () => {
        const sums = await advance(now)
        const prices = await readBefore(now)
        return await use(sums, seconds!.detail, prices)
      })
  }
}
