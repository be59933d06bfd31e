import { test } from 'tap'
import { positionAmount } from '../../../lib/market/supply.js'

const MAX_SQRT_PRICE = 79226673521066979257578248091n
const vectors = [
  {
    raise: '1M',
    sqrtPrice: 5833372668713516032n,
    liquidity: 5250035401842164428800000000000n,
    now: 899999999933n,
    doubled: [8249634742471189504n, 636396103001n, 37279220613n],
    fourfold: [449999999933n, 90000000000n]
  },
  {
    raise: '3.5M',
    sqrtPrice: 10913240967848572928n,
    liquidity: 9821916871063715635200000000000n,
    now: 899999999876n,
    doubled: [15433653386177134592n, 636396102943n, 130477272147n],
    fourfold: [449999999876n, 314999999999n]
  },
  {
    raise: '8M',
    sqrtPrice: 16499269484942379008n,
    liquidity: 14849342536448141107200000000000n,
    now: 899999999812n,
    doubled: [23333490674854064128n, 636396102880n, 298233764908n],
    fourfold: [449999999812n, 719999999999n]
  }
] as const

test(
  'spec 2.2: a position stands for what a withdrawal would give, at launch and after the price has risen',
  async t => {
    for (const { raise, sqrtPrice, liquidity, now, doubled, fourfold } of vectors) {
      const curve = (price: bigint) => ({ sqrtMinPrice: sqrtPrice, sqrtMaxPrice: MAX_SQRT_PRICE, sqrtPrice: price })
      t.equal(positionAmount(curve(sqrtPrice), liquidity, 'A'), now, raise)
      t.equal(positionAmount(curve(sqrtPrice), liquidity, 'B'), 0n, raise)
      t.equal(positionAmount(curve(doubled[0]), liquidity, 'A'), doubled[1], `${raise} at twice the price`)
      t.equal(positionAmount(curve(doubled[0]), liquidity, 'B'), doubled[2], `${raise} at twice the price`)
      t.equal(positionAmount(curve(sqrtPrice * 2n), liquidity, 'A'), fourfold[0], `${raise} at four times the price`)
      t.equal(positionAmount(curve(sqrtPrice * 2n), liquidity, 'B'), fourfold[1], `${raise} at four times the price`)
    }
  }
)
