import type { LightMyRequestResponse } from 'fastify'
import { setTimeout } from 'node:timers/promises'
import { test, type Test } from 'tap'
import type { Ready } from '../../../schemas/ready.js'
import type { Ticker } from '../../../schemas/ticker.js'
import { build, headReached, historyComplete, settings, startChain, until } from '../../helper.js'
import { goingOn } from './clock.js'
import { ROWS, type Row } from './matrix.js'
import { aggregateTruth, createWorld, poolTruths, supplyTruth, trade, type World } from './truth.js'
import { createSpeedClock } from '../../support/speed-clock.js'
import { steadyNow } from '../../support/steady-time.js'

/** The transport without its breaker, so that each status is exact; the breaker has a test of its own. */
const TRANSPORT = { retries: 1, failures: 1e9, maxBytes: 2 ** 20 }
/**
 * Its deadlines are long enough for a busy machine. While the node takes for ever, its clock goes so much faster: 0.3 s
 * for a call, 0.9 s for a response.
 */
const DEADLINES = { ...TRANSPORT, callMs: 5_000, answerMs: 10_000 }
const ENDLESS = { ...DEADLINES, answerMs: 15_000 }
const FAST = 50 / 3
/** What a busy machine adds to a response's deadline, ms. */
const SLACK_MS = 15_000
/** Seconds of life, and of what is final when it is read. */
const MOST_FRESH = 10 + 45
/** Why there are no tickers, where it is the nodes'. */
const OF_NODES = /^(no node gives what is needed|the newest state that any node shows|the node('s answer| gave)|node )/
const MESSAGES: Record<number, string> = {
  500: 'Failed to fetch DAO data from blockchain',
  502: 'Upstream RPC service unavailable',
  503: 'Service temporarily unavailable. Please try again in a few moments.'
}

/** Everything that is right, for a state of the ledger. */
function truthsOf (world: World) {
  return {
    pools: poolTruths(world),
    aggregate: aggregateTruth(world),
    supplies: [world.launch.mint, world.plain].map(mint => [mint.address, supplyTruth(world, mint)] as const)
  }
}
type Truths = ReturnType<typeof truthsOf>

/**
 * Holds a 200 to the states of the ledger that may be shown: price and reserves are of one, volumes of one, and no DAO
 * is missing.
 */
function holdTickers (t: Test, list: Ticker[], states: Truths[], what: string): void {
  const { pools } = states[0]!
  t.same(list.map(({ pool_id: pool }) => pool).sort(), [...pools.keys()].sort(), `${what}: every pool is there`)
  for (const key of [['last_price', 'liquidity_in_usd'], ['base_volume', 'target_volume']] as const) {
    const pick = (figures: Record<string, string>): string => key.map(name => figures[name]).join()
    t.ok(states.some(
      ({ pools }) => list.every(ticker => pick(pools.get(ticker.pool_id) as never) === pick(ticker as never))
    ), `${what}: ${key.join()} are right`)
    for (const { bid, ask, last_price: price } of list) t.ok(Number(bid) < Number(price) && Number(price) < Number(ask))
  }
}

/** Of the head of a history that keeps up with the chain, ms: a third of what may be served. */
const NEAR_MS = 15_000

async function setUp (t: Test, { fault }: Row) {
  const { ledger, node } = await startChain(t)
  const world = createWorld(ledger)
  const transportClock = createSpeedClock()
  const isEndless = ['hang', 'drip'].includes(fault.kind)
  const deadlines = isEndless ? ENDLESS : DEADLINES
  /** The node is at fault from now on. */
  const fail = () => {
    if (isEndless) transportClock.go(FAST)
    return node.fault(fault)
  }
  const heal = (active: ReturnType<typeof fail>): void => {
    node.faults.clear(active)
    transportClock.go(1)
  }
  const active = fail()
  const clock = goingOn(ledger)
  const app = await build(t, {
    env: settings(t, node, ledger, { RATE_LIMIT_MAX: '1000000', PROTOCOL_FEE_RATE: '0.005' }),
    now: clock.now,
    pollMs: 20,
    transport: { ...deadlines, clock: transportClock.clock }
  })
  const longest = deadlines.answerMs / (isEndless ? FAST : 1) + SLACK_MS
  const [pool] = world.daos
  const pair = `${pool!.base.address}_${pool!.quote.address}`
  const market = ['/api/tickers', `/api/tickers/${pair}`, '/api/volume/aggregate', '/api/daos']
  const supply = [world.launch.mint, world.plain].flatMap(
    ({ address }) => ['', '/total', '/circulating'].map(part => `/api/supply/${address}${part}`)
  )

  function allowedFor (path: string, expected: { market: number[], supply: number[] }): number[] {
    if (path === '/ready') return [200, 503]
    if (supply.includes(path)) return expected.supply
    // what the DAOs are is known without their trades; and totals that say what they lack are given once what is
    // missing has been waited for
    if ([
      '/api/daos', '/api/volume/aggregate'
    ].includes(path) && expected.market.includes(503)) return [200, ...expected.market]
    return market.includes(path) ? expected.market : [200]
  }

  /** Asks every endpoint at once; `expected` holds the statuses for each kind. */
  async function ask (
    when: string, expected: { market: number[], supply: number[] }, states: Truths[]
  ): Promise<Map<string, LightMyRequestResponse>> {
    const answers = new Map<string, LightMyRequestResponse>()
    await Promise.all([...market, ...supply, '/', '/health', '/ready'].map(async path => {
      const begun = steadyNow()
      const answer = await app.inject(path)
      answers.set(path, answer)
      const ms = Math.round(steadyNow() - begun)
      t.ok(ms < longest, `${when}: ${path} took ${ms} ms`)
      const allowed = allowedFor(path, expected)
      const { statusCode: status } = answer
      t.ok(allowed.includes(status), `${when}: ${path} ${status}, expected ${allowed.join(' or ')}`)
      if (path === '/ready') return
      if (status !== 200) t.equal(answer.payload, JSON.stringify({ error: MESSAGES[status] }), `${when}: ${path}`)
      else holdFigures(path, answer, states, when, expected.market.includes(200))
    }))
    const [ready, tickers] = [answers.get('/ready')!, answers.get('/api/tickers')!]
    t.equal(
      ready.statusCode,
      tickers.statusCode === 200 ? 200 : 503,
      `${when}: /ready beside tickers of ${tickers.statusCode}`
    )
    const { problems } = ready.json<Ready>()
    t.equal(problems.length > 0, tickers.statusCode !== 200, `${when}: ${problems.join('; ')}`)
    // a node's fault where it is one, else what the history waits for
    if (problems.length > 0) {
      t.equal(OF_NODES.test(problems[0]!), tickers.statusCode !== 503, `${when}: ${tickers.statusCode}, ${problems[0]}`)
    }
    return answers
  }

  /** What an answer says of its age is that of the moment that it tells. */
  function holdAge (path: string, { headers }: LightMyRequestResponse, when: string): unknown {
    const told = headers['x-chain-time']
    if (told === undefined) {
      return t.ok(!market.includes(path) && !supply.includes(path), `${when}: ${path} says of when it is`)
    }
    const age = ledger.utc - Date.parse(String(told)) / 1000
    if (headers.age === undefined) {
      return t.ok(age <= MOST_FRESH + SLACK_MS / 1000, `${when}: ${path} is of ${age} s ago, and passes for fresh`)
    }
    t.ok(
      Math.abs(age - Number(headers.age)) <= 2 + SLACK_MS / 1000,
      `${when}: ${path} is of ${age} s ago, and says ${String(headers.age)}`
    )
  }

  function holdFigures (
    path: string, answer: LightMyRequestResponse, states: Truths[], when: string, isWhole: boolean
  ): void {
    holdAge(path, answer, when)
    if (path === '/api/tickers') holdTickers(t, answer.json(), states, when)
    if (path === '/api/volume/aggregate') {
      t.ok(
        states.some(({ aggregate }) => aggregate === answer.json<{ totalVolume: string }>().totalVolume),
        `${when}: the total is right`
      )
    }
    if (path === '/api/volume/aggregate' && !isWhole) {
      t.equal(answer.headers['x-history-complete'], 'false', `${when}: the total says that it lacks something`)
    }
    if (path === '/api/daos') {
      t.match(answer.json(), { discovered: world.daos.length, listed: isWhole ? world.daos.length : 0 })
    }
    if (path.startsWith('/api/supply/')) {
      const [, , , mint, part] = path.split('/')
      const truth = states[0]!.supplies.find(([address]) => address === mint)![1]
      const { total, circulating, ...data } = truth
      if (part === undefined) t.match(answer.json(), { result: total, data }, `${when}: ${path}`)
      else t.equal(answer.payload, truth[part as 'total'], `${when}: ${path}`)
    }
  }
  /** Waits until the history has caught up, however much time has passed while something was waited for. */
  const follow = (): Promise<void> => until('the head is near', () => {
    clock.now()
    return (app.history.status().headAge ?? Infinity) <= NEAR_MS
  })
  /** Lets the cache's lifetime pass, and the history look at the head. */
  async function recover (seconds = 10): Promise<void> {
    clock.pass(seconds)
    await headReached(app, ledger, ledger.time)
    await follow()
  }
  /** Lets what was refused under the fault be asked for again: that is due within ten seconds of the last refusal. */
  async function refetch (): Promise<void> {
    await until('nothing is missing any more', () => {
      const { missingTransactions, missingEvents } = app.history.status()
      if (missingTransactions === 0 && missingEvents === 0) return true
      clock.pass(0.1)
      return false
    })
    await follow()
  }
  return { refetch, recover, follow, ledger, fail, heal, world, active, clock, app, ask, market, supply }
}

test('the fault matrix', { jobs: 3 }, async t => {
  for (const row of ROWS) {
    t.test(row.name, { buffered: true }, async t => {
      const { fail, heal, world, active, clock, app, ask, recover, follow, refetch, market, supply } =
        await setUp(t, row)
      const before = truthsOf(world)
      if (row.cold.market.join() === '200') await historyComplete(app)
      else await setTimeout(100)
      await ask('cold', row.cold, [before])

      heal(active)
      await historyComplete(app)
      await recover()
      await ask('one cache lifetime after the fault', { market: [200], supply: [200] }, [before])

      const again = fail()
      // after the head's own second, whose trades count as they are stored, one by one
      clock.pass(1)
      trade(world)
      clock.pass(3)
      const after = truthsOf(world)
      const stale = await ask('warm', { market: [200], supply: [200] }, [before, after])
      if (row.gone.market.includes(502) || row.gone.market.includes(500)) {
        for (const path of market) t.ok(stale.get(path)!.headers.age !== undefined, `${path} is stale and says its age`)
      }
      if (!row.gone.supply.includes(200)) {
        t.ok(stale.get(supply[0]!)!.headers.age !== undefined, 'a stale supply says its age')
      }

      // too old after 70 s; tokens, on which a list can live, are kept for 100, of which a slow machine takes some
      clock.pass(row.gone.market.join() === '200' ? 60 : 75)
      if (row.gone.market.join() === '200') await follow()
      else {
        // what was being made when time leapt is waited for, and tried again a second later
        await Promise.all(market.map(path => app.inject(path)))
        clock.pass(1)
      }
      await ask('too old', row.gone, [before, after])

      heal(again)
      await recover()
      await refetch()
      await ask('one cache lifetime after the second fault', { market: [200], supply: [200] }, [after])
    })
  }
})
