/** Runs one world: chain, nodes, weather, clients and the service in one process and simulated time, holding every answer against the ledger. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { compare, parseDecimal, ratio, subtract, toFixed } from '../../../lib/decimal.js'
import { createLedger, createRandom, type Dao, type FaultKind, FORGERIES, type Ledger, USDC } from '../../../simulator/index.js'
import { GENESIS } from '../../../simulator/methods.js'
import { createNodeService, type NodeService } from '../../../simulator/service.js'
import { NODE_KINDS } from '../../../simulator/kinds.js'
import { createNetwork } from './network.js'
import type { ChainAction, NodeWeather, Plan, WorldEvent } from './plan.js'
import { installSimulatedTime, realSleep } from './simulated-time.js'
import { createSight } from './sight.js'
import { createTruth, plain } from './truth.js'

/** What went wrong: when (seconds of simulated time), which rule, what was expected and served. */
export interface Failure { second: number, rule: string, expected: string, served: string }
export interface Outcome { failure?: Failure, seconds: number, answers: number, served: number, calls: number }

export const time = installSimulatedTime()

const ROUTER = 'JUP6LkbZbjS1jKKwapdHNy74zcZ3tLUZoi5QNyVTaV4'
/** Where the simulated year begins: 2026-11-02 00:00 UTC. */
const EPOCH = 1_793_577_600
/** An answer takes ten seconds at most; a request that comes late on a busy tick may be measured longer. */
const DEADLINE_MS = 10_500
/** Age of a state that isn't stated: its lifetime, and what it takes to see that a node stands (20 s) or lags a little (12 s). */
const LIFETIME_MS = 10_000
const UNSEEN_MS = 34_000
/** By how much the head of the history may be behind, as documented: STALE_IF_ERROR and a lifetime. */
const HEAD_MS = 75_000
/** Fair weather: within this all must be whole again. The longest rest of the service is one of ten minutes. */
const FAIR_MS = 900_000
/** Nodes without limits, and nothing wrong for so long: what is alive is there, and fresh. */
const CALM_MS = 30_000
/** What a limited node needs for one transaction, ms, and what may be added to it. */
const MS_EACH = { own: 0, plan: 20, small: 100, documented: 250, public: 1000 } as const
const MARGIN = 1.3
/** Another network's first block. */
const OTHER_GENESIS = 'EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG'
/** Timers and requests that may wait at once. */
const MOST_TIMERS = 400
const MOST_REQUESTS = 120
const DOLLAR = 1_000_000n
/** Nothing new for STALE_IF_ERROR and a lifetime, and what an answer takes: nothing is ready. */
const READY_MS = 75_000

/** Weather that the service finds when it starts. */
const isThere = (event: WorldEvent): boolean => 'weather' in event && event.at === 0

class Violation extends Error {
  readonly failure: Failure
  constructor (failure: Failure) {
    super(`${failure.rule}: expected ${failure.expected}, served ${failure.served}`)
    this.failure = failure
  }
}

function populate (ledger: Ledger, plan: Plan, random: ReturnType<typeof createRandom>): void {
  const usdc = ledger.usdc()
  for (let at = 0; at < plan.daos; at++) {
    const decimals = random.int(9)
    const quoteReserves = random.amount(20_000n * DOLLAR, 3_000_000n * DOLLAR)
    ledger.dao({ base: ledger.mint({ decimals, symbol: `T${at}` }), quote: usdc, baseReserves: 10n ** BigInt(decimals) * 1_000_000n + 10n ** 9n, quoteReserves })
  }
}

function swap (dao: Dao, random: ReturnType<typeof createRandom>): void {
  const side = random.int(2) === 0 ? 'buy' : 'sell'
  const reserve = side === 'buy' ? dao.reserves.quote : dao.reserves.base
  if (reserve < 200_000n) return
  dao.swap(side, random.amount(reserve / 100_000n + 1n, reserve / 200n + 1n), random.int(12) === 0 ? { failed: true } : random.int(8) === 0 ? { via: 'aggregator' } : {})
}

let isWarm = false
let isLoaded = false

/** Loads every module once: the first start would otherwise take longer, and roll more dice, than the others. */
async function warmUp (plan: Plan): Promise<void> {
  if (isWarm) return
  isWarm = true
  await runWorld({ ...plan, events: [], weather: 20, past: { days: 1, swaps: 5 } })
}

export async function runWorld (plan: Plan): Promise<Outcome> {
  await warmUp(plan)
  const random = createRandom(plan.seed)
  const chance = createRandom(plan.seed + 1_000_003)
  const network = createNetwork(() => chance.next())
  const start = EPOCH + random.int(86_400 * 20)
  const ledger = createLedger({ seed: plan.seed, time: start - plan.past.days * 86_400 })
  populate(ledger, plan, random)
  const truth = createTruth(ledger, USDC, plan.finalityLag)
  for (let at = 0; at < plan.past.swaps; at++) {
    ledger.advance(Math.max(0, (plan.past.days * 86_400 * (at + 1)) / (plan.past.swaps + 1) - (ledger.time - (start - plan.past.days * 86_400))))
    swap(ledger.daos[random.int(ledger.daos.length)]!, random)
  }
  ledger.advance(Math.max(0, start - ledger.time))
  time.reset({ epoch: ledger.time * 1000, random: () => chance.next(), fetch: network.fetch })
  truth.note(0)

  const services: NodeService[] = Array.from({ length: plan.nodes }, (_, at) => {
    const service = createNodeService(ledger, { now: () => time.now(), finalityLag: plan.finalityLag, keepStates: true, kind: plan.kind, bulk: plan.bulk && at === 0 ? { fullLimit: 1000 } : null })
    network.hosts.set(`node-${at}.test`, { service, latencyMs: 20 + chance.int(100), down: false })
    return service
  })
  const sight = createSight(ledger, [...network.hosts.values()], plan.finalityLag)
  let moved = 0
  /** When something was last wrong with a node or the chain, ms. */
  let troubledAt = 0
  /** What a client holds of each path, who asks whether it still stands. */
  const held = new Map<string, { etag: string, body: any, headers: Record<string, unknown> }>()
  time.onMove = now => {
    // the chain follows in whole slots' time, however short the timers are
    if (now - moved < 50) return
    ledger.advance((now - moved) / 1000)
    moved = now
    truth.note(now)
    sight.note(now)
    if (!isCalm()) troubledAt = now
  }

  const folder = mkdtempSync(join(tmpdir(), 'world-'))
  const outcome: Outcome = { seconds: 0, answers: 0, served: 0, calls: 0 }
  /** The nodes have forgotten what nobody had read: it can be counted, not told. */
  let isLost = false
  /** DAOs of which an event that nobody knows came after the program had grown: what follows it can't prove itself, so that they are hidden for a day. */
  const hidden = new Set<string>()
  let isGrown = false
  /** The newest block told, and the first of the next range. */
  let toldBlock = -1
  let nextBlock = ledger.slot
  /** Pools listed since the process started. */
  const seen = new Set<string>()
  let app: FastifyInstance | undefined
  try {
    for (const event of plan.events) if (isThere(event)) await happen(event)
    await startService()
    await live()
    await fair()
  } catch (error) {
    if (!(error instanceof Violation)) throw error
    outcome.failure = error.failure
  } finally {
    for (const host of network.hosts.values()) calm(host)
    if (app !== undefined) await time.until(app.close(), 60_000)
    for (const service of services) { outcome.calls += service.limiter.total; service.close() }
    rmSync(folder, { recursive: true, force: true })
  }
  outcome.seconds = time.now() / 1000
  return outcome

  function fail (rule: string, expected: string, served: string): never {
    throw new Violation({ second: Math.round(time.now() / 1000), rule, expected, served })
  }

  async function startService (): Promise<void> {
    sight.begin(time.now())
    troubledAt = time.now()
    seen.clear()
    app = await startApp(plan, ledger, folder)
  }

  function isCalm (): boolean {
    return ledger.slotMs !== null && [...network.hosts.values()].every(({ down, latencyMs, service: { conditions, faults } }) => !down && latencyMs <= 1000 &&
      conditions.lag === 0 && conditions.frozenAt === null && conditions.limits === null && faults.active.every(({ fired, times = Infinity }) => fired >= times))
  }

  function calm (host: { service: NodeService, latencyMs: number, down: boolean }): void {
    host.down = false
    host.latencyMs = 50
    host.service.thaw()
    host.service.faults.clear()
    Object.assign(host.service.conditions, { lag: 0, finalizedAt: null, limits: NODE_KINDS[plan.kind].limits, maxBatch: NODE_KINDS[plan.kind].maxBatch, software: 'current', genesis: GENESIS })
  }

  /** Begins a weather; what it returns ends it. */
  function begin (at: number, weather: NodeWeather): () => void {
    const host = network.hosts.get(`node-${at}.test`)!
    const { service, latencyMs } = host
    const { conditions } = service
    switch (weather.kind) {
      case 'freeze': service.freeze(); return () => service.thaw()
      case 'finality': conditions.finalizedAt = service.methods.slotAt('finalized'); return () => { conditions.finalizedAt = null }
      case 'down': host.down = true; return () => { host.down = false }
      case 'lag': conditions.lag = weather.slots; return () => { conditions.lag = 0 }
      case 'latency': host.latencyMs = weather.ms; return () => { host.latencyMs = latencyMs }
      case 'older': conditions.software = 'older'; return () => { conditions.software = 'current' }
      case 'limits': {
        const { limits, maxBatch } = NODE_KINDS[weather.node]
        Object.assign(conditions, { limits, maxBatch })
        return () => Object.assign(conditions, { limits: NODE_KINDS[plan.kind].limits, maxBatch: NODE_KINDS[plan.kind].maxBatch })
      }
      case 'fault': {
        const fault = service.fault(weather.rule as { kind: FaultKind })
        return () => service.faults.clear(fault)
      }
    }
  }

  async function happen (event: WorldEvent): Promise<void> {
    if ('weather' in event) {
      const end = begin(event.node, event.weather)
      setTimeout(end, event.for * 1000)
    } else if ('clock' in event) time.step(event.clock)
    else if ('process' in event) await restart(event)
    else if (event.chain === 'halt') {
      if (ledger.slotMs !== null) ledger.slotMs = null
      setTimeout(() => { ledger.slotMs = 400 }, event.for * 1000)
    } else if (event.chain === 'slots') ledger.slotMs = event.ms
    else if (ledger.slotMs !== null) act(event.chain)
    truth.note(time.now())
  }

  async function restart (event: Extract<WorldEvent, { process: string }>): Promise<void> {
    const nodes = services.map(({ conditions }) => conditions)
    await time.until(app!.close(), 60_000)
    app = undefined
    if (event.process === 'outage') {
      for (let left = event.for; left > 0; left -= 20) {
        await time.advance(20_000)
        if (ledger.slotMs !== null) swap(ledger.daos[random.int(plan.daos)]!, random)
      }
      if (event.forget !== undefined) {
        isLost = true
        for (const conditions of nodes) conditions.retention = event.forget
      }
    }
    if (event.process === 'network') {
      for (const conditions of nodes) conditions.genesis = OTHER_GENESIS
      try {
        await startService()
        for (let left = event.for; left > 0; left -= 10) {
          await time.advance(10_000)
          for (const path of ['/api/tickers', '/api/volume/aggregate']) if ((await get(path)).status === 200) fail('network', `no 200 from ${path} on another network than the store's`, '200')
        }
      } catch (error) {
        // refusing to start is right
        if (error instanceof Violation) throw error
      }
      await time.until((app as FastifyInstance | undefined)?.close() ?? Promise.resolve(), 60_000)
      app = undefined
      for (const conditions of nodes) conditions.genesis = GENESIS
    }
    await startService()
  }

  function act (kind: ChainAction): void {
    const dao = ledger.daos[random.int(plan.daos)]!
    switch (kind) {
      case 'born': ledger.dao({ base: ledger.mint({ decimals: random.int(9) }), quote: ledger.usdc(), baseReserves: 10n ** 15n, quoteReserves: 10n ** 11n }); break
      case 'hostile': {
        const quote = ledger.mint({ symbol: 'USDC', name: 'USD Coin', decimals: 6 })
        const thin = ledger.dao({ base: dao.base, quote: random.int(2) === 0 ? quote : ledger.usdc(), baseReserves: 1n, quoteReserves: 1n })
        // A million of what calls itself a dollar
        thin.swap('buy', quote === thin.quote ? 10n ** 12n : 1n)
        break
      }
      case 'launch': if (!dao.proposalLive) dao.launchProposal(); break
      case 'finalize': if (dao.proposalLive) dao.finalizeProposal({ passed: random.int(2) === 0 }); break
      case 'collect': if (!dao.proposalLive) dao.collectFees(); break
      case 'fees': dao.setFees(25, 25); break
      case 'upgrade': isGrown = true; ledger.upgradeProgram({ grown: { SpotSwapEvent: 8 * random.int(6), '*': random.int(40) }, layout: 'F3', room: random.int(64) }); break
      case 'burst': for (let at = 0; at < 40; at++) swap(ledger.daos[random.int(plan.daos)]!, random); break
      case 'unknown': if (isGrown) hidden.add(dao.address); dao.unknownEvent({ event: { name: `Event${random.int(99)}`, keyAt: random.int(80), rest: random.int(90) } }); break
      case 'forged': ledger.forgedEvent(dao, FORGERIES[random.int(FORGERIES.length)]!); break
      case 'donate': dao.donate(10n ** 9n, 10n ** 9n); break
      case 'liquidity': if (!dao.proposalLive) dao.provideLiquidity(10n ** 8n); break
    }
  }

  async function live (): Promise<void> {
    const events = plan.events.filter(event => !isThere(event))
    let nextSwap = 0
    let nextLook = 3000
    const begun = time.now()
    while (time.now() - begun < plan.weather * 1000) {
      const elapsed = time.now() - begun
      const due = Math.min(nextSwap, nextLook, (events[0]?.at ?? Infinity) * 1000, plan.weather * 1000)
      if (due > elapsed) await time.advance(due - elapsed)
      while (events.length > 0 && events[0]!.at * 1000 <= time.now() - begun) await happen(events.shift()!)
      if (nextSwap <= time.now() - begun) {
        nextSwap = time.now() - begun + chance.next() * 2000 * plan.every
        if (ledger.slotMs !== null) swap(ledger.daos[random.int(ledger.daos.length)]!, random)
        truth.note(time.now())
      }
      if (nextLook <= time.now() - begun) {
        await look()
        nextLook = time.now() - begun + 2000 + chance.next() * 25_000
      }
    }
  }

  async function get (path: string) {
    const asked = time.now()
    const known = plan.seed % 3 === 0 ? undefined : held.get(path)
    const response = await time.until(app!.inject({ url: path, remoteAddress: '127.0.0.1', headers: known === undefined ? {} : { 'if-none-match': known.etag } }), DEADLINE_MS + 1000)
    const isFigure = path.startsWith('/api/')
    if (isFigure) outcome.answers++
    if (time.now() - asked > DEADLINE_MS) fail('deadline', `${path} within ${DEADLINE_MS} ms`, `after ${time.now() - asked} ms`)
    const { etag } = response.headers
    const isSame = response.statusCode === 304
    if (isSame && etag !== known?.etag) fail('entity tag', `304 for ${etag} alone`, `304 for ${known?.etag}`)
    if (response.statusCode === 200 && known !== undefined && etag === known.etag) fail('entity tag', `304 for ${etag} of ${path}`, '200')
    if (isFigure && (isSame || response.statusCode === 200)) outcome.served++
    const age = response.headers.age === undefined
      ? LIFETIME_MS - 1000 * Number(/max-age=(\d+)/.exec(String(response.headers['cache-control']))?.[1] ?? 0)
      : 1000 * (Number(response.headers.age) + 1)
    // Who is told that it is the same has the body and what its headers said, with the new age
    const body = isSame ? known!.body : response.json() as any
    const headers = isSame ? { ...known!.headers, ...response.headers } : response.headers
    if (isFigure && response.statusCode === 200 && typeof etag === 'string') held.set(path, { etag, body, headers })
    return { status: isSame ? 200 : response.statusCode, body, problems: String(body.problems ?? body.error ?? body), headers, age }
  }

  async function look (): Promise<void> {
    const tickers = await get('/api/tickers')
    if (tickers.status === 200) checkTickers(tickers.body, tickers.age)
    else if (![500, 502, 503].includes(tickers.status)) fail('status', '200, 500, 502 or 503', String(tickers.status))
    const daos = await get('/api/daos')
    if (daos.status === 200) checkDaos(daos.body, daos.age)
    checkCalm(daos)
    const aggregate = await get('/api/volume/aggregate')
    if (aggregate.status === 200) checkAggregate(aggregate.body, aggregate.age, aggregate.headers['x-history-complete'] === 'true')
    await lookAtSupply()
    if (plan.seed % 2 === 0) await followBlocks()
    checkReady((await get('/ready')).status)
    if ((await get('/health')).status !== 200) fail('health', '200', 'another status')
    if (time.waiting() > MOST_TIMERS) fail('timers', `at most ${MOST_TIMERS}`, String(time.waiting()))
    if (network.open() > MOST_REQUESTS) fail('requests on their way', `at most ${MOST_REQUESTS}`, String(network.open()))
  }

  /** The total of a mint never changes here. */
  async function lookAtSupply (): Promise<void> {
    const { base } = ledger.daos[random.int(ledger.daos.length)]!
    const { status, body } = await get(`/api/supply/${base.address}`)
    const expected = toFixed(ratio(base.supply, 10n ** BigInt(base.decimals)), base.decimals)
    if (status === 200 && compare(parseDecimal(body.result)!, parseDecimal(expected)!) !== 0) fail(`supply of ${base.address}`, expected, body.result)
  }

  /** One who follows the blocks: each range is asked for once, holds every swap of it, and ends at a block that is final. */
  async function followBlocks (): Promise<void> {
    const { status, body } = await get('/dexscreener/latest-block')
    if (status !== 200) return
    const { blockNumber: newest, blockTimestamp } = body.block
    if (newest < toldBlock) fail('latest block', `${toldBlock} or more`, newest)
    if (newest > ledger.slot - plan.finalityLag) fail('latest block', `a final one, ${ledger.slot - plan.finalityLag} at most`, newest)
    if (blockTimestamp !== ledger.timeOf(newest)) fail('latest block', `${newest} at ${ledger.timeOf(newest)}`, blockTimestamp)
    toldBlock = newest
    const from = Math.max(nextBlock, newest - 9_999)
    if (newest < from) return
    const range = await get(`/dexscreener/events?fromBlock=${from}&toBlock=${newest}`)
    if (range.status !== 200) return
    nextBlock = newest + 1
    if (isLost) return
    const told = range.body.events.filter((event: any) => event.eventType === 'swap').map(({ pairId, txnId, asset0In, asset0Out, asset1In, asset1Out }: any) => `${pairId} ${txnId} ${asset0In ?? asset0Out} ${asset1In ?? asset1Out}`).sort()
    const real = ledger.swaps.filter(({ slot, output }) => slot >= from && slot <= newest && output > 0n).map(swap => {
      const { base, quote } = ledger.daos.find(({ address }) => address === swap.dao)!
      const [bases, quotes] = swap.side === 'buy' ? [swap.output, swap.input] : [swap.input, swap.output]
      return `${swap.dao} ${swap.signature} ${plain(bases, base.decimals)} ${plain(quotes, quote.decimals)}`
    }).sort()
    const lacking = real.find(line => !told.includes(line))
    if (lacking !== undefined) fail(`range ${from} to ${newest}`, lacking, 'without it')
    const beyond = told.find((line: string) => !real.includes(line))
    if (beyond !== undefined) fail(`range ${from} to ${newest}`, 'without it', beyond)
  }

  /** Nothing has been wrong for a while: a node that was must not be held against what it is now. */
  function checkCalm ({ status, age }: { status: number, age: number }): void {
    const calmFor = time.now() - troubledAt
    if (calmFor > CALM_MS && (status !== 200 || age > LIFETIME_MS + 1000)) fail('calm', `a fresh list of DAOs, ${Math.round(calmFor / 1000)} s after the last trouble`, `${status}, ${Math.round(age / 1000)} s old`)
  }

  /** Nothing new has been shown for longer than a node may stand unseen. */
  function checkReady (status: number): void {
    const still = sight.stillFor(time.now())
    if (status === 200 && still > READY_MS) fail('ready', `503 after ${Math.round(still / 1000)} s without a new slot`, '200')
  }

  function checkTickers (list: any[], age: number): void {
    const now = time.now()
    const pools = list.map(ticker => ticker.pool_id)
    if (pools.length === 0) fail('tickers', 'a pool', 'none')
    if (new Set(pools).size !== pools.length) fail('tickers', 'each pool once', JSON.stringify(pools))
    for (const pool of pools) seen.add(pool)
    const [from, to] = [now - sight.reach(now, age + UNSEEN_MS), now]
    for (const ticker of list) {
      const dao = ledger.daos.find(({ address }) => address === ticker.pool_id)
      if (dao === undefined) fail('tickers', 'DAOs of the chain', ticker.pool_id)
      const states = truth.statesBetween(dao.address, from, to)
      if (!states.some(state => !state.empty && state.price === ticker.last_price && state.liquidity === ticker.liquidity_in_usd)) {
        fail(`price of ${dao.address} at age ${Math.round(age / 1000)} s`, states.map(state => `${state.price} (${state.liquidity})`).join(' or '), `${ticker.last_price} (${ticker.liquidity_in_usd})`)
      }
      const behind = sight.reach(now, age + HEAD_MS)
      const possible = truth.volumes(dao, now - behind, now, sight.blockTimeAt(now - behind) - 62, ledger.time + 62, { base: ticker.base_volume, quote: ticker.target_volume })
      if (possible !== undefined) fail(`volumes of ${dao.address} at age ${Math.round(age / 1000)} s`, possible.join(' or '), `${ticker.base_volume}/${ticker.target_volume}`)
    }
  }

  function checkDaos (report: any, age: number): void {
    if (report.discovered !== report.daos.length || report.discovered !== report.listed + report.left_out) fail('daos', 'discovered = listed + left out', JSON.stringify({ ...report, daos: report.daos.length }))
    const known = new Set(report.daos.map((entry: any) => entry.dao))
    for (const { address } of ledger.daos) {
      if (truth.born(address)! < time.now() - sight.reach(time.now(), age + UNSEEN_MS) - 60_000 && !known.has(address)) fail('daos', `${address} with its reason`, 'not there')
    }
    for (const { dao, listed, reason } of report.daos) {
      if (!listed && reason === null) fail('daos', 'a reason', `${dao} without one`)
      if (!listed && reason === 'mint unreadable' && seen.has(dao)) fail('daos', 'what was a mint stays one', `${dao} left out: ${reason}`)
    }
  }

  function checkAggregate (record: any, age: number, complete: boolean): void {
    const [low, high] = [truth.total(time.now() - sight.reach(time.now(), age + HEAD_MS)), truth.total(time.now())]
    const served = parseDecimal(record.totalVolume)!
    const trades = record.dailyBreakdown.reduce((sum: number, day: any) => sum + day.trades, 0)
    const cent = ratio(1n, 100n)
    const isLow = compare(served, subtract(low.usd, cent)) < 0 || trades < low.trades
    const isHigh = compare(subtract(served, cent), high.usd) > 0 || trades > high.trades
    if (isHigh || (complete && isLow)) fail('aggregate', `${text(low)} to ${text(high)}${complete ? '' : ' at most'}`, `${record.totalVolume}, ${trades} trades`)
  }

  function text ({ usd, trades }: { usd: { n: bigint, d: bigint }, trades: number }): string {
    return `${Number(usd.n * 100n / usd.d) / 100}, ${trades} trades`
  }

  /** Nothing is wrong any more: all must be whole, and equal, in time. */
  async function fair (): Promise<void> {
    for (const host of network.hosts.values()) calm(host)
    if (ledger.slotMs === null) ledger.slotMs = 400
    const begun = time.now()
    const allowed = FAIR_MS + MARGIN * MS_EACH[plan.kind] * ledger.history.length
    for (let problem = 'not asked yet'; problem !== '';) {
      await time.advance(10_000)
      problem = await whole()
      if (problem !== '' && time.now() - begun > allowed) fail('whole in fair weather', `within ${Math.round(allowed / 1000)} s`, problem)
    }
  }

  /** What is not yet as it must be; empty: nothing. */
  async function whole (): Promise<string> {
    const ready = await get('/ready')
    const [tickers, aggregate, daos] = [await get('/api/tickers'), await get('/api/volume/aggregate'), await get('/api/daos')]
    if (isLost) {
      // The last day stays unknown until it has passed; all else is told, and says that something is missing
      if (tickers.status === 200) checkTickers(tickers.body, tickers.age)
      if (aggregate.status !== 200) return `aggregate ${aggregate.status}: ${aggregate.problems}`
      const complete = aggregate.headers['x-history-complete'] === 'true'
      checkAggregate(aggregate.body, aggregate.age, complete)
      const { trades } = truth.total(time.now())
      const served = aggregate.body.dailyBreakdown.reduce((sum: number, day: any) => sum + day.trades, 0)
      return complete && served !== trades ? `${served} trades of ${trades}, and complete` : ''
    }
    for (const [name, { status }] of Object.entries({ ready, tickers, aggregate, daos })) if (status !== 200) return `${name} ${status}: ${ready.problems}`
    checkTickers(tickers.body, tickers.age)
    checkDaos(daos.body, daos.age)
    checkAggregate(aggregate.body, aggregate.age, aggregate.headers['x-history-complete'] === 'true')
    const listed = new Set(tickers.body.map((ticker: any) => ticker.pool_id))
    const reasons = new Map(daos.body.daos.map((entry: any) => [entry.dao, entry.reason]))
    const lacking = ledger.daos.filter(dao => dao.reserves.base > 0n && dao.reserves.quote > 0n && !listed.has(dao.address))
    const isHidden = lacking.some(({ address }) => hidden.has(address) && reasons.get(address) === 'history incomplete')
    if (isHidden && lacking.every(({ address }) => hidden.has(address))) return ''
    if (lacking.length > 0) return `tickers lack ${lacking.map(({ address }) => `${address} (${String(reasons.get(address))})`).join()}`
    if (aggregate.headers['x-history-complete'] !== 'true') return `the history is incomplete, ${String(aggregate.headers['x-history-missing'])} missing`
    const { usd, trades } = truth.total(time.now())
    const served = aggregate.body.dailyBreakdown.reduce((sum: number, day: any) => sum + day.trades, 0)
    if (served !== trades) return `${served} trades of ${trades}`
    const apart = subtract(parseDecimal(aggregate.body.totalVolume)!, usd)
    if (compare(apart, ratio(1n, 100n)) > 0 || compare(apart, ratio(-1n, 100n)) < 0) return `a total of ${aggregate.body.totalVolume}`
    return ''
  }
}

async function startApp (plan: Plan, ledger: Ledger, folder: string): Promise<FastifyInstance> {
  const [{ default: Fastify }, { default: fp }, { default: application, serverOptions }] = await Promise.all([import('fastify'), import('fastify-plugin'), import('../../../app.js')])
  const env = {
    CHAIN_RPC_URL: Array.from({ length: plan.nodes }, (_, at) => `http://node-${at}.test`).join(),
    CHAIN_WS_URL: '',
    FACTORY_ADDRESS: ledger.program,
    ROUTER_ADDRESS: ROUTER,
    NODE_ENV: 'test',
    LOG_LEVEL: 'silent',
    DATA_DIR: folder,
    RATE_LIMIT_ALLOW: '127.0.0.1',
    PROTOCOL_FEE_RATE: '0.005'
  }
  const app = Fastify({ ...serverOptions(env), logger: process.env.WORLD_LOG === undefined ? false : { level: 'warn' } })
  await app.register(fp(application), { env, bounds: { delay: Infinity, heapBytes: Infinity, residentBytes: Infinity } })
  const loading = { isOver: false }
  const ready = Promise.resolve(app.ready()).finally(() => { loading.isOver = true })
  ready.catch(() => {})
  // Modules are read from the disk in real time, which the world does not notice
  for (let turn = 0; !loading.isOver; turn++) {
    await realSleep(1)
    if (turn > (isLoaded ? 400 : 5000)) await time.advance(100)
  }
  isLoaded = true
  await ready.catch(async (error: unknown) => {
    await time.until(app.close(), 60_000)
    throw error
  })
  return app
}
