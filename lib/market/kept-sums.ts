import type { Rational } from '../decimal.js'

/**
 * Sums of volumes by day and by token, kept from one refresh to the next: integers on one common scale, so that a price that changes costs
 * one multiplication for all the years of its token, and adding across prices is adding integers.
 */

/** Units of a raw token unit, and of a USD per raw unit, that sums are counted in. Exact for dollars of up to 30 decimals and whole raw units. */
const UNIT_SCALE = 10n ** 12n
const PRICE_SCALE = 10n ** 30n
/** USD sums are counted in units of 1 / USD_SCALE. A price is off by 5 × 10^-31: 10^25 raw units, more than a u64 can hold a million times, by 0.00001 USD. */
export const USD_SCALE = UNIT_SCALE * PRICE_SCALE

const nearest = ({ n, d }: Rational, scale: bigint): bigint => (2n * n * scale + d) / (2n * d)
/** Raw units of a quote token on the scale of the sums. */
export const scaleUnits = (units: Rational): bigint => nearest(units, UNIT_SCALE)
/** USD per raw unit on the scale of the prices. */
export const scalePrice = (price: Rational): bigint => nearest(price, PRICE_SCALE)

export const SECONDS_PER_DAY = 86_400
export const dayOf = (date: string): number => Date.parse(date) / 1000 / SECONDS_PER_DAY

/** By UTC day (`YYYY-MM-DD`): raw quote units and swaps. */
export type Days = ReadonlyMap<string, { quote: Rational, trades: number }>

/** What one DAO traded before the recent days. Objects of days that have not changed are the same from one call to the next. */
export interface SettledDao { address: string, baseMint: string, quoteMint: string, settled: Days }

/** Sums of the DAOs that share a quote token. */
interface Group {
  byDay: Map<number, bigint>
  byToken: Map<string, { units: bigint, trades: number }>
  /** All days in one integer, `SLOT_BITS` each from the first day on; undefined: to be made anew. */
  packed: bigint | undefined
}

/**
 * Bits of a day in a packed integer: u64 amounts of 2^32 swaps (136 bits scaled), a price of 2^64 USD a raw unit (164), and 2^20 tokens. So no
 * day overflows into the next, and no sum is negative.
 */
const SLOT_BITS = 320
const SLOT_DIGITS = SLOT_BITS / 4
const MAX_UNITS = 1n << 136n
const MAX_PRICE = 1n << 164n

function pack (byDay: ReadonlyMap<number, bigint>, first: number, last: number): bigint {
  const digits: string[] = []
  for (let day = last; day >= first; day--) {
    const units = byDay.get(day) ?? 0n
    if (units >= MAX_UNITS) throw new RangeError(`more than any day can trade: ${units}`)
    digits.push(units.toString(16).padStart(SLOT_DIGITS, '0'))
  }
  return BigInt(`0x0${digits.join('')}`)
}

/** USD of each day, oldest first. */
function unpack (sum: bigint, days: number): bigint[] {
  const digits = sum.toString(16).padStart(days * SLOT_DIGITS, '0')
  return Array.from({ length: days }, (_, at) => BigInt(`0x${digits.slice((days - 1 - at) * SLOT_DIGITS, (days - at) * SLOT_DIGITS)}`))
}

export interface KeptSums {
  /** Takes in what has changed; gives the event loop its turn by `pause` between DAOs. */
  update (daos: readonly SettledDao[], pause: () => Promise<void> | undefined): Promise<void>
  /** First and last day that anything was traded on, since 1970-01-01; undefined where nothing was. */
  range (): { first: number, last: number } | undefined
  /** USD of each day of the range, oldest first, on USD_SCALE; the same array where nothing has changed. */
  usdByDay (prices: ReadonlyMap<string, bigint>, pause: () => Promise<void> | undefined): Promise<readonly bigint[]>
  tradesOn (day: number): number
  /** Grows with every change of what was traded. */
  readonly version: number
  /** USD of each token by its base mint; those of which nothing is priced are left out. */
  usdByToken (prices: ReadonlyMap<string, bigint>): Map<string, bigint>
}

export function createKeptSums (): KeptSums {
  const parts = new Map<string, SettledDao>()
  const groups = new Map<string, Group>()
  const trades = new Map<number, number>()
  let extent: { first: number, last: number } | undefined
  let isExtentKnown = true
  /** What has gone into `sum`: the packed days of each quote token, and the price that they were multiplied by. */
  const applied = new Map<string, { packed: bigint, price: bigint }>()
  let sum = 0n
  let version = 0
  let rows: readonly bigint[] | undefined

  function count (group: Group, baseMint: string, date: string, units: bigint, swaps: number): void {
    version++
    const day = dayOf(date)
    const left = (trades.get(day) ?? 0) + swaps
    if (left === 0) trades.delete(day)
    else trades.set(day, left)
    if (extent === undefined || day < extent.first || day > extent.last || left === 0) isExtentKnown = false
    const total = (group.byDay.get(day) ?? 0n) + units
    if (total === 0n) group.byDay.delete(day)
    else group.byDay.set(day, total)
    const token = group.byToken.get(baseMint) ?? { units: 0n, trades: 0 }
    if (token.trades + swaps === 0) group.byToken.delete(baseMint)
    else group.byToken.set(baseMint, { units: token.units + units, trades: token.trades + swaps })
    group.packed = undefined
  }

  /** Takes `old` out and puts `fresh` in, days that are the same objects aside. */
  function exchange (quoteMint: string, baseMint: string, old: Days, fresh: Days): void {
    const group = groups.get(quoteMint) ?? { byDay: new Map<number, bigint>(), byToken: new Map<string, { units: bigint, trades: number }>(), packed: undefined }
    groups.set(quoteMint, group)
    for (const [date, day] of old) if (fresh.get(date) !== day) count(group, baseMint, date, -scaleUnits(day.quote), -day.trades)
    for (const [date, day] of fresh) if (old.get(date) !== day) count(group, baseMint, date, scaleUnits(day.quote), day.trades)
    if (group.byToken.size === 0) groups.delete(quoteMint)
  }

  function range (): { first: number, last: number } | undefined {
    if (isExtentKnown) return extent
    let [first, last] = [Infinity, -Infinity]
    for (const day of trades.keys()) {
      first = Math.min(first, day)
      last = Math.max(last, day)
    }
    const found = trades.size === 0 ? undefined : { first, last }
    if (found?.first !== extent?.first || found?.last !== extent?.last) {
      // other days, other places in the packed integers
      for (const group of groups.values()) group.packed = undefined
      applied.clear()
      sum = 0n
      rows = undefined
    }
    extent = found
    isExtentKnown = true
    return found
  }

  return {
    async update (daos, pause) {
      const current = new Set(daos.map(({ address }) => address))
      for (const [address, { quoteMint, baseMint, settled }] of parts) {
        if (current.has(address)) continue
        exchange(quoteMint, baseMint, settled, new Map())
        parts.delete(address)
        await pause()
      }
      for (const dao of daos) {
        const part = parts.get(dao.address)
        if (part?.settled === dao.settled && part.quoteMint === dao.quoteMint && part.baseMint === dao.baseMint) continue
        const isMoved = part !== undefined && (part.quoteMint !== dao.quoteMint || part.baseMint !== dao.baseMint)
        if (isMoved) exchange(part.quoteMint, part.baseMint, part.settled, new Map())
        exchange(dao.quoteMint, dao.baseMint, isMoved ? new Map() : part?.settled ?? new Map(), dao.settled)
        parts.set(dao.address, { address: dao.address, quoteMint: dao.quoteMint, baseMint: dao.baseMint, settled: dao.settled })
        const wait = pause()
        if (wait !== undefined) await wait
      }
    },

    range,

    async usdByDay (prices, pause) {
      const days = range()
      if (days === undefined) return []
      for (const mint of new Set([...applied.keys(), ...groups.keys()])) {
        const group = groups.get(mint)
        const price = group === undefined ? 0n : prices.get(mint) ?? 0n
        const known = applied.get(mint)
        if (price === (known?.price ?? 0n) && (price === 0n || group!.packed === known?.packed)) continue
        if (price >= MAX_PRICE) throw new RangeError(`a price beyond any: ${price}`)
        const packed = price === 0n ? 0n : group!.packed ??= pack(group!.byDay, days.first, days.last)
        if (known !== undefined && known.packed === packed) sum += (price - known.price) * packed
        else sum += price * packed - (known === undefined ? 0n : known.price * known.packed)
        if (price === 0n) applied.delete(mint)
        else applied.set(mint, { packed, price })
        rows = undefined
        const wait = pause()
        if (wait !== undefined) await wait
      }
      rows ??= unpack(sum, days.last - days.first + 1)
      return rows
    },

    tradesOn: day => trades.get(day) ?? 0,
    get version () { return version },

    usdByToken (prices) {
      const found = new Map<string, bigint>()
      for (const [mint, { byToken }] of groups) {
        const price = prices.get(mint)
        if (price !== undefined) for (const [token, { units }] of byToken) found.set(token, (found.get(token) ?? 0n) + units * price)
      }
      return found
    }
  }
}
