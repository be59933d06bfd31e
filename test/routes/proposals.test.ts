import { existsSync, readFileSync } from 'node:fs'
import type { LightMyRequestResponse } from 'fastify'
import { test } from 'tap'
import { carried, thresholdOf, twapOf } from '../../lib/market/decision.js'
import type { DaoRecord } from '../../schemas/dao.js'
import type { ProposalRecord, Proposals } from '../../schemas/proposals.js'
import { clonePool, type Pool, twap, updateTwap } from '../../simulator/arithmetic.js'
import { fromBase58 } from '../../simulator/bytes.js'
import type { Dao } from '../../simulator/index.js'
import { u128, u64 } from '../support/transaction-events.js'
import { createRandom } from '../../simulator/random.js'
import { build, goOn, historyComplete, settings, startChain, until } from '../helper.js'
import { getterOf } from '../support/answers.js'
import { CHAIN_UNREADABLE, INVALID_DAO, INVALID_PROPOSAL } from '../../schemas/errors.js'

const RECORDING = new URL('../../../shared/fixtures/program-recording.json', import.meta.url)

/** A pool as the program's decoder gives it. */
const marketOf = ({ oracle, quote, base }: Pool) => ({
  oracle: {
    aggregator: oracle.aggregator,
    updatedAt: oracle.updated,
    createdAt: oracle.created,
    lastObservation: oracle.lastObservation,
    maxChange: oracle.maxChange,
    startDelay: oracle.startDelay
  },
  reserves: { quote, base }
})

test('proposals and their markets are the ledger\'s own, and enter no other figure', async t => {
  const { ledger, node } = await startChain(t)
  const random = createRandom(31)
  const config = {
    secondsPerProposal: 3000,
    twapStartDelay: 600,
    passThresholdBps: 300,
    twapInitial: 10n ** 11n,
    twapMaxChange: 10n ** 9n
  }
  const pool = () => ledger.dao(
    { base: ledger.mint(), quote: ledger.usdc(), baseReserves: 2n * 10n ** 12n, quoteReserves: 2n * 10n ** 11n, config }
  )
  const [dao, twin, F0] = [pool(), pool(), ledger.dao({
    base: ledger.mint({ decimals: 9 }),
    quote: ledger.usdc(),
    baseReserves: 10n ** 12n,
    quoteReserves: 10n ** 11n,
    layout: 'F0'
  })]
  const excluded = pool()
  excluded.launchProposal()
  F0.initializeProposal()
  F0.stake(2_500_000_000n)
  twin.launchProposal()
  twin.finalizeProposal({ passed: true })
  ledger.advance(10)
  twin.launchProposal()
  twin.cancelProposal()
  ledger.advance(10)
  dao.initializeProposal()
  dao.removeProposal()
  dao.launchProposal()
  dao.swap('buy', 10_000_000n)
  let later = 0
  const app = await build(t, {
    bounds: { delay: 60_000 },
    env: settings(t, node, ledger, { RATE_LIMIT_MAX: '100000', EXCLUDED_DAOS: excluded.address }),
    now: () => (ledger.time + later) * 1000,
    pollMs: 20
  })
  await historyComplete(app)
  const get = getterOf(app)
  const reached = () => until('the head is reached', () => {
    try {
      return app.history.head().time >= ledger.time - 15
    } catch {
      return false   // not reached since the clock went on
    }
  })
  const close = (text: string | null, value: number) => text !== null && Math.abs(Number(text) / value - 1) < 1e-9

  await t.test('lists', async t => {
    const all = await get<Proposals>('/api/proposals')
    t.same(all.map(({ state }) => state).sort(), ['draft', 'failed', 'passed', 'pending', 'removed'])
    t.notOk(all.some(({ dao }) => dao === excluded.address))
    const times = all.map(({ launched_at: launched, created_at: created }) => Date.parse((launched ?? created)!))
    t.same(times, [...times].sort((a, b) => b - a), 'newest first')
    t.same(all.slice(0, 2).map(({ state }) => state), ['pending', 'removed'], 'a removed draft is as old as it is')
    t.match(
      all.find(({ state }) => state === 'draft'),
      {
        staked: '2.5',
        dao: F0.address,
        is_team_sponsored: false,
        pass_threshold_bps: 300,
        launched_at: null,
        ends_at: null
      }
    )
    const { proposal } = dao
    t.match(all.find(({ state }) => state === 'pending'), {
      proposal: proposal!.address,
      number: 2,
      proposer: proposal!.proposer,
      squads_proposal: proposal!.squadsProposal,
      staked: null,
      pass_threshold_bps: 300,
      launched_at: new Date(proposal!.enqueued * 1000).toISOString(),
      ends_at: new Date((proposal!.enqueued + 3000) * 1000).toISOString()
    })
    const passed = await get<Proposals>('/api/proposals?state=passed')
    t.same(passed.map(({ dao, pass_threshold_bps: bps }) => [dao, bps]), [[twin.address, null]])
    t.same(await get(`/api/daos/${twin.base.address}/proposals`), await get(`/api/daos/${twin.address}/proposals`))
    t.same(await get(`/api/daos/${twin.address}/proposals`), all.filter(({ dao }) => dao === twin.address))
    t.same(
      (await get<DaoRecord>(`/api/daos/${twin.address}`)).decisions,
      { proposals: { total: 2, draft: 0, live: 0, passed: 1, failed: 1, removed: 0 }, live: null, spending_limit: null }
    )
    const { decisions } = await get<DaoRecord>(`/api/daos/${dao.address}`)
    t.equal(decisions.proposals.live, 1)
    t.same(decisions.live, await get(`/api/proposals/${proposal!.address}`), 'the live one in full')
    const paged: Proposals = []
    for (let query = 'limit=2'; ;) {
      const page = await get<Proposals>(`/api/proposals?${query}`)
      paged.push(...page)
      if (page.length < 2) break
      query = `limit=2&before=${page.at(-1)!.proposal}`
    }
    t.same(paged, all)
  })

  await t.test('a live one at random moments', async t => {
    let decided = 0
    for (let i = 0; i < 25; i++) {
      ledger.advance(15 + random.int(240))
      const [market, side] = [random.int(2) === 0 ? 'pass' : 'fail', random.int(2) === 0 ? 'buy' : 'sell'] as const
      if (i > 0) dao.conditionalSwap(market, side, random.amount(1n, 10n ** 9n))
      ledger.advance(11 + random.int(80))
      await reached()
      const markets = await get<ProposalRecord>(`/api/proposals/${dao.proposal!.address}`)
      const now = Date.parse(markets.as_of!) / 1000
      const expected = { pass: clonePool(dao.state.pools.pass!), fail: clonePool(dao.state.pools.fail!) }
      for (const which of ['pass', 'fail'] as const) {
        updateTwap(expected[which], now)
        const average = twap(expected[which])
        t.ok(
          average === 0n ? markets[which]!.twap === null : close(markets[which]!.twap, Number(average) / 1e12),
          `${which} ${i}`
        )
        t.ok(close(markets[which]!.price, Number(expected[which].quote) / Number(expected[which].base)))
      }
      const [pass, fail] = [twap(expected.pass), twap(expected.fail)]
      t.equal(markets.leads, pass === 0n ? null : pass > fail * 10300n / 10000n ? 'pass' : 'fail')
      if (markets.leads !== null) decided++
    }
    t.ok(decided > 5)
  })

  await t.test('whatever the markets of a proposal hold, no other answer changes by a byte', async t => {
    const { address } = dao
    const paths = [
      '/api/tickers', '/api/pools', `/api/pools/${address}`, `/api/pools/${address}/trades`,
      `/api/pools/${address}/ohlcv?interval=1m`, `/api/pools/${address}/days`,
      `/api/pools/${address}/quote?side=buy&amount=5`, `/api/prices?mints=${dao.base.address}`, `/api/daos/${address}`,
      `/api/daos/${address}/treasury`, '/api/treasuries', '/api/daos', '/api/days', '/api/volume/aggregate',
      '/api/fees/aggregate', '/api/liquidity/aggregate', `/api/supply/${dao.base.address}`, '/coingecko/tickers',
      `/coingecko/orderbook?ticker_id=${dao.base.address}_${dao.quote.address}`, '/cmc/v1/summary'
    ]
    /** Each is of now: one that says its age waits for a refresh that a busy machine has failed. */
    const ask = async (path: string) => {
      let answer: LightMyRequestResponse | undefined
      await until(`${path} is of now`, async () => {
        answer = await app.inject(path)
        if (answer.headers.age !== undefined) later += 0.1
        return answer.headers.age === undefined
      })
      return answer!
    }
    const bodies = async (): Promise<string[]> => await Promise.all(paths.map(async path => {
      const { statusCode, body } = await ask(path)
      t.equal(statusCode, 200, path)
      // an order book says when it was made, a DAO has the live proposal in full
      return body.replace(/"timestamp":\d+/, '').replace(/"live":\{.*\},"spending_limit"/, '"spending_limit"')
    }))
    const [PASS, MARKETS] = [141, 264]
    for (let i = 0; i < 4; i++) {
      later = 0
      ledger.advance(25)
      await reached()   // so that no step of the history falls in between
      const [before, own] = [await bodies(), await get<ProposalRecord>(`/api/proposals/${dao.proposal!.address}`)]
      const entry = ledger.accounts.get(address)!
      const data = Buffer.from(entry.data())
      random.bytes(MARKETS).copy(data, PASS)
      ledger.accounts.override(address, { owner: entry.owner, data, lamports: entry.lamports })
      later += 11
      t.same(await bodies(), before)
      t.not(
        (await get<ProposalRecord>(`/api/proposals/${dao.proposal!.address}`)).pass!.price,
        own.pass!.price,
        'the markets have changed'
      )
      ledger.accounts.override(address, undefined)
    }
  })

  await t.test('what is asked wrongly is said', async t => {
    const says = async (url: string, status: number, error: string) => {
      const answer = await app.inject(url)
      t.same([answer.statusCode, answer.json()], [status, { error }])
    }
    const { address } = ledger.mint()
    await says('/api/proposals?state=open', 400, 'Invalid state: one of draft, pending, passed, failed, removed')
    await says('/api/proposals?limit=0', 400, 'Invalid limit: a whole number from 1 to 1000 (rows), as 100')
    await says('/api/proposals?dao=x', 400, INVALID_DAO)
    await says(`/api/proposals?dao=${address}`, 404, `DAO not found: ${address}`)
    await says(`/api/proposals?before=${address}`, 400, 'Invalid before: the address of a proposal')
    await says('/api/proposals/x', 400, INVALID_PROPOSAL)
    await says(`/api/proposals/${address}`, 404, `Proposal not found: ${address}`)
    await says(`/api/daos/${excluded.address}/proposals`, 404, `DAO not found: ${excluded.address}`)
  })
})

test('an event that is missing is null in its own row, and holds up the record of that proposal alone', async t => {
  const { ledger, node } = await startChain(t)
  const [dao, other] = [1, 2].map(() => ledger.dao(
    { base: ledger.mint(), quote: ledger.usdc(), baseReserves: 2n * 10n ** 12n, quoteReserves: 2n * 10n ** 11n }
  )) as [Dao, Dao]
  other.launchProposal()
  const app = await build(t, {
    env: settings(t, node, ledger, { RATE_LIMIT_MAX: '100000' }), now: () => ledger.time * 1000, pollMs: 20
  })
  await historyComplete(app)
  const get = getterOf(app)
  const withheld = node.fault({ method: 'getTransaction', kind: 'null-transaction' })
  dao.initializeProposal()
  const made = new Date(ledger.time * 1000).toISOString()
  const { address } = dao.proposal!
  await until('the event is known to be missing', () => {
    goOn(app, ledger)
    return app.history.status().missingEvents === 1
  })
  const [first, second] = await get<Proposals>('/api/proposals')
  t.match(first, { proposal: address, state: 'draft', number: 1, created_at: null, finalized_at: null, decision: null })
  t.match(second, { dao: other.address, state: 'pending', created_at: /Z$/ })
  t.equal((await app.inject(`/api/proposals/${address}`)).statusCode, 503)
  t.equal((await app.inject(`/api/proposals/${second!.proposal}`)).statusCode, 200)
  node.faults.clear(withheld)
  await until('it has been found', async () => {
    goOn(app, ledger)
    return (await app.inject(`/api/proposals/${address}`)).statusCode === 200
  })
  t.equal((await get<ProposalRecord>(`/api/proposals/${address}`)).created_at, made)
})

test('a list that lacks a proposal of which events are stored is not believed; ' +
  'an odd one alone is left out', async t => {
  const { ledger, node } = await startChain(t)
  const [dao, other] = [1, 2].map(() => ledger.dao(
    { base: ledger.mint(), quote: ledger.usdc(), baseReserves: 2n * 10n ** 12n, quoteReserves: 2n * 10n ** 11n }
  )) as [Dao, Dao]
  dao.launchProposal()
  other.launchProposal()
  const app = await build(t, {
    env: settings(t, node, ledger, { RATE_LIMIT_MAX: '100000', STALE_IF_ERROR: '0' }),
    now: () => ledger.time * 1000,
    pollMs: 20
  })
  await historyComplete(app)
  const { address } = dao.proposal!
  const { owner, data } = ledger.account(address)!
  const statuses = () => Promise.all([
    '/api/proposals', `/api/proposals/${address}`, `/api/proposals/${other.proposal!.address}`,
    `/api/daos/${dao.address}`, `/api/daos/${dao.address}/proposals`, '/api/tickers'
  ].map(async path => (await app.inject(path)).statusCode))
  const isSo = (what: string, expected: number[]) => until(what, async () => {
    ledger.advance(11)
    return JSON.stringify(await statuses()) === JSON.stringify(expected)
  })
  ledger.accounts.override(address, null)
  await isSo('a short list is refused', [500, 500, 500, 500, 500, 200])
  ledger.accounts.override(address, { owner, data: Buffer.from(data).fill(9, 52, 53) })
  await isSo('an odd one is left out', [200, 404, 200, 200, 200, 200])
  const get = getterOf(app)
  t.same((await get<Proposals>('/api/proposals')).map(({ dao }) => dao), [other.address])
  const { decisions } = await get<DaoRecord>(`/api/daos/${dao.address}`)
  t.match(decisions, { proposals: { total: 1, live: 1 }, live: null }, 'and counted, as the DAO\'s account has it')
  ledger.accounts.override(address, undefined)
  await isSo('it is there', [200, 200, 200, 200, 200, 200])
  ledger.advance(11)
  for (const path of [`/api/daos/${other.address}/treasury`, '/api/proposals']) await get(path)
  ledger.advance(2)
  other.cancelProposal()
  const late = await get<DaoRecord>(`/api/daos/${other.address}`)
  t.match(late, { state: 'futarchy', decisions: { proposals: { live: 1 }, live: null } }, 'ended since')
  ledger.advance(11)
  other.launchProposal()
  await get(`/api/daos/${other.address}/treasury`)
  ledger.advance(2)
  other.cancelProposal()
  await get('/api/proposals')
  t.match(
    await get<DaoRecord>(`/api/daos/${other.address}`),
    { state: 'futarchy', decisions: { proposals: { total: 2, live: 0, failed: 2 } } },
    'one that has ended in a younger list is counted once'
  )
  ledger.advance(11)
  await get('/api/proposals')
  ledger.accounts.override(address, { owner, data: Buffer.from(data).fill(9, 52, 53) })
  const odd = await app.inject(`/api/proposals/${address}`)
  t.same([odd.statusCode, odd.json()], [500, { error: CHAIN_UNREADABLE }], 'odd since it was listed')
})

test('the oracle carried on is the compiled program\'s own, and decides as it does', {
  skip: !existsSync(RECORDING) && 'the recording is not here'
}, async t => {
  const recording = JSON.parse(readFileSync(RECORDING, 'utf8'))
  const read = (data: Buffer): Parameters<typeof carried>[0] => ({
    oracle: {
      aggregator: u128(data, 130),
      updatedAt: Number(u64(data, 146)),
      createdAt: Number(u64(data, 154)),
      lastObservation: u128(data, 178),
      maxChange: u128(data, 194),
      startDelay: data.readUInt32LE(226)
    },
    reserves: { quote: u64(data, 230), base: u64(data, 238) }
  })
  let before: ReturnType<typeof read> | undefined
  let compared = 0
  for (const { meta } of recording.transactions) {
    for (const { data, accounts } of meta.innerInstructions.flatMap((inner: any) => inner.instructions)) {
      if (accounts.length !== 1) continue
      const event = fromBase58(data)
      const after = read(event)
      if (before !== undefined) {
        t.same(carried(before, Number(u64(event, 24))), after.oracle, { diagnostic: false })
        compared++
      }
      before = after
    }
  }
  t.equal(compared, 91)
  t.equal(twapOf({ ...before!.oracle, updatedAt: before!.oracle.createdAt }), null)
  t.same([thresholdOf(1_000_001n, 300), thresholdOf(1_000_001n, -300)], [1_030_001n, 970_000n])
  const market = marketOf({
    oracle: {
      aggregator: 0n,
      updated: 100,
      created: 100,
      lastPrice: 0n,
      lastObservation: 5n,
      maxChange: 1n,
      initial: 5n,
      startDelay: 50
    },
    quote: 9n,
    base: 10n ** 12n,
    quoteFees: 0n,
    baseFees: 0n
  })
  t.match(
    carried(market, 170),
    { aggregator: 5n * 20n, lastObservation: 6n },
    'nothing is weighed before the delay has passed'
  )
})
