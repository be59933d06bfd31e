import { add, multiply, type Rational, ratio, ZERO } from '../decimal.js'
import { DAY } from '../time.js'

/** Raw quote tokens of a pool after its last event of a UTC day, and that event's Unix second. */
interface Close { at: number, quote: bigint }

export interface ClosedPool {
  quoteMint: string
  /** Unix seconds of the account. */
  createdAt: number
  /** By the day since 1970-01-01; a day without an event that tells of reserves is left out. */
  closes: ReadonlyMap<number, Close>
  /** Everything after this Unix second is known, −Infinity: from the DAO's beginning; undefined: nothing is. */
  wholeAfter: number | undefined
}

/**
 * Liquidity of pools at the end of each day from the first known to `last`, oldest first; a day without an event ends
 * as the day before. `usd`: twice the quote reserves of the `known` pools, as a ticker's liquidity is; `unknown` ones
 * are those whose reserves then are not known.
 */
export function closingDays (
  pools: readonly ClosedPool[], usdPerUnit: (quoteMint: string) => Rational | undefined,
  { first: earliest, last }: { first: number, last: number }
) {
  const priced = pools.flatMap(pool => {
    const worth = usdPerUnit(pool.quoteMint)
    return worth === undefined ? [] : [{ ...pool, worth, days: [...pool.closes.keys()].sort((a, b) => a - b) }]
  })
  const first = Math.max(earliest, priced.reduce((least, { days: [day = Infinity] }) => Math.min(least, day), Infinity))
  const mints = new Map(priced.map(({ quoteMint, worth }) => [quoteMint, worth]))
  const rows = Array.from({ length: last - first + 1 }, (_, at) =>
    ({ day: first + at, known: 0, unknown: 0, raw: new Map<string, bigint>() }))
  for (const { quoteMint, createdAt, closes, wholeAfter, days } of priced) {
    let next = 0
    let close: Close | undefined
    for (const row of rows) {
      while (next < days.length && days[next]! <= row.day) close = closes.get(days[next++]!)
      const isKnown = wholeAfter === -Infinity || (close !== undefined && close.at > (wholeAfter ?? Infinity))
      if (!isKnown) row.unknown += Number(createdAt < (row.day + 1) * DAY)
      else if (close !== undefined) {
        row.known++
        row.raw.set(quoteMint, (row.raw.get(quoteMint) ?? 0n) + close.quote)
      }
    }
  }
  return rows.map(({ day, known, unknown, raw }) => ({
    day,
    known,
    unknown,
    usd: [...raw].reduce((sum, [mint, quote]) => add(sum, multiply(mints.get(mint)!, ratio(2n * quote))), ZERO)
  }))
}
