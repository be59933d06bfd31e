import { eachInSlices } from '../async.js'
import { multiply, powerOfTen, type Rational, ratio, shortText, subtract, toFixed, ZERO } from '../decimal.js'
import { orUnknown, unusable } from '../errors.js'
import type { PoolWindow } from '../history/history.js'
import { jsonResponse } from '../http/cached-response.js'
import type { Part } from '../live/fresh.js'
import type { Listed } from '../live/snapshot.js'
import { startDate } from '../market/dao-report.js'
import { amountText, changeText, exactUnits, ifKnown, textsOf } from '../market/pool-figures.js'
import { lastText } from '../market/price.js'
import { mostInput, quoteSwap } from '../market/quote.js'
import { liquidityUsd, tickerIdOf, usdText } from '../market/ticker.js'
import { invalidParameter } from '../query.js'
import { timeText } from '../time.js'
import type { Pool, PoolDetail, PRICE_CHANGES, Quote } from '../../schemas/pools.js'
import type { DaoFigures } from './dao-figures.js'
import { createPoolHistory } from './pool-history.js'
import { checkLeft, createdAt, headOf, sinceText } from './known-history.js'
import { checkAddress, formOf, keep, MAX_RECORDS, noPool, type PricedState, type Sources } from './sources.js'

/** A rate or an amount of the settings, which have at most 12 places. */
export const rateText = (rate: Rational) => shortText(rate, 12)

/** Changes from the newest price before each period to the newest now. */
const priceChanges = ({ prices: { now, ...past } }: PoolWindow) =>
  Object.fromEntries(Object.entries(past).map(([age, before]) =>
    [`price_change_${age}`, now && before && changeText(before, now)])) as Pick<Pool, keyof typeof PRICE_CHANGES>

export type PoolList = Awaited<ReturnType<ReturnType<typeof createPoolResponses>['traded']>>
export type ValuedPools = Awaited<ReturnType<ReturnType<typeof createPoolResponses>['known']>>

export function createPoolResponses (sources: Sources, facts: DaoFigures) {
  const { history, settings: { quoteRules, usdRules, volumeBasis }, snapshot } = sources
  let hasDay = false
  /** Lists are made anew once the last day is covered. */
  const byDay = { keyOf: () => String(hasDay ||= history.status().last24h) }

  function record (
    { accountsSlot: slot, usd }: PricedState, pair: Listed, window: PoolWindow, at: number | null
  ): Pool {
    const { dao } = pair
    const day = window.complete ? window : null
    const { quote, price } = textsOf(pair)
    const inQuote = (sum: Rational) => exactUnits(sum, pair.quoteDecimals)
    return {
      pool_id: pair.address,
      ticker_id: tickerIdOf(pair),
      base: { mint: pair.baseMint, symbol: pair.baseSymbol, name: pair.baseName, decimals: pair.baseDecimals },
      quote: { mint: pair.quoteMint, symbol: pair.quoteSymbol, name: pair.quoteName, decimals: pair.quoteDecimals },
      state: dao.state === 'spot' ? 'spot' : 'proposal',
      created_at: ifKnown(at, timeText),
      startDate: startDate(dao),
      complete_since: sinceText(window.wholeAfter),
      last_price: lastText(pair, quoteRules),
      ...priceChanges(window),
      high_24h: ifKnown(day?.high, price),
      low_24h: ifKnown(day?.low, price),
      vwap_24h: ifKnown(day?.priced, price),
      base_volume_24h: ifKnown(day?.base, sum => exactUnits(sum, pair.baseDecimals)),
      target_volume_24h: ifKnown(day?.quote, inQuote),
      target_volume_7d: ifKnown(window.quote7d, inQuote),
      target_volume_30d: ifKnown(window.quote30d, inQuote),
      trades_24h: day?.trades ?? null,
      buys_24h: day?.buys ?? null,
      sells_24h: day?.sells ?? null,
      buy_volume_24h: ifKnown(day?.buyQuote, quote),
      sell_volume_24h: ifKnown(day?.sellQuote, quote),
      makers_24h: day?.makers ?? null,
      buyers_24h: day?.buyers ?? null,
      sellers_24h: day?.sellers ?? null,
      fees_24h: ifKnown(day?.fees, fees => amountText(fees, pair.quoteDecimals)),
      liquidity_in_usd: usdText(liquidityUsd(pair, usd)),
      priced_in_usd: usd(pair.quoteMint) !== undefined,
      market_cap_usd: null,
      fdv_usd: null,
      treasury_vault_address: dao.vault,
      treasury_usdc_aum: null,
      slot
    }
  }

  /** Pools by state and history, deepest first, without what supply and treasury tell, kept. */
  const traded = keep(sources, async parts => {
    const state = await sources.priced(parts)
    const { time: windowsEnd } = headOf(sources, parts)
    const { windows, created } = await history.read(async reading => ({
      windows: await reading.windows(windowsEnd),
      created: new Map(Array.from(reading.known.sequenceRanges.keys(), dao => [dao, createdAt(reading, dao)]))
    }))
    const byId = new Map<string, Pool>()
    await eachInSlices(state.deepest, pair => {
      const { address } = pair
      const window = windows.get(address)
      if (window?.wholeAfter !== undefined) byId.set(address, record(state, pair, window, created.get(address) ?? null))
    })
    checkLeft(byId.size, state.pairs.size)
    /** `windowsEnd`: the Unix second at which their windows end. */
    return { state, windowsEnd, byId }
  }, byDay)

  /** The same with what supply and treasury tell of each, where their many accounts can be had. */
  const known = keep(sources, async parts => {
    const list = await traded(parts)
    const figures = await orUnknown(facts.all(parts))
    // supplies hardly ever change: they are valued at the price beside them
    const byId = new Map(Array.from(list.byId, ([id, pool]) =>
      [id, { ...pool, ...figures?.get(id)?.poolFigures(list.state.priceUsd(id)) }]))
    return { ...list, byId, figures }
  }, byDay)

  /** Throws INVALID_POOL_ID and POOL_NOT_FOUND. */
  async function listed (poolId: string, parts: Part[] = []) {
    checkAddress(poolId, 'INVALID_POOL_ID')
    const { pairs, accountsSlot: slot } = await snapshot.get(parts)
    const pair = pairs.get(poolId)
    if (pair === undefined) throw noPool(poolId)
    return { ...pair, slot }
  }

  const details = keep(sources, async (parts, poolId: string) => {
    const { state: { daos, byPair, priceUsd, accountsSlot: slot, tokens }, byId, windowsEnd } = await known(parts)
    const [pool, dao] = [byId.get(poolId), daos.get(poolId)]
    if (pool === undefined || dao === undefined) throw unusable(`events of ${poolId} are missing`)
    const indexed = history.report().get(poolId)
    const read = pool.treasury_usdc_aum === null ? await orUnknown(facts.one(parts, poolId)) : undefined
    const rates = await history.read(reading => reading.feeRates(poolId))
    // lists leave out long texts
    const whole = (token: Pool['base']): Pool['base'] => ({ ...token, ...tokens.get(token.mint)?.whole })
    return jsonResponse<PoolDetail>({
      ...pool,
      base: whole(pool.base),
      quote: whole(pool.quote),
      ...read?.figures.poolFigures(priceUsd(poolId)),
      provenance: {
        slot,
        base_reserves: dao.baseReserves.toString(),
        quote_reserves: dao.quoteReserves.toString(),
        base_fees: dao.baseFees.toString(),
        quote_fees: dao.quoteFees.toString(),
        accounts: {
          dao: dao.address,
          base_vault: dao.baseVault,
          quote_vault: dao.quoteVault,
          base_mint: dao.baseMint,
          quote_mint: dao.quoteMint
        },
        fee_rates: rates.map(({ bps, fromSlot, toSlot }) =>
          ({ rate: rateText(ratio(BigInt(bps), 10_000n)), from_slot: fromSlot, to_slot: toSlot })),
        taker_fee_rate: rateText(quoteRules.feeRate),
        quote_notional: rateText(quoteRules.notional),
        volume_basis: volumeBasis,
        usd_priced_by: pool.priced_in_usd && !usdRules.usdMints.has(dao.quoteMint)
          ? usdRules.pricedBy.get(dao.quoteMint)!
          : null,
        sequence_on_chain: dao.seqNum.toString(),
        sequence_indexed: (indexed?.indexed ?? 0n).toString(),
        missing_events: (indexed?.missingEvents ?? 0n).toString(),
        windows_end: windowsEnd
      },
      other_pools: byPair.get(pool.ticker_id)!.filter(other => other !== poolId && byId.has(other))
    })
  }, { max: MAX_RECORDS })

  return {
    traded,
    known,
    list: formOf(known, ({ byId }) => jsonResponse([...byId.values()])),
    /** Throws INVALID_POOL_ID and POOL_NOT_FOUND. */
    async one (parts: Part[], poolId: string) {
      await listed(poolId)
      return await details(parts, poolId)
    },
    ...createPoolHistory(sources, (poolId: string) => listed(poolId)),

    /**
     * What a swap of `amount` whole tokens would yield on the spot pool. Throws INVALID_POOL_ID, POOL_NOT_FOUND, and
     * INVALID_PARAMETER for more decimals than the token has, or more than the pool holds.
     */
    async quote (parts: Part[], poolId: string, side: 'buy' | 'sell', amount: Rational) {
      const pair = await listed(poolId, parts)
      const whole = quoteRules.feeRate
      // the protocol's part by the newest swap of any pool; the rest goes to liquidity providers
      headOf(sources, parts)
      const [newest] = await history.read(reading => reading.feeRates())
      const protocol = newest === undefined ? whole : ratio(BigInt(newest.bps), 10_000n)
      const rest = subtract(whole, protocol)
      const lp = rest.n > 0n ? rest : ZERO
      const isBuy = side === 'buy'
      const { base, quote, price } = textsOf(pair)
      const [paid, received] = isBuy ? [quote, base] : [base, quote]
      const { baseReserves, quoteReserves } = pair
      const [inward, outward] = isBuy ? [quoteReserves, baseReserves] : [baseReserves, quoteReserves]
      const decimals = isBuy ? pair.quoteDecimals : pair.baseDecimals
      const raw = multiply(amount, powerOfTen(decimals))
      if (raw.n % raw.d !== 0n) throw invalidParameter('amount', `at most ${decimals} digits after the point`)
      const input = raw.n / raw.d
      if (input > mostInput(inward)) {
        throw invalidParameter('amount', `at most ${paid(mostInput(inward))}, what the pool holds`)
      }
      const { output, fee, impact } = quoteSwap(input, inward, outward, { protocol, lp })
      return jsonResponse<Quote>({
        pool_id: poolId,
        side,
        amount: paid(input),
        output: received(output),
        exact: pair.dao.state === 'spot',
        average_price: output === 0n
          ? null
          : price(isBuy ? { quote: input, base: output } : { quote: output, base: input }),
        price_impact: toFixed(multiply(impact, ratio(100n)), 4),
        fee: { mint: isBuy ? pair.quoteMint : pair.baseMint, amount: paid(fee) },
        protocol_fee_rate: rateText(protocol),
        lp_fee_rate: rateText(lp),
        last_price: lastText(pair, quoteRules),
        slot: pair.slot
      })
    }
  }
}
