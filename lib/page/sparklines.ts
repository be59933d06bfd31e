import { chunks } from '../chunks.js'
import { makeCachedResponse, type CachedResponse } from '../http/cached-response.js'
import type { Reading } from '../history/history.js'
import { type Aged, createFreshCache, type Made } from '../live/fresh.js'
import { byDepth, type Pair } from '../market/ticker.js'
import { JSON_TYPE } from '../responses/json-response.js'
import { ALL, cacheOptions, headPart, type Sources, usdValuationOf } from '../responses/sources.js'
import { DAY, HOUR } from '../time.js'
import { AT_FIRST } from './list.js'
import { priceOf, significantPrice } from './people.js'

/** The last week of every pool, few enough points for a small drawing beside each: for the eye alone. */

type Closes = ReadonlyArray<string | null>
interface Drawings { pools: ReadonlyMap<string, Closes>, first: CachedResponse, all: CachedResponse }

const STEP = 4 * HOUR
const SPAN = 7 * DAY
const POINTS = SPAN / STEP + 1
/** A week changes little in five minutes, ms. */
const LIFETIME = 300_000
/** Pools of one reading of the history: a longer one would hold up who writes it. */
const AT_ONCE = 50

/**
 * Closes of one pool, each repeated until the next trade; undefined where there is nothing to draw or something is
 * missing.
 */
async function closesOf (reading: Reading, pair: Pair, from: number): Promise<Closes | undefined> {
  if (reading.knowledge(pair.address, from) === 'partly') return undefined
  const candles = await reading.candles(pair.address, '4h', { from, to: from + POINTS * STEP, limit: POINTS })
  const closes = new Map(candles.flatMap(({ start, prices }) => prices === null
    ? []
    : [[start, significantPrice(priceOf(prices.close, pair.quoteDecimals, pair.baseDecimals))] as const]))
  if (closes.size === 0) return undefined
  let last: string | null = null
  return Array.from({ length: POINTS }, (_, index) => (last = closes.get(from + index * STEP) ?? last))
}

/** Where a price lies between the lowest and the highest of the week, 0 to this. */
const HEIGHT = 99

/** Heights of closes, null before the first trade: of 500 pools a tenth of what their prices take. */
function heightsOf (closes: Closes): Array<number | null> {
  const prices = closes.map(close => close === null ? null : Number(close))
  const known = prices.filter(price => price !== null)
  const [least, most] = [Math.min(...known), Math.max(...known)]
  return prices.map(price => price === null || most === least
    ? price && HEIGHT / 2
    : Math.round((price - least) / (most - least) * HEIGHT))
}

const responseOf = (pools: Iterable<readonly [string, Closes]>): CachedResponse => makeCachedResponse(
  JSON_TYPE,
  JSON.stringify({ pools: Object.fromEntries(Array.from(pools, ([pool, closes]) => [pool, heightsOf(closes)])) })
)

/** The drawings' prices, kept. `get` throws the ServiceError of the chain, WARMING_UP or HISTORY_UNAVAILABLE. */
export function createSparklines (sources: Sources) {
  const { snapshot: snapshots, history, settings } = sources
  async function load (): Promise<Made<Drawings>> {
    const { value: snapshot } = await snapshots.get(ALL)
    const head = headPart(sources)
    const from = Math.floor((head.time - SPAN) / STEP) * STEP
    const pools = new Map<string, Closes>()
    for (const some of chunks(byDepth(snapshot.pairs, usdValuationOf(snapshot, settings)), AT_ONCE)) {
      await history.read(async reading => {
        for (const pair of some) {
          const closes = await closesOf(reading, pair, from)
          if (closes !== undefined) pools.set(pair.address, closes)
        }
      })
    }
    const all = [...pools]
    return { value: { pools, first: responseOf(all.slice(0, AT_FIRST)), all: responseOf(all) }, parts: [head] }
  }

  const cache = createFreshCache<typeof ALL, Drawings>({ ...cacheOptions(sources), load, ttl: LIFETIME, max: 1 })
  return {
    /** Heights by pool, oldest first, of the deepest or of all; pools that have none to draw are left out. */
    async response (which: 'first' | 'all'): Promise<Aged<CachedResponse>> {
      const { value, ...age } = await cache.get(ALL)
      return { value: value[which], ...age }
    },
    /** Closes of one pool, five significant digits; undefined where it has none to draw. */
    of: async (pool: string): Promise<Closes | undefined> => (await cache.get(ALL)).value.pools.get(pool)
  }
}
