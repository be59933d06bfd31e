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

/** The same with as many places at most, and without trailing zeros. */
export const shortest = (n: bigint, d: bigint, places: number): string =>
  places === 0 ? text(n, d, 0) : text(n, d, places).replace(/\.?0+$/, '')

/** Raw units in whole tokens, without trailing zeros. */
export const amount = (raw: bigint, decimals: number): string => shortest(raw, 10n ** BigInt(decimals), decimals)

/** n ÷ d, below 0 too: the half up by its size, and no −0. */
export function signed (n: bigint, d: bigint, places: number): string {
  const size = text(n < 0n ? -n : n, d, places)
  return n < 0n && /[1-9]/.test(size) ? `-${size}` : size
}
