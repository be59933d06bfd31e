import type { FastifyInstance } from 'fastify'
import type { Test } from 'tap'
import { systemClock } from '../../../lib/clock.js'
import { formatUnits } from '../../../lib/decimal.js'
import type { Ticker } from '../../../schemas/ticker.js'
import {
  createLedger, createRandom, FINALITY_SLOTS, startNode, type Dao, type Ledger
} from '../../../simulator/index.js'
import { build, settings, until } from '../../helper.js'
import { createCrawler, type Ask, type CrawledPool } from './crawler.js'

/**
 * Days of a market whose node forgets and remembers, lists what it does not give, fails and comes back, crawled as DEX
 * Screener does while the services are ended and started again. The crawler ends with what the store has, and each
 * range it was given stays as it was.
 */

const HOUR = 3600
const SLOTS_OF_HOUR = 18_000
/** How much of the past a node keeps at first. */
const KEPT_HOURS = 20

/** Five pools of unlike tokens, one of them with reserves beyond 2^53 and one without decimals. */
function populate (ledger: Ledger): Dao[] {
  const quote = ledger.usdc()
  return [0, 2, 6, 8, 9].map((decimals, at) => ledger.dao({
    base: ledger.mint({ decimals, symbol: `T${at}` }),
    quote,
    baseReserves: at === 4 ? 10n ** 19n : 10n ** BigInt(decimals) * 50_000_000n,
    quoteReserves: 3_000_000_000_000n + BigInt(at) * 777_777_777n
  }))
}

/** An hour of trade: several swaps in one slot and in one transaction, liquidity, fees, proposals. */
function hour (ledger: Ledger, daos: readonly Dao[], random: ReturnType<typeof createRandom>): void {
  const end = ledger.time + HOUR
  const swap = (dao: Dao) => {
    const side = random.int(2) === 0 ? 'buy' as const : 'sell' as const
    const reserve = side === 'buy' ? dao.reserves.quote : dao.reserves.base
    dao.swap(side, random.amount(reserve / 10_000n, reserve / 200n), random.int(5) === 0 ? { via: 'aggregator' } : {})
  }
  for (let acts = 0; acts < 4; acts++) {
    ledger.advance(random.int(HOUR / 8))
    const dao = daos[random.int(daos.length)]!
    swap(dao)
    if (random.int(3) === 0) swap(daos[random.int(daos.length)]!)
    if (random.int(6) === 0) ledger.transaction(() => { swap(dao); swap(daos[0]!) }, { via: 'aggregator' })
    if (random.int(9) === 0) swap(dao)
    if (dao.proposalLive) {
      if (random.int(2) === 0) dao.finalizeProposal({ passed: random.int(2) === 0 })
      else if (random.int(3) === 0) dao.cancelProposal()
    } else {
      if (random.int(8) === 0) dao.provideLiquidity(random.amount(10n ** 8n, 10n ** 10n), 10n ** 17n)
      if (random.int(10) === 0) dao.withdrawLiquidity(0.05)
      if (random.int(7) === 0) dao.collectFees()
      if (random.int(9) === 0) dao.launchProposal()
    }
  }
  ledger.advance(Math.max(0, end - ledger.time))
}

export interface Place {
  env: Record<string, string>
  services: number
  hours: number
  late: () => Promise<Array<{ dao: string, slot: number, kind: string }>>
}

export async function crawl (t: Test, { env, services: count, hours: length, late }: Place): Promise<void> {
  const ledger = createLedger({ seed: 5 })
  const node = await startNode(ledger)
  t.teardown(() => node.close())
  const random = createRandom(77)
  const daos = populate(ledger)
  const begin = ledger.slot
  for (let hours = 0; hours < 40; hours++) hour(ledger, daos, random)

  const options = {
    env: settings(t, node, ledger, { PROTOCOL_FEE_RATE: '0.005', RATE_LIMIT_MAX: '100000000', ...env }),
    now: () => ledger.time * 1000,
    // an hour of slots in a moment would be a slot that can't be
    transport: { clock: { ...systemClock, now: () => performance.now() + ledger.time * 1000 } },
    pollMs: 10
  }
  const services: FastifyInstance[] = []
  const open = async () => { services.push(await build(t, options)) }
  let turn = 0
  const of = (app: FastifyInstance): Ask => async path => {
    const { statusCode, payload } = await app.inject(path)
    return { status: statusCode, text: payload }
  }
  /** The services in turn, as a balancer has it. */
  const ask: Ask = path => of(services[turn++ % services.length]!)(path)
  const isLeading = (app: FastifyInstance) => app.history.status().leads

  /** What the node has forgotten: nothing of it from this slot on; null: nothing. */
  let edge: number | null = ledger.slot - KEPT_HOURS * SLOTS_OF_HOUR
  const pass = (seconds: number) => {
    ledger.advance(seconds)
    node.conditions.retention = edge === null ? null : ledger.slot - edge
  }
  pass(0)
  /** Stretches that it had forgotten when a service came to read them, and their ends. */
  const forgotten = [{ from: 0, to: edge }]
  const lost = [edge]
  const crawler = createCrawler(begin, lost)
  /** Until the crawler has what is finalized now. */
  const caughtUp = async () => {
    const slot = ledger.slot - FINALITY_SLOTS
    await until('the crawler has caught up', async () => {
      pass(6)
      await crawler.look(ask)
      return crawler.newest >= slot
    }, 300_000)
  }
  while (services.length < count) await open()
  await caughtUp()

  const [losing, remembering] = [Math.floor(length * 0.4), Math.floor(length * 0.65)]
  for (let hours = 0; hours < length; hours++) {
    hour(ledger, daos, random)
    pass(0)
    await crawler.look(ask)
    // what a node does wrong for a while
    if (hours % 48 === 3) node.fault({ method: 'getTransaction', kind: 'null-transaction', times: 12 })
    if (hours % 48 === 7) node.fault({ method: 'getSignaturesForAddress', kind: 'rpc-error', value: -32005, times: 4 })
    if (hours % 72 === 10) node.fault({ method: /./, kind: 'reset', times: 3 })
    if (hours % 60 === 20) node.fault({ method: 'getProgramAccounts', kind: 'short-accounts', value: 2, times: 2 })
    if (hours % 24 === 0) await caughtUp()
    // the one who writes ends, in the middle of what it does
    if (hours % 40 === 13) {
      const app = services.splice(Math.max(0, services.findIndex(isLeading)), 1)[0]!
      await Promise.all([app.close(), services.length > 0 ? crawler.look(ask) : undefined])
      if (services.length > 0) await crawler.look(ask)
      await open()
    }
    // an outage longer than the node's memory: a loss in the middle
    if (hours === losing) {
      node.faults.clear()
      await caughtUp()
      for (const app of services.splice(0)) await app.close()
      const from = ledger.slot - FINALITY_SLOTS
      for (let away = 0; away < KEPT_HOURS + 8; away++) hour(ledger, daos, random)
      edge = ledger.slot - KEPT_HOURS * SLOTS_OF_HOUR
      pass(0)
      forgotten.push({ from, to: edge })
      lost.push(edge)
      while (services.length < count) await open()
      await caughtUp()
    }
    // another node has all that was lost: it comes too late
    if (hours === remembering) {
      node.faults.clear()
      await caughtUp()
      edge = null
      pass(0)
    }
  }
  node.faults.clear()
  const events = ledger.daos.reduce((sum, { seqNum }) => sum + seqNum, 0)
  await until('all that was lost has been found', () => {
    pass(HOUR / 2)
    return services.some(app => app.history.status().events === events)
  }, 60_000)
  await caughtUp()

  // what came too late, and only that, is not in the ranges
  const tooLate = await late()
  t.ok(tooLate.length > 50, `${tooLate.length} events came too late`)
  t.same(
    tooLate.filter(({ slot }) => !forgotten.some(({ from, to }) => from <= slot && slot <= to)),
    [],
    'and all of them had been forgotten'
  )
  const missed = new Set(tooLate.map(({ dao, slot }) => `${dao} ${slot}`))
  for (const dao of daos) {
    const want = ledger.swaps.filter(
      ({ dao: address, slot }) => address === dao.address && !missed.has(`${address} ${slot}`)
    )
      .map(
        (
          { signature, side, input, output }
        ) =>
          `${signature} ${formatUnits(input, side === 'buy' ? 6 : dao.base.decimals)} ` +
            formatUnits(output, side === 'buy' ? dao.base.decimals : 6)
      )
    t.same(
      crawler.pools.get(dao.address)?.swaps, want, `${want.length} swaps of a pool of ${dao.base.decimals} decimals`
    )
  }

  for (const app of services) {
    // and so says the store, through what reads it
    await until('the service has tickers', async () => {
      pass(1)
      return (await app.inject('/api/tickers')).statusCode === 200
    })
    const stored = await app.history.read(async ({ trades }) => new Map(await Promise.all(
      daos.map(async ({ address: dao }) => [dao, (await trades({ dao, limit: 1_000_000 })).length] as const)
    )))
    t.same([...stored.values()].reduce((sum, trades) => sum + trades, 0), ledger.swaps.length)
    const tickers = new Map((await app.inject('/api/tickers')).json<Ticker[]>().map(ticker => [ticker.pool_id, ticker]))
    for (const { address, reserves, base } of daos) {
      const { reserves: { base: crawledBase, quote: crawledQuote } } = crawler.pools.get(address) as CrawledPool
      t.same(
        [crawledBase, crawledQuote],
        [reserves.base * 10n ** BigInt(12 - base.decimals), reserves.quote * 10n ** 6n],
        'the pool\'s own reserves'
      )
      const cents = (crawledQuote * 2n + 5n * 10n ** 9n) / 10n ** 10n
      t.equal(tickers.get(address)!.liquidity_in_usd, `${cents / 100n}.${String(cents % 100n).padStart(2, '0')}`)
    }
    t.same(await crawler.again(of(app)), [], `${crawler.answers} ranges and pairs as they were given`)
  }
}
