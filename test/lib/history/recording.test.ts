import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { test } from 'tap'
import type { HistoryReader } from '../../../lib/chain/transactions.js'
import type { RawTransaction } from '../../../lib/chain/types.js'
import { add, compare, parseDecimal, ratio, subtract, ZERO } from '../../../lib/decimal.js'
import type { LogEvent } from '../../../lib/history/log-events.js'
import { createHistory } from '../../../lib/history/history.js'
import { openSqliteStore } from '../../../lib/history/store/sqlite.js'
import { readEvents } from '../../../lib/protocol/events.js'
import { blockEvent } from '../../../lib/responses/forms/block-range.js'
import { ageTime, atMoment } from '../../support/age-time.js'
import { realClock } from '../../support/history/clock.js'
import { until } from '../../support/history/history.js'

const PROGRAM = 'FUTARELBfJfQ8RDGhg1wdhddq1odMAJUePHFuBYfUxKq'
const AUTHORITY = 'DGEympSS4qLvdr9r3uGHTfACdN8snShk4iGdJtZPxuBC'
const RECORDING = resolve('../shared/fixtures/program-recording.json')

test('the program\'s own output: 92 swaps, sums of their inputs and outputs, and the rate that it charges', {
  skip: !existsSync(RECORDING) && 'the recording is not here'
}, async t => {
  const recorded = JSON.parse(readFileSync(RECORDING, 'utf8')) as { transactions: RawTransaction[] }
  // as a node gives it: the recording has whole transactions, and not their blocks
  const transactions = recorded.transactions.map(
    (tx, at, { [at - 1]: before }) => ({ ...tx, transactionIndex: tx.slot === before?.slot ? at : 0 })
  )
  const newest = [...transactions].reverse()
  const events = transactions.flatMap(tx => readEvents(tx, PROGRAM, AUTHORITY))
  const [dao, time] = [events[0]!.dao!, events.at(-1)!.at!]
  const signatureOf = (tx: RawTransaction) => tx.transaction.signatures[0]!
  const reader: HistoryReader = {
    signatures: async (_, { before, limit = 1000 }) => {
      const from = before === undefined ? 0 : newest.findIndex(tx => signatureOf(tx) === before.signature) + 1
      return newest.slice(from, from + limit)
        .map(tx => ({
          signature: signatureOf(tx),
          slot: tx.slot,
          failed: tx.meta.err !== null,
          blockTime: tx.blockTime,
          transactionIndex: null
        }))
    },
    transactions: async signatures => signatures.map(
      signature => newest.find(tx => signatureOf(tx) === signature) ?? null
    ),
    bulk: async () => undefined,
    blockSignatures: async () => null,
    head: async () => atMoment(newest[0]!.slot, null, { time }),
    firstAvailableBlocks: async () => [],
    blockTime: async () => null,
    genesisHash: async () => '11111111111111111111111111111111'
  }
  const logged: LogEvent[] = []
  const store = await openSqliteStore({ folder: t.testdir(), program: PROGRAM })
  const history = createHistory({
    reader,
    store,
    program: PROGRAM,
    daos: async () => ({
      slot: newest[0]!.slot,
      time: newest[0]!.blockTime!,
      daos: [{ address: dao, seqNum: events.at(-1)!.seq! }]
    }),
    rate: parseDecimal('0.0025')!,
    basis: 'input',
    clock: realClock(() => time * 1000),
    time: ageTime(() => time * 1000),
    onLog: event => { logged.push(event) }
  })
  t.teardown(async () => { await history.stop(); await store.close() })
  history.start()
  await until(() => history.status().complete)
  t.match(history.status(), { events: 92, swaps: 92, missingTransactions: 0 })

  let [base, quote] = [0n, 0n]
  for (const { swap } of events) {
    quote += swap!.side === 'buy' ? swap!.input : swap!.output
    base += swap!.side === 'buy' ? swap!.output : swap!.input
  }
  const { days } = (await history.daily()).get(dao)!
  const total = (leg: 'base' | 'quote') => [...days.values()].reduce((sum, day) => add(sum, day[leg]), ZERO)
  t.equal([...days.values()].reduce((sum, { trades }) => sum + trades, 0), 92)
  t.equal(compare(total('quote'), ratio(quote)), 0)
  t.equal(compare(total('base'), ratio(base)), 0)
  t.same(history.status().rateDisagreements.map(({ bps }) => bps), ['50'])
  t.match(logged.filter(({ code }) => code === 'fee-rate'), [{
    level: 'warn',
    message: /observed protocol fee rate 0\.005 differs from PROTOCOL_FEE_RATE 0\.0025: set PROTOCOL_FEE_RATE=0\.005/
  }])

  await t.test(
    'as block ranges tell them: each event\'s reserves follow from those before it, to the raw unit',
    async t => {
      const stored = await store.poolEvents({ from: 0, to: newest[0]!.slot, limit: 1000 })
      const [base, quote] = [
        'METAwkXcqyXKy1AtsSgJ8JiUHwGCafnZL38n3vYmeta', 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'
      ]
      const told = stored.map(
        event => blockEvent(event, { baseMint: base!, quoteMint: quote!, baseDecimals: 6, quoteDecimals: 6 })!
      )
      t.equal(told.length, 92)
      const raw = (text: string): bigint => {
        const { n, d } = parseDecimal(text)!
        return n * 1_000_000n / d
      }
      let fees = 0
      for (const [at, event] of told.entries()) {
        const before = told[at - 1]?.reserves
        if (event.eventType !== 'swap' || event.metadata === undefined || before === undefined) continue
        const fee = raw(event.metadata.protocolFee)
        const [inward, outward] = 'asset0In' in event
          ? [event.asset0In, event.asset1Out]
          : [event.asset1In, event.asset0Out]
        const [paid, received] = 'asset0In' in event ? ['asset0', 'asset1'] as const : ['asset1', 'asset0'] as const
        t.equal(raw(event.reserves![paid]), raw(before[paid]) + raw(inward) - fee, `event ${at}`)
        t.equal(raw(event.reserves![received]), raw(before[received]) - raw(outward), `event ${at}`)
        t.equal(event.maker, events[at]!.user)
        fees++
      }
      t.equal(fees, 91, 'of the first alone nothing stands before it')
      const places = told.map(({ block, txnIndex, eventIndex }) => [block.blockNumber, txnIndex, eventIndex])
      t.ok(
        places.every((place, at) => at === 0 || place.findIndex((value, i) => value !== places[at - 1]![i]) !== -1),
        'no two at one place'
      )
    }
  )

  await t.test('at the rate that is charged, all agree, and by `fees` each swap counts fee / rate', async t => {
    await history.stop()
    const right = createHistory({
      reader,
      store,
      program: PROGRAM,
      rate: parseDecimal('0.005')!,
      basis: 'fees',
      clock: realClock(() => time * 1000),
      time: ageTime(() => time * 1000),
      daos: async () => ({ slot: newest[0]!.slot, time: newest[0]!.blockTime!, daos: [] }),
      onLog: event => { logged.push(event) }
    })
    t.teardown(() => right.stop())
    right.start()
    await until(() => right.status().headSlot !== null)
    t.same(right.status().rateDisagreements, [])
    let sum = ZERO
    for (const { swap } of events) {
      const notional = (swap!.input - swap!.input * 9950n / 10_000n) * 200n
      sum = add(sum, swap!.side === 'buy' ? ratio(notional) : ratio(notional * swap!.output, swap!.input))
    }
    const counted = [...(await right.daily()).get(dao)!.days.values()].reduce((sum, { quote }) => add(sum, quote), ZERO)
    const apart = subtract(counted, sum)
    t.ok(compare({ n: apart.n < 0n ? -apart.n : apart.n, d: apart.d }, ratio(1n, 10n ** 18n)) < 0)
    t.ok(logged.some(({ code }) => code === 'rebuilt'))
  })
})
