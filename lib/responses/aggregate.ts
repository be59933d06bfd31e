import { multiply, type Rational, ZERO } from '../decimal.js'
import { ServiceError, unusable, warmingUp } from '../errors.js'
import type { DayVolume, HistoryStatus } from '../history/history.js'
import { jsonResponse } from '../http/cached-response.js'
import type { Part } from '../live/fresh.js'
import { aggregateVolume, type TradedDao } from '../market/aggregate.js'
import { closingDays } from '../market/liquidity.js'
import { feesInUsd } from '../market/other-fees.js'
import { amountText, exactUnits, ifKnown } from '../market/pool-figures.js'
import { largestFirst, tickerIdOf, usdText } from '../market/ticker.js'
import { once } from '../once.js'
import { type Bounds, invalidParameter, rangeOf, readDay } from '../query.js'
import { DAY, dateOf, dayOf, dayOfDate } from '../time.js'
import type { AggregateFees, AggregateLiquidity } from '../../schemas/aggregate.js'
import { INVALID_DATE } from '../../schemas/errors.js'
import type { MarketDay, MarketDays } from '../../schemas/traded.js'
import { checkFinal, hasEvents, headOf, historyHeaders } from './known-history.js'
import { byDao, formOf, keep, type Sources } from './sources.js'

/** The days of all DAOs at one moment, and their sums. */
export type MarketTotals = Awaited<ReturnType<ReturnType<typeof createDayResponses>['totals']>>

/** The first UTC day that is stored whole, since 1970-01-01; −Infinity: all are; Infinity: none is. */
export function firstWholeDay ({ complete, oldestTime }: HistoryStatus): number {
  if (complete) return -Infinity
  // the oldest second may not be stored whole
  return oldestTime === null ? Infinity : Math.ceil((oldestTime + 2) / DAY)
}

/** As text; null where nothing is known that there is. */
const liquidityText = (row: ReturnType<typeof closingDays>[number] | undefined) =>
  row === undefined || (row.known === 0 && row.unknown > 0) ? null : usdText(row.usd)

/** Days of one answer, at most and by default. */
const [MAX_DAYS, USUAL_DAYS] = [366, 30]

/** What is made of the sums by day, once today is whole; headers say whether every event is there. */
export function createDayResponses (sources: Sources) {
  const { history, settings: { excluded } } = sources

  /** The days and their sums since launch, or since the first whole day while the past is read, kept. */
  const totals = keep(sources, async parts => {
    const state = await sources.priced(parts)
    const before = firstWholeDay(history.status())
    const { time: walkedTo } = headOf(sources, parts)
    const report = history.report()
    const daily = await history.daily()
    // a day that was whole before the sums were read, and is after them, is whole in them
    const firstDay = Math.max(before, firstWholeDay(history.status()))
    if (firstDay * DAY > walkedTo) throw warmingUp('no UTC day is known from its beginning yet')
    const daos: Array<TradedDao<DayVolume>> = []
    let [missing, unknownFees, complete] = [0n, 0, firstDay === -Infinity]
    for (const [address, entry] of report) {
      if (excluded.has(address)) continue
      missing += entry.missingEvents
      // made before what nodes have, and silent since
      complete &&= daily.has(address) || entry.missingEvents === 0n
    }
    for (const [address, dao] of state.daos) complete &&= daily.has(address) || !hasEvents(dao, walkedTo)
    for (const [address, traded] of daily) {
      if (excluded.has(address)) continue
      const dao = state.daos.get(address)
      complete &&= traded.complete && dao !== undefined
      if (dao === undefined) continue
      const days = firstDay === -Infinity
        ? traded.days
        : new Map([...traded.days].filter(([day]) => day >= firstDay))
      const { baseMint, quoteMint } = dao
      daos.push({ baseMint, quoteMint, launchedAt: Math.max(traded.launchedAt, firstDay * DAY), days })
      for (const day of days.values()) unknownFees += day.unknownFees
    }
    const headers = { ...historyHeaders(complete, firstDay * DAY - 1), 'x-history-missing': missing.toString() }
    const sums = (amountOf: (day: DayVolume) => Rational) =>
      once(() => aggregateVolume(daos, amountOf, state, walkedTo))
    const [volume, fees] = [sums(({ quote }) => quote), sums(({ fees }) => fees)]
    /** A day is over, and every event of it stored and understood. */
    const isOver = (day: number) => complete && (day + 1) * DAY <= walkedTo
    return {
      state,
      daily,
      /** Unix second up to which all is stored. */
      walkedTo,
      firstDay,
      headers: { volume: headers, fees: { ...headers, 'x-fees-unknown': String(unknownFees) } },
      volume,
      fees,
      isOver,
      /** Days newest first. Throws WARMING_UP where they end before what is read, or have begun since. */
      async rows (oldest: number, newest = oldest) {
        if (newest < firstDay) throw warmingUp(`the days before ${dateOf(firstDay)} are still being read`)
        if (oldest > dayOf(walkedTo)) throw warmingUp(`${dateOf(oldest)} has begun since the sums were made`)
        const { dailyBreakdown: ofFees } = await fees()
        return (await volume()).dailyBreakdown.flatMap(({ date, volume: usd, trades }, at): MarketDays => {
          const day = dayOfDate(date)
          if (day < oldest || day > newest) return []
          return [{ date, complete: isOver(day), volume_usd: usd, fees_usd: ofFees[at]!.volume, trades }]
        })
      },
      /** Fees that no spot swap was charged, USD; null: not all are known. */
      outside: once(async () => {
        const others = await history.read(async reading => {
          const isPartly = (dao: string) =>
            reading.wholeAfter(dao) !== -Infinity && reading.knowledge(dao, -Infinity) === 'partly'
          const isUnknown = firstDay !== -Infinity || [...state.daos.keys()].some(isPartly) || await reading.untold()
          return isUnknown ? null : await reading.otherFees()
        })
        // those of known DAOs, an external position's where it is of the DAO's own tokens
        const sum = (isExternal: boolean) => others && feesInUsd(others.flatMap(({ dao: of, mints, ...row }) => {
          const dao = state.daos.get(of)
          const worth = dao && state.usdPerUnit(dao.quoteMint)
          const isOwn = mints === null || (mints.quote === dao?.quoteMint && mints.base === dao.baseMint)
          return worth !== undefined && isOwn && (mints !== null) === isExternal ? [{ ...row, worth }] : []
        }))
        return { conditionalFees: ifKnown(sum(false), usdText), externalPoolFees: ifKnown(sum(true), usdText) }
      })
    }
  })

  const liquidity = keep(sources, async (parts, asked: string) => {
    const { state: { daos: known, usdPerUnit, symbolOf }, walkedTo, firstDay } = await totals(parts)
    const wanted = [...known.values()].filter(({ address, quoteMint }) =>
      [address, ''].includes(asked) && usdPerUnit(quoteMint) !== undefined)
    const pools = await history.read(async reading => {
      const all = await reading.closes()
      return wanted.map(({ address, baseMint, quoteMint, createdAt }) => {
        const [closes, wholeAfter] = [all.get(address) ?? new Map(), reading.wholeAfter(address)]
        return { address, baseMint, quoteMint, createdAt, closes, wholeAfter }
      })
    })
    const last = dayOf(walkedTo) - 1
    const rows = closingDays(pools, usdPerUnit, { first: firstDay, last }).reverse()
    const newest = pools.flatMap(pool =>
      closingDays([pool], usdPerUnit, { first: last, last }).map(row => ({ pool, row, liquidity: liquidityText(row) })))
    const daos =
      largestFirst(newest, ({ row, liquidity }) => liquidity === null ? null : row.usd, ({ pool }) => pool.address)
    // days before the first of which anything is known are no rows; the past may have been read since that was told
    const isWhole = firstDay === -Infinity && pools.every(({ wholeAfter }) => wholeAfter === -Infinity)
    return jsonResponse<AggregateLiquidity>({
      totalLiquidity: liquidityText(rows[0]),
      dailyBreakdown: rows.map(row =>
        ({ date: dateOf(row.day), liquidity: liquidityText(row), daos: row.known, unknown: row.unknown })),
      daos: daos.map(({ pool: { address, baseMint }, liquidity }) =>
        ({ dao: address, mint: baseMint, symbol: symbolOf(baseMint), liquidity }))
    }, historyHeaders(isWhole, firstDay * DAY - 1))
  })

  const ofDay = keep(sources, async (parts, day: number) => {
    const { state, daily, isOver, rows, headers, walkedTo } = await totals(parts)
    const date = dateOf(day)
    const [listed] = await rows(day)
    const end = Math.min(walkedTo, (day + 1) * DAY - 1)
    if (listed === undefined && [...state.daos.values()].some(dao => hasEvents(dao, end))) {
      throw unusable(`no event is known of any DAO up to ${date}`)
    }
    const all = listed ?? { date, complete: isOver(day), volume_usd: '0.00', fees_usd: '0.00', trades: 0 }
    const pools = Array.from(daily).flatMap(([address, { days }]) => {
      const [dao, traded] = [state.daos.get(address), days.get(day)]
      if (dao === undefined || traded === undefined) return []
      const decimals = state.tokens.get(dao.quoteMint)?.decimals
      if (decimals === undefined) throw unusable(`the decimals of ${dao.quoteMint} are not known`)
      const price = state.usdPerUnit(dao.quoteMint)
      const inUsd = (units: Rational) => price && multiply(price, units)
      const fees = traded.unknownFees > 0 ? null : traded.fees
      const worth = inUsd(traded.quote)
      const row = {
        pool_id: address,
        ticker_id: tickerIdOf(dao),
        target_volume: exactUnits(traded.quote, decimals),
        volume_usd: usdText(worth ?? ZERO),
        fees: ifKnown(fees, raw => amountText(raw, decimals)),
        fees_usd: ifKnown(fees, raw => usdText(inUsd(raw) ?? ZERO)),
        trades: traded.trades
      }
      return [{ row, worth }]
    })
    const sorted = largestFirst(pools, ({ worth }) => worth, ({ row }) => row.pool_id)
    return jsonResponse<MarketDay>({ ...all, pools: sorted.map(({ row }) => row) }, headers.fees)
  })

  return {
    totals,
    aggregate: formOf(totals, async ({ volume, headers }) => jsonResponse(await volume(), headers.volume)),
    fees: formOf(totals, async ({ fees, outside, headers }) => {
      const { totalVolume, dailyBreakdown, tokens } = await fees()
      return jsonResponse<AggregateFees>({
        totalFees: totalVolume,
        ...await outside(),
        dailyBreakdown: dailyBreakdown.map(({ date, volume: fees, trades }) => ({ date, fees, trades })),
        tokens: tokens.map(({ totalVolume: totalFees, ...token }) => ({ ...token, totalFees }))
      }, headers.fees)
    }),

    /** Liquidity at the end of each past UTC day, of all DAOs or one. Throws as `daoOf`, too. */
    liquidity: (parts: Part[], dao: string | undefined) =>
      dao === undefined ? liquidity(parts, '') : byDao(sources, liquidity)(parts, dao),

    /** One UTC day of all pools, YYYY-MM-DD. Throws INVALID_PARAMETER for what is none, or has not begun. */
    async day (parts: Part[], date: string) {
      const day = readDay(date)
      const invalid = new ServiceError('INVALID_PARAMETER', INVALID_DATE)
      if (day === undefined) throw invalid
      checkFinal(sources, day * DAY, invalid)
      return await ofDay(parts, day)
    },

    /**
     * UTC days of all pools from that of a Unix second to that of another, oldest first, up to today. Throws
     * INVALID_PARAMETER for more than a year and for days to come.
     */
    async days (parts: Part[], asked: Bounds) {
      const { from, to } = rangeOf<Pick<Bounds, 'from' | 'to'>>(asked)
      const name = asked.since === undefined ? 'from' : 'since'
      const today = dayOf(history.head().time)
      const last = to === undefined ? today : Math.min(dayOf(to), today)
      const first = dayOf(from ?? 0)
      if (from !== undefined) {
        checkFinal(sources, first * DAY, invalidParameter(name, 'a day that has begun'))
        if (last - first >= MAX_DAYS) throw invalidParameter(name, `at most ${MAX_DAYS} days in all`)
      }
      const { rows, headers } = await totals(parts)
      const found = (await rows(first, last)).slice(0, from === undefined ? USUAL_DAYS : MAX_DAYS)
      return jsonResponse(found.reverse(), headers.fees)
    }
  }
}
