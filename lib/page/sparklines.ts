import { chunks } from '../chunks.js'
import { makeCachedResponse, type CachedResponse } from '../http/cached-response.js'
import type { Reading } from '../history/history.js'
import { type Aged, createFreshCache, type Made } from '../live/fresh.js'
import type { Pair } from '../market/ticker.js'
import { JSON_TYPE } from '../responses/json-response.js'
import { ALL, cacheOptions, headPart, type Sources } from '../responses/sources.js'
import { DAY, HOUR } from '../time.js'
import { priceOf, significantPrice } from './people.js'

/**
 * Prices of the last week of every pool, few enough for a small drawing beside each: five significant digits, for the
 * eye alone.
 */

interface Sparklines {
  /** Unix seconds at which the first interval begins, and how long each is. */
  from: number
  step: number
  /**
   * Closes by pool, oldest first, null before the first trade; pools that have not traded, or of which trades are
   * missing, are left out.
   */
  pools: Record<string, Array<string | null>>
}

interface Drawings { pools: Sparklines['pools'], response: CachedResponse }

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
async function closesOf (reading: Reading, pair: Pair, from: number): Promise<Array<string | null> | undefined> {
  if (reading.knowledge(pair.address, from) === 'partly') return undefined
  const candles = await reading.candles(pair.address, '4h', { from, to: from + POINTS * STEP, limit: POINTS })
  const closes = new Map(candles.flatMap(({ start, prices }) => prices === null
    ? []
    : [[start, significantPrice(priceOf(prices.close, pair.quoteDecimals, pair.baseDecimals))] as const]))
  if (closes.size === 0) return undefined
  let last: string | null = null
  return Array.from({ length: POINTS }, (_, index) => (last = closes.get(from + index * STEP) ?? last))
}

/** The drawings' prices, kept. `get` throws the ServiceError of the chain, WARMING_UP or HISTORY_UNAVAILABLE. */
export function createSparklines (sources: Sources) {
  const { snapshot: snapshots, history } = sources
  async function load (): Promise<Made<Drawings>> {
    const { value: { pairs } } = await snapshots.get(ALL)
    const head = headPart(sources)
    const from = Math.floor((head.time - SPAN) / STEP) * STEP
    const pools: Sparklines['pools'] = {}
    for (const some of chunks(pairs, AT_ONCE)) {
      await history.read(async reading => {
        for (const pair of some) {
          const closes = await closesOf(reading, pair, from)
          if (closes !== undefined) pools[pair.address] = closes
        }
      })
    }
    const lines = { from, step: STEP, pools } satisfies Sparklines
    return { value: { pools, response: makeCachedResponse(JSON_TYPE, JSON.stringify(lines)) }, parts: [head] }
  }

  const cache = createFreshCache<typeof ALL, Drawings>({ ...cacheOptions(sources), load, ttl: LIFETIME, max: 1 })
  return {
    async response (): Promise<Aged<CachedResponse>> {
      const { value, ...age } = await cache.get(ALL)
      return { value: value.response, ...age }
    },
    /** Closes of one pool; undefined where it has none to draw. */
    of: async (pool: string): Promise<Array<string | null> | undefined> =>
      (await cache.get(ALL)).value.pools[pool]
  }
}
