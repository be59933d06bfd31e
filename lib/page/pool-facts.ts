import {
  abbreviate, cutText, formatChange, formatCompact, formatPrice, MAX_NAME, symbolOf
} from '../../public/market/format.js'
import { REASONS } from '../../public/market/reasons.js'
import type { Snapshot } from '../live/snapshot.js'
import { priceText } from '../market/pool-figures.js'
import { spotPrice } from '../market/price.js'
import type { PageList, Row } from './list.js'

/** Facts of a pool in its page's HTML and image, for previews of a link to it. */

/** Of an address that is no DAO's. */
export const NO_POOL = 'There is no DAO with a pool at this address.'

const shown = ({ base, quote }: Record<'base' | 'quote', Row['quote']>) => ({
  base: symbolOf(base),
  quote: symbolOf(quote),
  /** The tokens' mints, in short. */
  mint: abbreviate(base.mint),
  quoteMint: abbreviate(quote.mint)
})

export type PoolFacts = NonNullable<ReturnType<typeof findPool>['facts']>

/** What a snapshot knows of the pool at an address, or why there is no page of one. */
export function findPool (snapshot: Snapshot, pool: string) {
  const pair = snapshot.pairs.get(pool)
  if (pair === undefined) {
    const leftOut = snapshot.discovered.find(({ address }) => address === pool)?.leftOut
    return { reason: leftOut === undefined ? NO_POOL : `There is a DAO at this address. ${REASONS[leftOut]}` }
  }
  // the list has texts only where they are short
  const [base, quote] = [snapshot.tokens.get(pair.baseMint)?.whole, snapshot.tokens.get(pair.quoteMint)?.whole]
  return {
    facts: {
      ...shown({
        base: { symbol: base?.symbol ?? pair.baseSymbol, mint: pair.baseMint },
        quote: { symbol: quote?.symbol ?? pair.quoteSymbol, mint: pair.quoteMint }
      }),
      /** Five significant digits; where the list has the pool, its `figuresOf` has the price. */
      price: formatPrice(priceText(spotPrice(pair))),
      name: cutText(base?.name ?? pair.baseName, MAX_NAME),
      /** A proposal is live. */
      isDeciding: pair.dao.state === 'futarchy'
    }
  }
}

export type Figures = ReturnType<typeof figuresOf>

/** The figures of a row with their units, as far as they are known. */
export const figuresOf = (pool: Row) => ({
  price: formatPrice(pool.last_price),
  ...(pool.target_volume_24h !== null && {
    volume: `${formatCompact(pool.target_volume_24h)} ${symbolOf(pool.quote)}`
  }),
  ...(pool.priced_in_usd && { liquidity: `$${formatCompact(pool.liquidity_in_usd)}` }),
  ...(pool.price_change_24h !== null && { change: formatChange(pool.price_change_24h) })
})

const NAMED = 5

export type MarketFacts = ReturnType<typeof marketFacts>

/** What the market's image shows of the pools, deepest first; volumes as the list adds them up, or not at all. */
export const marketFacts = ({ totals: { count, volume, liquidity }, rows }: PageList) => ({
  pools: count,
  ...rows[0] && figuresOf({
    ...rows[0], target_volume_24h: volume, liquidity_in_usd: liquidity, price_change_24h: null
  }),
  rows: rows.slice(0, NAMED).map(pool => ({ ...shown(pool), ...figuresOf(pool) }))
})
