/** Decimal text, exactly, for `npm run verify`. */

/** The fraction that a decimal is. */
export const fraction = (decimal: string) =>
  ({ n: BigInt(decimal.replace('.', '')), d: 10n ** BigInt(decimal.split('.')[1]?.length ?? 0) })

/** n ÷ d with so many places. */
export function text (n: bigint, d: bigint, places: number, round: 'down' | 'nearest' | 'up' = 'nearest'): string {
  const digits = ((n * 10n ** BigInt(places) + { down: 0n, nearest: d / 2n, up: d - 1n }[round]) / d).toString()
    .padStart(places + 1, '0')
  return places === 0 ? digits : `${digits.slice(0, -places)}.${digits.slice(-places)}`
}

/** n ÷ d with 12 places, and more where 12 significant digits need them. */
export function price (n: bigint, d: bigint, round?: 'down' | 'up'): string {
  let places = 12
  for (let scaled = n * 10n; scaled < d; scaled *= 10n) places++
  return text(n, d, places, round)
}

/** Raw units in whole tokens, without trailing zeros. */
export const amount = (raw: bigint, decimals: number) =>
  decimals === 0 ? raw.toString() : text(raw, 10n ** BigInt(decimals), decimals).replace(/\.?0+$/, '')
