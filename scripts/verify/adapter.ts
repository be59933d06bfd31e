/** A day of a pool as the public adapters count it (docs/methodology.md), in whole quote tokens, taken for dollars. */
import { amount, text } from '../checks/decimal.js'
import { feesOf, sumOf } from '../checks/swaps.js'
import { type Chain, dateOf, DAY, group, type Group, type Served } from './compare.js'
import type { Node } from './node.js'

/** A token account's amount. */
const AMOUNT = 64
/** What the adapters take for the fee of every swap, of 1,000. */
const FEE = 5n

/** What the vaults of a pool hold, raw units. */
export interface Vaults { base: bigint, quote: bigint }

export async function readVaults ({ account }: Node, { baseVault, quoteVault }: Chain['pool']): Promise<Vaults> {
  const [base, quote] = [await account(baseVault), await account(quoteVault)]
  return { base: base?.data.readBigUInt64LE(AMOUNT) ?? 0n, quote: quote?.data.readBigUInt64LE(AMOUNT) ?? 0n }
}

/**
 * Both counts of the newest UTC day that was read whole, else of today so far, as lines, and whether what is served is
 * the adapters' count and the difference that is stated.
 */
export function besideAdapter (
  { detail, days }: Pick<Served, 'detail' | 'days'>, { pool, past, since, time }: Chain, vaults: Vaults
): { lines: string[], group: Group } {
  const midnight = time - time % DAY
  const start = midnight - DAY >= since ? midnight - DAY : midnight
  const date = dateOf(start)
  const row = days.find((one: { date: string }) => one.date === date)
  const traded = past.swaps.filter(({ at }) => at >= start && at < start + DAY)
  // of a day that goes on, what was traded when the service was asked
  const swaps = start === midnight ? traded.slice(0, row?.trades ?? 0) : traded
  const own = group('the adapters\' day')
  const { unit, decimals, symbol } = pool.quote
  const [named, unnamed] = [swaps.filter(({ isNamed }) => isNamed), swaps.filter(({ isNamed }) => !isNamed)]
  const [theirs, lost] = [sumOf(named, 'quote'), sumOf(unnamed, 'quote')]
  const charged = feesOf(swaps, pool)
  own.field('trades', row?.trades ?? 0, named.length + unnamed.length)
  own.field('target_volume', row?.target_volume ?? '0', amount(theirs + lost, decimals))
  if (charged !== undefined) own.field('fees', row?.fees ?? '0', charged)
  const { base_reserves: base, quote_reserves: quote } = detail.provenance
  const held = BigInt(base) === 0n ? 0n : vaults.quote + vaults.base * BigInt(quote) / BigInt(base)
  const cents = (raw: bigint, by = 1n): string => text(raw, by * unit, 2)
  return {
    group: own.found,
    lines: [
      `${date}${start === midnight ? ' so far' : ''}, in ${symbol === '' ? pool.quote.mint : symbol}`,
      `  volume: ${cents(theirs)} by the adapters, ${row?.target_volume ?? '0'} served: ` +
        `${cents(lost)} of ${unnamed.length} swaps that no log names`,
      `  fees: ${cents(theirs * FEE, 1000n)} by the adapters, 0.5 % of what was paid by buys and received by sales; ` +
        `${row?.fees ?? '0'} served, as they were charged`,
      `  liquidity: ${cents(held)} by the adapters, what the vaults hold now, fees and all; ` +
        `${cents(2n * BigInt(quote))} served, twice the quote reserves`
    ]
  }
}
