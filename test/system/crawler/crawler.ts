import type { BlockEvent, DexEvents, LatestBlock } from '../../../schemas/block-range.js'
import { until } from '../../support/until.js'

/** Asks one of the services that are crawled. */
export type Ask = (path: string) => Promise<{ status: number, text: string }>

export interface CrawledPool {
  /** Swaps as `transaction input output`, in the order they came. */
  swaps: string[]
  /** After its newest event, in units of 10^-12 tokens, and the block of that event. */
  reserves: { base: bigint, quote: bigint }
  block: number
  /**
   * No proposal is live, as far as its events tell: while one is, the program's own arbitrage moves more than they do.
   */
  isSpot: boolean
}

/**
 * An indexer as DEX Screener's: it asks for each range and each pair once, follows reserves from the events, and holds
 * what it is told to the adapter's rules.
 */
export interface Crawler {
  /** Looks for the newest block and reads up to it, as far as the service answers. Throws where a rule is broken. */
  look (ask: Ask): Promise<void>
  /** Asks for every range and pair again, and gives those whose bytes are others now. */
  again (ask: Ask): Promise<string[]>
  /** The newest block that has been read; -1: none. */
  readonly newest: number
  /** Ranges and pairs. */
  readonly answers: number
  readonly pools: ReadonlyMap<string, CrawledPool>
}

const MAX_BLOCKS = 20_000
const PLACES = 12

const units = (text: string): bigint => {
  const [whole = '', part = ''] = text.split('.')
  if (!/^\d+$/.test(whole + part) || part.length > PLACES) throw new Error(`no plain amount: ${text}`)
  return BigInt(whole + part.padEnd(PLACES, '0'))
}

const placeOf = ({ block, txnIndex, eventIndex }: BlockEvent) => [block.blockNumber, txnIndex, eventIndex] as const

function isAfter (a: readonly number[], b: readonly number[]): boolean {
  const at = a.findIndex((value, at) => value !== b[at])
  return at !== -1 && a[at]! > b[at]!
}

/** What an event adds to the reserves; a swap's protocol fee leaves the pool. */
function moved (event: BlockEvent): { base: bigint, quote: bigint } | undefined {
  if ('amount0' in event && event.eventType === 'join') {
    return {
      base: units(event.amount0), quote: units(event.amount1)
    }
  }
  if ('amount0' in event) return { base: -units(event.amount0), quote: -units(event.amount1) }
  if (event.metadata === undefined) return undefined
  const fee = units(event.metadata.protocolFee)
  return 'asset0In' in event
    ? { base: units(event.asset0In) - fee, quote: -units(event.asset1Out) }
    : { base: -units(event.asset0Out), quote: units(event.asset1In) - fee }
}

/** Liquidity comes and goes only while no proposal is live. */
function isSpotAfter (event: BlockEvent, before: boolean): boolean {
  const cause = 'amount0' in event ? event.metadata.cause : undefined
  return cause === 'proposal-ended' || cause === 'provide' || cause === 'withdraw' ||
    (cause !== 'proposal-launched' && before)
}

/**
 * `from`: the first block that is asked for; `lost`: ends of stretches of which nobody had the events: a pool's
 * reserves begin anew behind one.
 */
export function createCrawler (from: number, lost: readonly number[] = []): Crawler {
  const given = new Map<string, string>()
  const pools = new Map<string, CrawledPool>()
  let next = from
  let latest = -1
  let last: readonly number[] = [-1, -1, -1]

  async function json<T> (ask: Ask, path: string): Promise<{ value: T, text: string } | undefined> {
    const { status, text } = await ask(path)
    if (status === 503) return undefined
    if (status !== 200) throw new Error(`${path}: ${status} ${text}`)
    return { value: JSON.parse(text) as T, text }
  }

  function take (event: BlockEvent, path: string): void {
    const place = placeOf(event)
    if (!isAfter(place, last)) throw new Error(`${path}: ${place.join()} comes after ${last.join()}`)
    last = place
    const before = pools.get(event.pairId)
    const after = event.reserves === undefined
      ? undefined
      : {
          base: units(event.reserves.asset0), quote: units(event.reserves.asset1)
        }
    const change = moved(event)
    if (after === undefined) throw new Error(`${path}: ${place.join()} has no reserves`)
    const [block, since] = [event.block.blockNumber, before?.block ?? -1]
    const isSpot = (before?.isSpot ?? true) && !lost.some(end => since <= end && end < block)
    if (change !== undefined && isSpot) {
      const expected = {
        base: (before?.reserves.base ?? 0n) + change.base, quote: (before?.reserves.quote ?? 0n) + change.quote
      }
      if (expected.base !== after.base || expected.quote !== after.quote) {
        throw new Error(
        `${path}: ${place.join()} of ${event.pairId} leaves ${after.base} ${after.quote}, ` +
          `${expected.base} ${expected.quote} follow`
        )
      }
    }
    const swaps = before?.swaps ?? []
    if (event.eventType === 'swap') {
      swaps.push([
        event.txnId, ...'asset0In' in event ? [event.asset0In, event.asset1Out] : [event.asset1In, event.asset0Out]
      ].join(' '))
    }
    pools.set(event.pairId, { swaps, reserves: after, block, isSpot: isSpotAfter(event, isSpot) })
  }

  return {
    async look (ask) {
      const block = (await json<LatestBlock>(ask, '/dexscreener/latest-block'))?.value.block.blockNumber
      if (block === undefined) return
      if (block < latest) throw new Error(`latest-block went back from ${latest} to ${block}`)
      latest = block
      while (next <= latest) {
        const to = Math.min(next + MAX_BLOCKS - 1, latest)
        const path = `/dexscreener/events?fromBlock=${next}&toBlock=${to}`
        const range = await json<DexEvents>(ask, path)
        if (range === undefined) return
        for (const event of range.value.events) {
          if (event.block.blockNumber < next || event.block.blockNumber > to) {
            throw new Error(`${path}: block ${event.block.blockNumber}`)
          }
          take(event, path)
        }
        given.set(path, range.text)
        next = to + 1
      }
      for (const pool of pools.keys()) {
        const path = `/dexscreener/pair?id=${pool}`
        const pair = given.has(path) ? undefined : await json(ask, path)
        if (pair !== undefined) given.set(path, pair.text)
      }
    },
    async again (ask) {
      const changed: string[] = []
      for (const [path, text] of given) {
        let now: { text: string } | undefined
        await until(`${path} is answered`, async () => (now = await json(ask, path)) !== undefined)
        if (now!.text !== text) changed.push(path)
      }
      return changed
    },
    get newest () { return next === from ? -1 : next - 1 },
    get answers () { return given.size },
    pools
  }
}
