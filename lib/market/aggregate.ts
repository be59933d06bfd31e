import { add, compare, multiply, type Rational, ratio, roundToInteger, toFixed, ZERO } from '../decimal.js'
import type { AggregateVolume } from '../../schemas/aggregate.js'

/** Volume since launch, by day and by token: sums kept from one refresh to the next, so that one costs what has changed. */

type Days = ReadonlyMap<string, { quote: Rational, trades: number }>

/** What one DAO traded. */
export interface TradedDao {
  address: string
  baseMint: string
  quoteMint: string
  /** Unix seconds of the launch. */
  launchedAt: number
  /** By UTC day (`YYYY-MM-DD`): raw quote units and swaps. The settled ones are compared by identity: another object where one has changed. */
  days: { settled: Days, recent: Days }
}

/** What the sums are worth and called now. */
export interface Pricing {
  /** USD per raw unit of a quote token; undefined where nothing prices it: its DAOs then add nothing to USD sums. */
  usdPerUnit (quoteMint: string): Rational | undefined
  symbolOf (baseMint: string): string
}

/** Raw quote units and swaps. */
interface Sum { units: Rational, trades: number }
/** Settled sums of the DAOs that share a quote token. */
interface Group { byDay: Map<string, Sum>, byToken: Map<string, Sum> }
interface Row { date: string, volume: string, trades: number }
/** The days before the recent ones, written down, and where their running sum stands. */
interface Written { key: string, rows: Row[], total: RunningCents, next: number }

const DAY = 86_400
const CENTS = 100n
const secondsOf = (date: string): number => Date.parse(date) / 1000
const dateOf = (seconds: number): string => new Date(seconds * 1000).toISOString().slice(0, 10)
const centsText = (cents: bigint): string => toFixed(ratio(cents, CENTS), 2)

/** A running sum, and what each amount adds to it once rounded to cents. */
interface RunningCents {
  /** By denominator, of which there are as many as prices: adding across them each time would lengthen it without end. */
  sums: Map<bigint, bigint>
  shown: bigint
}

const noCents = (): RunningCents => ({ sums: new Map(), shown: 0n })
const copyOf = ({ sums, shown }: RunningCents): RunningCents => ({ sums: new Map(sums), shown })
const grow = ({ sums }: RunningCents, { n, d }: Rational): void => { sums.set(d, (sums.get(d) ?? 0n) + n) }

/** Cents that the amounts added since the last call make of the rounded sum. */
function takeCents (running: RunningCents): bigint {
  let sum = ZERO
  for (const [d, n] of running.sums) sum = add(sum, { n, d })
  const upTo = roundToInteger({ n: sum.n * CENTS, d: sum.d }, 'nearest')
  const cents = upTo - running.shown
  running.shown = upTo
  return cents
}

function put (sums: Map<string, Rational>, key: string, amount: Rational): void {
  sums.set(key, add(sums.get(key) ?? ZERO, amount))
}

/** Adds to a sum, or takes away from it; one without swaps is gone. */
function move (sums: Map<string, Sum>, key: string, change: Sum): void {
  const known = sums.get(key)
  const trades = (known?.trades ?? 0) + change.trades
  if (trades === 0) sums.delete(key)
  else sums.set(key, { units: add(known?.units ?? ZERO, change.units), trades })
}

/** The settled days of all DAOs, by quote token. */
function createSettled () {
  const parts = new Map<string, TradedDao>()
  const groups = new Map<string, Group>()
  let version = 0
  let range: { version: number, first: number, last: number } | undefined

  function count ({ quoteMint, baseMint, days: { settled } }: TradedDao, sign: 1 | -1): void {
    if (settled.size === 0) return
    version++
    const group = groups.get(quoteMint) ?? { byDay: new Map<string, Sum>(), byToken: new Map<string, Sum>() }
    for (const [date, { quote, trades }] of settled) {
      const change = { units: sign === 1 ? quote : { n: -quote.n, d: quote.d }, trades: sign * trades }
      move(group.byDay, date, change)
      move(group.byToken, baseMint, change)
    }
    if (group.byDay.size > 0) groups.set(quoteMint, group)
    else groups.delete(quoteMint)
  }

  return {
    groups,
    version: () => version,
    /** The first and the last day that any of them has, unix seconds. */
    range (): { first: number, last: number } {
      if (range?.version !== version) {
        range = { version, first: Infinity, last: -Infinity }
        for (const { byDay } of groups.values()) {
          for (const date of byDay.keys()) {
            range.first = Math.min(range.first, secondsOf(date))
            range.last = Math.max(range.last, secondsOf(date))
          }
        }
      }
      return range
    },
    update (daos: readonly TradedDao[]): void {
      const current = new Set(daos.map(({ address }) => address))
      for (const [address, part] of parts) {
        if (current.has(address)) continue
        count(part, -1)
        parts.delete(address)
      }
      for (const dao of daos) {
        const part = parts.get(dao.address)
        if (part?.days.settled === dao.days.settled && part.quoteMint === dao.quoteMint && part.baseMint === dao.baseMint) continue
        if (part !== undefined) count(part, -1)
        count(dao, 1)
        parts.set(dao.address, dao)
      }
    }
  }
}

/**
 * A function that makes the record as served. Amounts are exact until the last step; there each list is rounded along its running sum, so
 * that every figure is within a cent of the exact one, and the days, and the tokens, add up to the total to the cent.
 */
export function createAggregate (): (daos: readonly TradedDao[], pricing: Pricing, nowSeconds: number) => AggregateVolume {
  const settled = createSettled()
  let written: Written | undefined

  /** Rows of the days from `first` to before `end`, or those of the last time where nothing in them has changed. */
  function write (first: number, end: number, worth: ReadonlyMap<string, Rational>): Written {
    const key = `${settled.version()} ${first} ${end} ${[...settled.groups.keys()].map(mint => priceKey(worth.get(mint))).join()}`
    if (written?.key === key) return written
    const fresh: Written = { key, rows: [], total: noCents(), next: first }
    for (; fresh.next < end; fresh.next += DAY) {
      const date = dateOf(fresh.next)
      const sums = [...settled.groups].flatMap(([mint, { byDay }]) => {
        const sum = byDay.get(date)
        return sum === undefined ? [] : [{ mint, ...sum }]
      })
      push(fresh, date, sums, worth)
    }
    written = fresh
    return fresh
  }

  return (daos, { usdPerUnit, symbolOf }, nowSeconds) => {
    settled.update(daos)
    const worth = new Map<string, Rational>()
    for (const mint of new Set(daos.map(({ quoteMint }) => quoteMint))) {
      const price = usdPerUnit(mint)
      if (price !== undefined) worth.set(mint, price)
    }

    const recent = new Map<string, Array<Sum & { mint: string }>>()
    const byToken = new Map<string, Rational>()
    for (const [mint, group] of settled.groups) {
      const price = worth.get(mint)
      if (price !== undefined) for (const [token, { units }] of group.byToken) put(byToken, token, multiply(units, price))
    }
    // a day that has swaps is listed even where our clock, or a launch date, would leave it out
    const range = settled.range()
    let first = range.first
    let end = nowSeconds
    let last = nowSeconds
    for (const { baseMint, quoteMint, launchedAt, days } of daos) {
      first = Math.min(first, launchedAt)
      const price = worth.get(quoteMint)
      if (price !== undefined) put(byToken, baseMint, ZERO)
      for (const [date, { quote, trades }] of days.recent) {
        end = Math.min(end, secondsOf(date))
        last = Math.max(last, secondsOf(date))
        const sums = recent.get(date) ?? []
        sums.push({ mint: quoteMint, units: quote, trades })
        recent.set(date, sums)
        if (price !== undefined) put(byToken, baseMint, multiply(quote, price))
      }
    }
    end = Math.max(end, range.last + DAY)
    const start = Math.floor(Math.min(first, end) / DAY) * DAY
    const past = daos.length === 0 ? undefined : write(start, Math.max(start, Math.floor(end / DAY) * DAY), worth)
    const whole: Written = { key: '', rows: [...past?.rows ?? []], total: copyOf(past?.total ?? noCents()), next: past?.next ?? Infinity }
    for (; whole.next <= last; whole.next += DAY) push(whole, dateOf(whole.next), recent.get(dateOf(whole.next)) ?? [], worth)

    return {
      totalVolume: centsText(whole.total.shown),
      dailyBreakdown: whole.rows.reverse(),
      tokens: tokenRows(byToken, symbolOf)
    }
  }
}

const priceKey = (price: Rational | undefined): string => price === undefined ? '-' : `${price.n}/${price.d}`

/** Appends a day, and moves the running sum on. */
function push (to: Written, date: string, sums: ReadonlyArray<Sum & { mint: string }>, worth: ReadonlyMap<string, Rational>): void {
  let trades = 0
  for (const sum of sums) {
    trades += sum.trades
    const price = worth.get(sum.mint)
    if (price !== undefined) grow(to.total, multiply(sum.units, price))
  }
  to.rows.push({ date, volume: centsText(takeCents(to.total)), trades })
}

/** Largest volume first, then by mint. */
function tokenRows (byToken: ReadonlyMap<string, Rational>, symbolOf: Pricing['symbolOf']): AggregateVolume['tokens'] {
  const total = noCents()
  return [...byToken]
    .sort(([mintA, a], [mintB, b]) => compare(b, a) || (mintA < mintB ? -1 : 1))
    .map(([mint, usd]) => {
      grow(total, usd)
      return { mint, symbol: symbolOf(mint), totalVolume: centsText(takeCents(total)) }
    })
}
