import type { MarketPool, Oracle, Outcome } from '../protocol/amm.js'
import { timeText } from '../time.js'
import type { ProposalRecord } from '../../schemas/proposals.js'
import { executedPriceText, ifKnown, textsOf } from './pool-figures.js'
import type { Decimals } from './price.js'

/**
 * Which side of a proposal leads, by the program's arithmetic (programs/futarchy/src/state/futarchy_amm.rs,
 * finalize_proposal.rs).
 */

const PRICE_SCALE = 10n ** 12n
const U128 = (1n << 128n) - 1n
const BPS = 10_000n
/** Seconds between two observations. */
const LEAST = 60

const min = (a: bigint, b: bigint) => a < b ? a : b
const max = (a: bigint, b: bigint) => a > b ? a : b

/**
 * The oracle as a swap at the Unix second `now` would leave it: an observation at most a minute, clamped; what held
 * until then is weighed by its time since the end of the start delay.
 */
export function carried (
  { oracle, reserves: { quote, base } }: Pick<MarketPool, 'oracle' | 'reserves'>, now: number
): Oracle {
  if (now < oracle.updatedAt + LEAST || quote === 0n || base === 0n) return oracle
  const price = quote * PRICE_SCALE / base
  const { lastObservation: last, maxChange } = oracle
  const start = oracle.createdAt + oracle.startDelay
  const seconds = BigInt(Math.max(0, now - Math.max(oracle.updatedAt, start)))
  return {
    ...oracle,
    aggregator: (oracle.aggregator + min(last * seconds, U128)) & U128,
    updatedAt: now,
    lastObservation: price > last ? min(price, min(last + maxChange, U128)) : max(price, max(last - maxChange, 0n))
  }
}

/** The average price since the start delay, × 10^12; null before it has passed. */
export function twapOf ({ aggregator, updatedAt, createdAt, startDelay }: Oracle): bigint | null {
  const seconds = updatedAt - createdAt - startDelay
  return seconds <= 0 ? null : aggregator / BigInt(seconds)
}

/** What the average of the pass market must exceed for it to pass. */
export const thresholdOf = (failTwap: bigint, bps: number) => failTwap * (BPS + BigInt(bps)) / BPS

/** Text of an oracle's price of raw units as that of whole tokens. */
const averageIn = (decimals: Decimals) => (average: bigint) =>
  executedPriceText({ quote: average, base: PRICE_SCALE }, decimals)

/** The decision, by the averages (× 10^12) of the event that decided. */
export function decisionOf (
  { pass, fail, threshold }: Record<Outcome | 'threshold', bigint>, decimals: Decimals
): ProposalRecord['decision'] {
  const text = averageIn(decimals)
  const outcome = pass > threshold ? 'pass' : 'fail'
  return { pass_twap: text(pass), fail_twap: text(fail), threshold: text(threshold), outcome }
}

/** Market fields of a proposal that is not live. */
export const NOT_LIVE =
  { pass: null, fail: null, spot_price: null, leads: null, threshold: null, as_of: null, slot: null }

/** Market fields of a live proposal at a moment; `bps`: its pass threshold; null: not known. */
export function liveMarketsOf (
  live: Record<'spot' | Outcome, MarketPool>, sums: Record<Outcome, { volume: string, trades: number }>,
  bps: number | null, decimals: Decimals, { time, slot }: { time: number, slot: number }
): Pick<ProposalRecord, keyof typeof NOT_LIVE> {
  const [texts, text] = [textsOf(decimals), averageIn(decimals)]
  const priceOf = ({ reserves }: MarketPool) =>
    reserves.base === 0n || reserves.quote === 0n ? null : texts.price(reserves)
  const twaps = { pass: twapOf(carried(live.pass, time)), fail: twapOf(carried(live.fail, time)) }
  const marketOf = (market: Outcome) => ({
    price: priceOf(live[market]),
    twap: ifKnown(twaps[market], text),
    base_reserve: texts.base(live[market].reserves.base),
    quote_reserve: texts.quote(live[market].reserves.quote),
    ...sums[market]
  })
  const threshold = twaps.fail === null || bps === null ? null : thresholdOf(twaps.fail, bps)
  return {
    pass: marketOf('pass'),
    fail: marketOf('fail'),
    spot_price: priceOf(live.spot),
    leads: twaps.pass === null || threshold === null ? null : twaps.pass > threshold ? 'pass' : 'fail',
    threshold: ifKnown(threshold, text),
    as_of: timeText(time),
    slot
  }
}
