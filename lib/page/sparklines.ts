import { chunks } from '../chunks.js'
import type { Reading } from '../history/history.js'
import { jsonResponse } from '../http/cached-response.js'
import { headOf } from '../responses/known-history.js'
import { formOf, keep, type Sources } from '../responses/sources.js'
import { DAY, HOUR } from '../time.js'
import { AT_FIRST } from './list.js'

/** The last week of every pool as a line, few enough points for a small drawing: for the eye alone. */

/** Where closes lie between the lowest of the week, 0, and the highest, TOP; oldest first, null before the first. */
export type Line = ReadonlyArray<number | null>
export const TOP = 99

const STEP = 4 * HOUR
const SPAN = 7 * DAY
const POINTS = SPAN / STEP + 1
/** A week changes little in five minutes, ms. */
export const DRAWN_TTL = 300_000
/** Pools of one reading of the history: a longer one would hold up its writer. */
const AT_ONCE = 50

/** Each close repeated until the next trade; undefined where there is nothing to draw or something is missing. */
async function lineOf (reading: Reading, pool: string, from: number): Promise<Line | undefined> {
  if (reading.knowledge(pool, from) === 'partly') return undefined
  const candles = await reading.candles(pool, '4h', { from, to: from + POINTS * STEP, limit: POINTS })
  const closes = new Map(candles.flatMap(({ start, prices }) =>
    prices === null ? [] : [[start, Number(prices.close.quote) / Number(prices.close.base)]]))
  if (closes.size === 0) return undefined
  const [least, most] = [Math.min(...closes.values()), Math.max(...closes.values())]
  let last: number | null = null
  return Array.from({ length: POINTS }, (_, index) => {
    const close = closes.get(from + index * STEP)
    if (close !== undefined) last = Math.round(most === least ? TOP / 2 : (close - least) / (most - least) * TOP)
    return last
  })
}

/** The drawings, kept. */
export function createSparklines (sources: Sources) {
  const { history } = sources
  const drawn = keep(sources, async (parts): Promise<ReadonlyMap<string, Line>> => {
    const { deepest } = await sources.priced([])
    const head = headOf(sources, parts)
    const from = Math.floor((head.time - SPAN) / STEP) * STEP
    const lines = new Map<string, Line>()
    for (const some of chunks(deepest, AT_ONCE)) {
      await history.read(async reading => {
        for (const { address } of some) {
          const line = await lineOf(reading, address, from)
          if (line !== undefined) lines.set(address, line)
        }
      })
    }
    return lines
  }, { ttl: DRAWN_TTL })

  return {
    /** Lines by pool, of the deepest or of all; pools that have none to draw are left out. */
    first: formOf(drawn, lines => jsonResponse({ pools: Object.fromEntries([...lines].slice(0, AT_FIRST)) })),
    all: formOf(drawn, lines => jsonResponse({ pools: Object.fromEntries(lines) })),
    /** That of one pool; undefined where there is nothing to draw. */
    of: async (pool: string) => (await drawn([])).get(pool)
  }
}
