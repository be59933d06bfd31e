import { add, multiply, powerOfTen, type Rational, ratio, roundToInteger } from '../decimal.js'
import type { Sides } from '../protocol/amm.js'

/** Fees that came at once, raw units, and the spot reserves at whose price base tokens count; null: not known. */
interface OutsideFees { fees: Sides | null, reserves: Sides | null }

/** In raw quote units; null where that is not known. */
function feesInQuote ({ fees, reserves }: OutsideFees): Rational | null {
  if (fees === null) return null
  if (fees.base === 0n) return ratio(fees.quote)
  if (reserves === null || reserves.base === 0n) return null
  return add(ratio(fees.quote), ratio(fees.base * reserves.quote, reserves.base))
}

/** Far below a cent: exact fractions of many reserves would grow without end. */
const PLACES = 24

/** Their sum in USD; null where one of them is not known. `worth`: USD per raw quote unit of each. */
export function feesInUsd (rows: ReadonlyArray<OutsideFees & { worth: Rational }>): Rational | null {
  let sum = 0n
  for (const row of rows) {
    const quote = feesInQuote(row)
    if (quote === null) return null
    sum += roundToInteger(multiply(multiply(quote, row.worth), powerOfTen(PLACES)), 'nearest')
  }
  return multiply(ratio(sum), powerOfTen(-PLACES))
}
