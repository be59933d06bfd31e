/** The market of a long run: it trades, has a proposal a day, and remembers all that was ever true. */
import type { Daos } from '../../schemas/daos.js'
import type { Ticker } from '../../schemas/ticker.js'
import type { Ledger } from '../../simulator/index.js'
import type { Random } from '../../simulator/random.js'
import { aggregateTruth, createWorld, poolTruths, supplyTruth } from '../../test/system/reliability/truth.js'

const DAY = 86_400
/** Lists and the report are made at different moments, each kept for a while: seconds of the chain. */
const EXCUSED_FOR = 300

export interface SoakMarket {
  /** What a step of `seconds` brings: trades, and now and then the beginning or the end of a proposal. */
  step (seconds: number): void
  /**
   * What is wrong with an answer of 200; each text names the figure. A pool may be absent while `/api/daos` gives a
   * reason for it.
   */
  wrong (path: string, body: unknown, headers: Headers): string[]
  /** What of the last figures is not as it is at `time`, Unix seconds. */
  wrongAtEnd (time: number, answers: { tickers: unknown, aggregate: unknown, daos: unknown }): string[]
  readonly paths: readonly string[]
  readonly proposals: number
}

export function createSoakMarket (ledger: Ledger, random: Random): SoakMarket {
  const world = createWorld(ledger)
  const { launch, plain, daos } = world
  /** Prices and totals that were true at some time; what is served must be one of them. */
  const prices = new Map<string, Set<string>>(daos.map(({ address }) => [address, new Set()]))
  const totals = new Set<string>()
  /** When pools were reported as absent with a reason, seconds of the chain. */
  let excused: Array<{ pool: string, at: number }> = []
  let absent: Array<{ pool: string, path: string, at: number }> = []
  let proposals = 0
  /** Unix seconds of what comes next, and of what. */
  let next: { at: number, act: 'launch' | 'decide' } = { at: ledger.time + DAY / 3, act: 'launch' }

  function remember (): void {
    for (const [pool, { last_price: price }] of poolTruths(world)) prices.get(pool)!.add(price)
    totals.add(aggregateTruth(world))
  }

  function propose (): void {
    const dao = daos[proposals % daos.length]!
    if (next.act === 'launch') {
      dao.initializeProposal()
      dao.stake()
      dao.launchProposal()
      next = { at: ledger.time + DAY / 2, act: 'decide' }
    } else {
      dao.finalizeProposal({ passed: random.int(2) === 0 })
      proposals++
      next = { at: ledger.time + DAY / 2, act: 'launch' }
    }
    remember()
  }

  /** Pools that were absent while no report, of then or of the steps around, gave a reason. */
  function unexcused ({ daos: report }: Daos): string[] {
    const now = ledger.time
    for (const { dao, listed } of report) if (!listed) excused.push({ pool: dao, at: now })
    const due = absent.filter(({ at }) => at < now - EXCUSED_FOR)
    absent = absent.filter(({ at }) => at >= now - EXCUSED_FOR)
    const found = due.filter(
      ({ pool, at }) => !excused.some(reason => reason.pool === pool && Math.abs(reason.at - at) <= EXCUSED_FOR)
    )
    excused = excused.filter(({ at }) => at > now - DAY)
    return found.map(({ pool, path }) => `no ${pool} on ${path}, and no reason`)
  }

  remember()
  return {
    paths: [
      '/api/tickers', '/api/volume/aggregate', `/api/supply/${launch.mint.address}`,
      `/api/supply/${plain.address}/total`, '/api/daos', '/health', '/nowhere', '/api/supply/x', '/api/pools',
      `/api/pools/${daos[0]!.address}/trades`, `/api/pools/${daos[1]!.address}/ohlcv?interval=1h`,
      '/dexscreener/latest-block'
    ],

    get proposals () { return proposals },

    step (seconds) {
      // One at a time, so that every state in between is known
      for (const dao of daos) {
        if (random.int(3) > 0) continue
        dao.swap(random.int(2) === 0 ? 'buy' : 'sell', random.amount(1_000_000n, 900_000_000n))
        remember()
      }
      if (ledger.time >= next.at) propose()
      ledger.advance(seconds)
    },

    wrong (path, body, headers) {
      if (path.endsWith('/total')) return body === supplyTruth(world, plain).total ? [] : [`supply ${String(body)}`]
      if (path === '/api/volume/aggregate') {
        const { totalVolume } = body as { totalVolume: string }
        return headers.get('x-history-complete') === 'false' || totals.has(totalVolume) ? [] : [`total ${totalVolume}`]
      }
      if (path === '/api/daos') return unexcused(body as Daos)
      if (path !== '/api/tickers' && path !== '/api/pools') return []
      const list = body as Ticker[]
      for (const { address } of daos) {
        if (!list.some(({ pool_id: pool }) => pool === address)) absent.push({ pool: address, path, at: ledger.time })
      }
      return list.filter(({ pool_id: pool, last_price: price }) => !prices.get(pool)!.has(price)).map(
        ({ pool_id: pool, last_price: price }) => `price ${price} of ${pool} on ${path}`
      )
    },

    wrongAtEnd (time, { tickers, aggregate, daos: report }) {
      const list = tickers as Ticker[] | undefined
      // the window moves by the second while one looks
      const windows = [0, 1, 2, 3, 12].map(late => poolTruths(world, time - DAY - late))
      const isRight = (ticker: Ticker) => windows.some(truths => Object.entries(truths.get(ticker.pool_id)!).every(
        ([name, value]) => ticker[name as 'last_price'] === value
      ))
      return [
        ...list?.length === daos.length ? [] : ['the list'],
        ...(list ?? []).filter(ticker => !isRight(ticker)).map(({ pool_id: pool }) => `ticker ${pool}`),
        ...(aggregate as {
          totalVolume: string
        } | undefined)?.totalVolume === aggregateTruth(world)
          ? []
          : ['the aggregate'],
        ...(report as { listed: number } | undefined)?.listed === daos.length ? [] : ['the report']
      ]
    }
  }
}
