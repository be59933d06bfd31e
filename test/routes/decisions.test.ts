import { test } from 'tap'
import { formatUnits } from '../../lib/decimal.js'
import type { DaoRecord } from '../../schemas/dao.js'
import type { AggregateFees } from '../../schemas/aggregate.js'
import type { Candles, Trades } from '../../schemas/traded.js'
import type { ProposalRecord, Proposals } from '../../schemas/proposals.js'
import type { Dao, Ledger } from '../../simulator/index.js'
import { clonePool, twap, updateTwap } from '../../simulator/arithmetic.js'
import { createRandom, type Random } from '../../simulator/random.js'
import { build, historyComplete, settings, startChain } from '../helper.js'
import { getterOf } from '../support/answers.js'
import { INVALID_PROPOSAL } from '../../schemas/errors.js'

interface Swap {
  market: 'pass' | 'fail'
  side: 'buy' | 'sell'
  input: bigint
  output: bigint
  seq: number
  slot: number
  time: number
  signature: string
  reserves: { quote: bigint, base: bigint }
}
/** What the ledger itself has counted of a proposal. */
interface Own {
  dao: Dao
  proposal: string
  created: number
  ended: number | null
  isSponsored: boolean
  averages: Record<'pass' | 'fail' | 'threshold', bigint> | null
  swaps: Swap[]
}

/**
 * Random decisions of a few DAOs, the last of each still live; and what came to fees beside the swaps, in raw units.
 */
function decide (ledger: Ledger, random: Random) {
  const config = {
    secondsPerProposal: 3000,
    twapStartDelay: 60,
    passThresholdBps: 300,
    twapInitial: 10n ** 11n,
    twapMaxChange: 10n ** 10n
  }
  const daos = ([['F0', 6], ['F1', 9], ['F2', 6], ['F3', 0]] as const).map(([layout, decimals]) => ledger.dao({
    base: ledger.mint({ decimals }),
    quote: ledger.usdc(),
    baseReserves: 2n * 10n ** 12n,
    quoteReserves: 2n * 10n ** 11n,
    layout,
    config
  }))
  const owns: Own[] = []
  const fees = { conditional: 0, external: 0 }
  const worth = ({ quote, base }: { quote: bigint, base: bigint }, { reserves }: Dao) =>
    (Number(quote) + Number(base) * Number(reserves.quote) / Number(reserves.base)) / 1e6
  for (let round = 0; round < 5; round++) {
    for (const dao of daos) {
      ledger.advance(random.int(90_000))
      dao.initializeProposal()
      const own: Own = {
        dao,
        proposal: dao.proposal!.address,
        created: ledger.time,
        ended: null,
        isSponsored: false,
        averages: null,
        swaps: []
      }
      owns.push(own)
      if (random.int(6) === 0 && round < 4) {
        ledger.advance(50)
        dao.removeProposal()
        own.ended = ledger.time
        continue
      }
      if (random.int(2) === 0) dao.stake(1000n)
      own.isSponsored = dao.identity.layout !== 'F0' && random.int(2) === 0
      if (own.isSponsored) dao.sponsor()
      dao.launchProposal()
      for (let i = random.int(30); i > 0; i--) {
        ledger.advance(random.int(400))
        const [market, side] = [random.int(2) === 0 ? 'pass' : 'fail', random.int(2) === 0 ? 'buy' : 'sell'] as const
        const input = random.int(8) === 0 ? 1n : random.amount(1n, 10n ** 10n)
        if (random.int(3) === 0) dao.swap(side, input)
        else {
          const done = dao.conditionalSwap(market, side, input)
          const { quote, base } = dao.state.pools[market]!
          own.swaps.push({ ...done, market, side, reserves: { quote, base } })
        }
      }
      // the decision counts at the price that it leaves
      if (round === 4) continue
      const isCancelled = random.int(4) === 0
      const { time, fees: won, averages } = isCancelled
        ? { ...dao.cancelProposal(), averages: null }
        : dao.finalizeProposal({ passed: random.int(2) === 0 })
      own.ended = time
      own.averages = averages
      fees.conditional += worth(won, dao)
      if (random.int(2) === 0) {
        fees.external += worth(dao.collectExternalFees(random.amount(1n, 10n ** 9n), random.amount(0n, 10n ** 9n)), dao)
      }
      // of tokens that are not the DAO's own
      if (random.int(2) === 0) {
        dao.collectExternalFees(10n ** 15n, 10n ** 15n, { base: dao.base.address, quote: ledger.mint().address })
      }
      if (random.int(2) === 0) dao.collectFees()
    }
  }
  ledger.advance(20)
  return { daos, owns, fees }
}

const time = (seconds: number | null) => seconds === null ? null : new Date(seconds * 1000).toISOString()
const isClose = (text: string | null, value: number) => text !== null && Math.abs(Number(text) / value - 1) < 1e-9
const legs = ({ side, input, output }: Swap) => side === 'buy'
  ? { quote: input, base: output }
  : { quote: output, base: input }
const sum = (values: bigint[]) => values.reduce((sum, value) => sum + value, 0n)

for (const seed of [1, 2]) {
  test(`what is told of decisions is what the ledger has counted, seed ${seed}`, async t => {
    const { ledger, node } = await startChain(t, { seed })
    const { daos, owns, fees } = decide(ledger, createRandom(seed))
    const app = await build(
      t, { env: settings(t, node, ledger, { RATE_LIMIT_MAX: '100000' }), now: () => ledger.time * 1000, pollMs: 20 }
    )
    await historyComplete(app)
    const get = getterOf(app)
    const rows = new Map((await get<Proposals>('/api/proposals?limit=1000')).map(row => [row.proposal, row]))
    t.equal(rows.size, owns.length)
    let [priced, dust, decided, live] = [0, 0, 0, 0]
    for (const { dao, proposal, created, ended, isSponsored, averages, swaps } of owns) {
      const decimals = { base: dao.base.decimals, quote: dao.quote.decimals }
      const record = await get<ProposalRecord>(`/api/proposals/${proposal}`)
      const bps = ended !== null ? null : isSponsored ? -300 : 300
      for (const told of [rows.get(proposal), record]) {
        t.match(told, {
          created_at: time(created),
          finalized_at: time(ended),
          is_team_sponsored: isSponsored,
          pass_threshold_bps: bps
        })
      }
      t.same(rows.get(proposal)!.decision, record.decision, 'the list has it too')
      const scale = 10 ** (decimals.base - decimals.quote - 12)
      if (record.pass !== null) {
        const [pass, fail] = (['pass', 'fail'] as const).map(market => {
          const pool = clonePool(dao.state.pools[market]!)
          updateTwap(pool, Date.parse(record.as_of!) / 1000)
          return twap(pool)
        }) as [bigint, bigint]
        const threshold = fail * BigInt(10_000 + bps!) / 10_000n
        if (fail > 0n) {
          live++
          t.ok(isClose(record.threshold, Number(threshold) * scale))
          t.equal(record.leads, pass > threshold ? 'pass' : 'fail')
        }
      }
      if (averages === null) t.equal(record.decision, null)
      else {
        decided++
        t.equal(record.decision!.outcome, averages.pass > averages.threshold ? 'pass' : 'fail')
        for (const [name, value] of [
          ['pass_twap', averages.pass], ['fail_twap', averages.fail], ['threshold', averages.threshold]
        ] as const) {
          if (value > 0n) t.ok(isClose(record.decision![name], Number(value) * scale), name)
        }
      }
      for (const market of ['pass', 'fail'] as const) {
        const own = swaps.filter(swap => swap.market === market)
        if (record.pass !== null) {
          t.match(
            record[market],
            { trades: own.length, volume: formatUnits(sum(own.map(swap => legs(swap).quote)), decimals.quote) }
          )
        }
        const path = `/api/proposals/${proposal}`
        const trades: Trades = []
        for (let query = `market=${market}&limit=4`; ;) {
          const page = await get<Trades>(`${path}/trades?${query}`)
          trades.push(...page)
          if (page.length < 4) break
          query = `market=${market}&limit=4&before=${page.at(-1)!.trade_id}`
        }
        t.same(trades.map(
          ({ price: _, maker: __, timestamp: ___, block_index: ____, event_index: _____, ...rest }) => rest
        ), own.map(swap => ({
          trade_id: String(swap.seq),
          signature: swap.signature,
          slot: swap.slot,
          side: swap.side,
          base_amount: formatUnits(legs(swap).base, decimals.base),
          quote_amount: formatUnits(legs(swap).quote, decimals.quote),
          fee: null,
          base_reserve: formatUnits(swap.reserves.base, decimals.base),
          quote_reserve: formatUnits(swap.reserves.quote, decimals.quote)
        })).reverse())
        for (const [index, swap] of [...own].reverse().entries()) {
          const { price } = trades[index]!
          const { quote, base } = legs(swap)
          if (quote === 0n || base === 0n) dust++
          else priced++
          t.ok(quote === 0n || base === 0n
            ? price === null
            : isClose(price, Number(quote) / Number(base) * 10 ** (decimals.base - decimals.quote)))
        }
        if (own.length > 2) {
          const [first, last] = [own[1]!.time, own.at(-2)!.time]
          const within = await get<Trades>(`${path}/trades?market=${market}&since=${first}&until=${last}`)
          t.equal(within.length, own.filter(swap => swap.time >= first && swap.time <= last).length)
        }
        for (const [interval, width] of [['1m', 60], ['15m', 900], ['1d', 86_400]] as const) {
          const candles = await get<Candles>(`${path}/ohlcv?market=${market}&interval=${interval}&limit=1000`)
          const starts = [...new Set(own.map(({ time }) => time - time % width))]
          const expected = starts.flatMap(start => {
            const inside = own.filter(({ time }) => time - time % width === start)
            const prices = inside.map(legs).filter(({ quote, base }) => quote > 0n && base > 0n).map(
              ({ quote, base }) => Number(quote) / Number(base)
            )
            const before = own.filter(({ time }) => time < start).map(legs).filter(
              ({ quote, base }) => quote > 0n && base > 0n
            ).at(-1)
            const flat = before === undefined ? [] : [Number(before.quote) / Number(before.base)]
            const shown = (prices.length > 0 ? prices : flat).map(
              price => price * 10 ** (decimals.base - decimals.quote)
            )
            return shown.length === 0
              ? []
              : [{
                  start,
                  shown,
                  quote: sum(inside.map(swap => legs(swap).quote)),
                  base: sum(inside.map(swap => legs(swap).base)),
                  trades: inside.length
                }]
          })
          t.same(candles.map(
            ({ time, base_volume: base, target_volume: quote, trades }) => ({ time, base, quote, trades })
          ), expected.map(({ start, quote, base, trades }) =>
            ({
              time: start, base: formatUnits(base, decimals.base), quote: formatUnits(quote, decimals.quote), trades
            })))
          for (const [index, { shown }] of expected.entries()) {
            const { open, high, low, close } = candles[index]!
            t.ok(isClose(open, shown[0]!) && isClose(close, shown.at(-1)!) && isClose(high, Math.max(...shown)) &&
              isClose(low, Math.min(...shown)))
          }
          if (starts.length > 1) {
            t.same(
              await get(`${path}/ohlcv?market=${market}&interval=${interval}&limit=1`), candles.slice(-1), 'the newest'
            )
            const end = starts.at(-1)!
            const filled = await get<Candles>(
              `${path}/ohlcv?market=${market}&interval=${interval}&limit=3&empty=true&to=${end}`
            )
            t.same(filled.at(-1), candles.at(-1), 'with those that are empty')
            t.same(
              filled.slice(0, -1).filter(({ trades }) => trades > 0),
              candles.filter(({ time }) => time < end && time >= end - 2 * width)
            )
          }
        }
      }
    }
    t.ok(priced > 50 && dust > 5 && decided > 2 && live > 1, `${priced} ${dust} ${decided} ${live}`)
    for (const dao of daos) {
      const own = owns.filter(own => own.dao === dao)
      const { decisions: { proposals, live } } = await get<DaoRecord>(`/api/daos/${dao.address}`)
      t.match(proposals, { total: own.length, draft: 0, live: 1 })
      t.equal(live?.proposal, own.at(-1)!.proposal)
      t.equal(proposals.passed + proposals.failed + proposals.removed + 1, own.length)
    }
    const aggregate = await get<AggregateFees>('/api/fees/aggregate')
    t.ok(
      Math.abs(Number(aggregate.conditionalFees) - fees.conditional) < 0.011,
      `${aggregate.conditionalFees} ${fees.conditional}`
    )
    t.ok(
      Math.abs(Number(aggregate.externalPoolFees) - fees.external) < 0.011,
      `${aggregate.externalPoolFees} ${fees.external}`
    )
    t.ok(fees.conditional > 1 && fees.external > 1)

    const says = async (url: string, status: number, error: string) => {
      const answer = await app.inject(url)
      t.same([answer.statusCode, answer.json()], [status, { error }])
    }
    const [{ proposal }, { address }] = [owns[0]!, ledger.mint()]
    for (const path of ['trades', 'ohlcv']) {
      await says(`/api/proposals/${proposal}/${path}`, 400, 'Invalid market: one of pass, fail')
      await says(`/api/proposals/${proposal}/${path}?market=spot`, 400, 'Invalid market: one of pass, fail')
      await says(
        `/api/proposals/${proposal}/${path}?market=pass&limit=0`,
        400,
        `Invalid limit: a whole number from 1 to 1000 (rows), as ${path === 'trades' ? 100 : 300}`
      )
      await says(`/api/proposals/${address}/${path}?market=pass`, 404, `Proposal not found: ${address}`)
      await says(`/api/proposals/x/${path}?market=pass`, 400, INVALID_PROPOSAL)
    }
    await says(`/api/proposals/${proposal}/trades?market=pass&since=2&until=1`, 400, 'Invalid until: not before since')
    await says(`/api/proposals/${proposal}/ohlcv?market=pass&from=2&to=1`, 400, 'Invalid to: not before from')
    await says(`/api/proposals/${proposal}/ohlcv?market=pass&empty=yes`, 400, 'Invalid empty: one of true, false')
  })
}

test('a threshold below zero, which any average exceeds, is told with its sign', async t => {
  const { ledger, node } = await startChain(t)
  const dao = ledger.dao({
    base: ledger.mint(),
    quote: ledger.usdc(),
    baseReserves: 2n * 10n ** 12n,
    quoteReserves: 2n * 10n ** 11n,
    config: { twapStartDelay: 60, twapInitial: 10n ** 11n, twapMaxChange: 10n ** 10n, teamThresholdBps: -12_500 }
  })
  dao.initializeProposal()
  dao.sponsor()
  dao.launchProposal()
  ledger.advance(1_000)
  const app = await build(t, { env: settings(t, node, ledger), now: () => ledger.time * 1000, pollMs: 20 })
  await historyComplete(app)
  const { pass_threshold_bps: bps, fail, threshold, leads } =
    await getterOf(app)<ProposalRecord>(`/api/proposals/${dao.proposal!.address}`)
  t.equal(bps, -12_500)
  t.ok(isClose(threshold, Number(fail!.twap) * -0.25), `${threshold}`)
  t.equal(leads, 'pass')
})
