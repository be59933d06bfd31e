import { createPauses, createTurns } from '../../async.js'
import { swapVolume, type VolumeRule } from '../../market/volume.js'
import { DAY } from '../../time.js'
import type { Store, SwapsSince } from '../store/store.js'
import type { SwapRow } from '../rules/types.js'
import { candleOf, comparePrices, executedPrice, type ExecutedPrice } from '../rules/candles.js'
import { createKeptSwaps } from './kept-swaps.js'

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

export const NOTHING_TRADED: WindowDetail = {
  high: null, low: null, close: null, priced: { quote: 0n, base: 0n }, fees: 0n, unknownFees: 0, makers: 0, unnamed: 0
}

/** Seconds for which what has left the window is kept: readings may come with slightly older times. */
const KEPT = 600
/** Swaps read at once when the window is read from the store: some 20 ms of work. */
const PAGE = 2_000
/** No row: no trade has a price. */
const NO_PRICE = -1
/** Far more than the error of a price as a float. */
const NEAR = 1e-12

/** What the trades inside add up to beside their volumes. */
interface Extras { priced: { quote: bigint, base: bigint }, fees: bigint, unknownFees: number, unnamed: number }

/** The sums of the seconds that a window covers, moved along with the time. A swap at t counts while now − 86,400 < t ≤ now. */
function createSeconds (valuation: VolumeRule, start: number) {
  const swaps = createKeptSwaps()
  const sums = new Map<string, WindowSum>()
  const extras = new Map<string, Extras>()
  /** By the sum that they go with: where it is still the same, so are they. */
  const details = new WeakMap<WindowSum, WindowDetail>()
  let now = start
  let forgotten = start - DAY - KEPT

  const isInside = (at: number): boolean => at > now - DAY && at <= now

  function count (swap: SwapRow, sign: 1 | -1): void {
    const { dao } = swap
    const { base, quote, fees, unknownFees, prices } = candleOf(swap, swap.seq, swapVolume(swap, valuation))
    const sum = sums.get(dao)
    const factor = BigInt(sign)
    const trades = (sum?.trades ?? 0) + sign
    if (trades === 0) {
      sums.delete(dao)
      extras.delete(dao)
      return
    }
    sums.set(dao, { base: (sum?.base ?? 0n) + factor * base, quote: (sum?.quote ?? 0n) + factor * quote, trades })
    let extra = extras.get(dao)
    if (extra === undefined) extras.set(dao, extra = { priced: { quote: 0n, base: 0n }, fees: 0n, unknownFees: 0, unnamed: 0 })
    extra.fees += factor * fees
    extra.unknownFees += sign * unknownFees
    if (swap.maker === null) extra.unnamed += sign
    if (prices === null) return
    extra.priced.quote += factor * prices.close.quote
    extra.priced.base += factor * prices.close.base
  }

  function countSeconds (after: number, upTo: number, sign: 1 | -1): void {
    for (let second = after + 1; second <= upTo; second++) {
      for (const row of swaps.ofSecond(second)) count(swaps.get(row), sign)
    }
  }

  /** The highest and the lowest price inside, the newest, and how many traded. */
  function look (dao: string): Pick<WindowDetail, 'high' | 'low' | 'close' | 'makers'> {
    let [high, low, close] = [NO_PRICE, NO_PRICE, NO_PRICE]
    const makers = new Set<number>()
    for (const row of swaps.ofDao(dao)) {
      if (!isInside(swaps.at(row))) continue
      const maker = swaps.maker(row)
      if (maker >= 0) makers.add(maker)
      const near = swaps.nearPrice(row)
      if (Number.isNaN(near)) continue
      // floats settle all but the closest
      if (high === NO_PRICE || near > swaps.nearPrice(high) * (1 - NEAR)) high = high === NO_PRICE || comparePrices(priceIn(row), priceIn(high)) > 0 ? row : high
      if (low === NO_PRICE || near < swaps.nearPrice(low) * (1 + NEAR)) low = low === NO_PRICE || comparePrices(priceIn(row), priceIn(low)) < 0 ? row : low
      if (close === NO_PRICE || swaps.seq(row) > swaps.seq(close)) close = row
    }
    const priceOf = (row: number): ExecutedPrice | null => row === NO_PRICE ? null : priceIn(row)
    return { high: priceOf(high), low: priceOf(low), close: priceOf(close), makers: makers.size }
  }

  const priceIn = (row: number): ExecutedPrice => executedPrice(swaps.get(row))!

  return {
    sums,
    /** Costs a look at the DAO's trades in the window where one of them has come, gone or changed since the last time. */
    detail (dao: string): WindowDetail {
      const [sum, extra] = [sums.get(dao), extras.get(dao)]
      if (sum === undefined || extra === undefined) return NOTHING_TRADED
      let detail = details.get(sum)
      if (detail === undefined) {
        const { priced: { quote, base }, fees, unknownFees, unnamed } = extra
        const { high, low, close, makers } = look(dao)
        details.set(sum, detail = { high, low, close, priced: { quote, base }, fees, unknownFees, makers, unnamed })
      }
      return detail
    },
    put (swap: SwapRow): void {
      const known = swaps.find(swap.dao, swap.seq)
      if (known >= 0) {
        if (isInside(swaps.at(known))) count(swaps.get(known), -1)
        swaps.remove(known)
      }
      swaps.add(swap)
      if (isInside(swap.at)) count(swap, 1)
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
        for (const row of swaps.ofSecond(forgotten)) swaps.remove(row)
      }
    }
  }
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

  /** Reads it all, page by page, and then what has changed meanwhile: so the sums are those of the state that was read last. */
  async function seed (now: number): Promise<ReadonlyMap<string, WindowSum>> {
    const after = now - DAY - KEPT
    const fresh = createSeconds(valuation, now)
    const pause = createPauses()
    let revision: number | undefined
    for (let from: number | null = after; from !== null;) {
      const page: SwapsSince = await store.swapsSince(from, PAGE)
      revision ??= page.revision
      for (const row of page.rows) fresh.put(row)
      from = page.until
      await pause()
    }
    for (let known = revision!; ;) {
      const found = await store.swapsAfter(known, after)
      const { rows, revision } = found ?? await store.swapsPage(known, PAGE)
      for (const row of rows) if (row.at > after) fresh.put(row)
      known = revision
      if (found === null) continue
      seconds = fresh
      change = known
      before = undefined
      return fresh.sums
    }
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
