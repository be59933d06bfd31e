import { multiply, powerOfTen, type Rational, ratio, shortText, subtract, toFixed } from '../../decimal.js'
import type { Kept, Part } from '../../live/fresh.js'
import type { Snapshot } from '../../live/snapshot.js'
import { textsOf } from '../../market/pool-figures.js'
import { lastText } from '../../market/price.js'
import { mostInput, quoteSwap, type SwapFees } from '../../market/quote.js'
import type { Pair } from '../../market/ticker.js'
import { invalidParameter } from '../../query.js'
import type { Quote } from '../../../schemas/pools.js'
import { jsonResponse } from '../json-response.js'
import type { Sources } from '../sources.js'

/** A rate or an amount of the settings, which have at most 18 places. */
export const rateText = (rate: Rational): string => shortText(rate, 18)

/** A pool with the state that lists it. */
export interface ListedPool { pair: Pair, state: Snapshot }

/**
 * What a swap of `amount` whole tokens would yield on the spot pool. Throws INVALID_PARAMETER for more decimals than
 * the token has, or more than the pool holds; INVALID_POOL_ID, POOL_NOT_FOUND, and what chain and history throw.
 */
export function createQuotes ({ history, settings }: Sources, listed: Kept<ListedPool, [poolId: string]>) {
  /** The protocol's part by the newest swap of any pool; the rest goes to liquidity providers. */
  async function feesOfNow (): Promise<SwapFees> {
    const whole = settings.quoteRules.feeRate
    const [newest] = await history.read(reading => reading.feeRates())
    const protocol = newest === undefined ? whole : ratio(BigInt(newest.bps), 10_000n)
    const rest = subtract(whole, protocol)
    return { protocol, lp: rest.n > 0n ? rest : ratio(0n) }
  }

  return async (parts: Part[], poolId: string, side: 'buy' | 'sell', amount: Rational) => {
    const { pair, state: { slot, daos } } = await listed(parts, poolId)
    const fees = await feesOfNow()
    const isBuy = side === 'buy'
    const { base, quote, price } = textsOf(pair)
    const [paid, received] = isBuy ? [quote, base] : [base, quote]
    const [inward, outward] = isBuy ? [pair.quoteReserves, pair.baseReserves] : [pair.baseReserves, pair.quoteReserves]
    const decimals = isBuy ? pair.quoteDecimals : pair.baseDecimals
    const raw = multiply(amount, powerOfTen(decimals))
    if (raw.n % raw.d !== 0n) throw invalidParameter('amount', `at most ${decimals} digits after the point`)
    const input = raw.n / raw.d
    if (input > mostInput(inward)) {
      throw invalidParameter('amount', `at most ${paid(mostInput(inward))}, what the pool holds`)
    }
    const { output, fee, impact } = quoteSwap(input, inward, outward, fees)
    return jsonResponse<Quote>({
      pool_id: poolId,
      side,
      amount: paid(input),
      output: received(output),
      exact: daos.get(poolId)?.state === 'spot',
      average_price: output === 0n
        ? null
        : price(isBuy ? { quote: input, base: output } : { quote: output, base: input }),
      price_impact: toFixed(multiply(impact, ratio(100n)), 4),
      fee: { mint: isBuy ? pair.quoteMint : pair.baseMint, amount: paid(fee) },
      protocol_fee_rate: rateText(fees.protocol),
      lp_fee_rate: rateText(fees.lp),
      last_price: lastText(pair, settings.quoteRules),
      slot
    })
  }
}
