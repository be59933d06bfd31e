import { test, type Test } from 'tap'
import { parseDecimal, toFixed, wholeTokens, type Rational } from '../../../lib/decimal.js'
import type { History } from '../../../lib/history/history.js'
import { dayOfDate } from '../../../lib/time.js'
import type { Ledger } from '../../../simulator/index.js'
import { countOf, dateOf, groupBy, type Rule } from '../../support/history/count.js'
import { settled, watch, type Watched } from '../../support/history/history.js'
import { makeYear } from '../../support/history/year.js'

const RATES = { 25: '0.0025', 50: '0.005' }
const shown = (value: Rational) => toFixed(wholeTokens(value, 6), 8)

/** The window of all DAOs at `now` against a count of the ledger's swaps. */
async function checkWindow (t: Test, ledger: Ledger, { lastDayAt }: Watched, rule: Rule, now: number): Promise<void> {
  const volumes = await lastDayAt(now)
  t.equal(volumes.size, ledger.daos.length)
  for (const dao of ledger.daos) {
    const { base, quote, trades, complete } = volumes.get(dao.address)!
    const count = countOf(
      ledger.swaps.filter(swap => swap.dao === dao.address && swap.time > now - 86_400 && swap.time <= now), rule
    )
    t.same([shown(base), shown(quote), trades, complete], [shown(count.base), shown(count.quote), count.trades, true])
  }
}

async function checkDays (t: Test, ledger: Ledger, history: History, rule: Rule): Promise<void> {
  const daily = await history.daily()
  t.equal(daily.size, ledger.daos.length)
  for (const dao of ledger.daos) {
    const swaps = ledger.swaps.filter(swap => swap.dao === dao.address)
    const byDay = groupBy(swaps, ({ time }) => dateOf(time))
    const { days, complete } = daily.get(dao.address)!
    t.same([...days.keys()].sort((a, b) => a - b), Array.from(byDay.keys(), dayOfDate))
    t.same([complete, history.report().get(dao.address)!.missingEvents], [true, 0n])
    const wrong = [...byDay].filter(([date, swaps]) => {
      const count = countOf(swaps, rule)
      const day = days.get(dayOfDate(date))!
      return day.trades !== count.trades || shown(day.base) !== shown(count.base) ||
        shown(day.quote) !== shown(count.quote)
    })
    t.same(wrong, [])
  }
}

for (const [bps, basis] of [[25, 'input'], [50, 'input'], [25, 'fees']] as const) {
  test(`a year of trading, counted at ${bps} basis points by ${basis}`, async t => {
    const ledger = makeYear(bps, 365, 2)
    const rule: Rule = { bps: BigInt(bps), basis }
    const watched = await watch(t, ledger, { rate: parseDecimal(RATES[bps])!, basis })
    await settled(watched, ledger)
    const { history, reader, events } = watched
    const status = history.status()
    t.match(status, {
      phase: 'following',
      last24h: true,
      complete: true,
      missingEvents: 0,
      missingTransactions: 0,
      swaps: ledger.swaps.length
    })
    t.equal(status.events, ledger.daos.reduce((sum, { seqNum }) => sum + seqNum, 0))
    t.equal(new Set(reader.calls.transactions).size, reader.calls.transactions.length, 'no transaction is read twice')

    await checkDays(t, ledger, history, rule)
    await checkWindow(t, ledger, watched, rule, ledger.time)
    const daily = await history.daily()
    for (const dao of ledger.daos) {
      const first = ledger.swaps.find(swap => swap.dao === dao.address)!
      t.equal(history.report().get(dao.address)!.firstSwap, first.time)
      t.ok(daily.get(dao.address)!.launchedAt <= first.time)
    }
    const other = bps === 25 ? 50n : 25n
    const disagreeing = ledger.swaps.filter(
      ({ fee, input }) => fee !== input - input * (10_000n - rule.bps) / 10_000n
    ).length
    t.equal(status.rateDisagreements.reduce((sum, { swaps }) => sum + swaps, 0), disagreeing)
    t.ok(status.rateDisagreements.some(({ bps }) => bps === String(other)))
    t.equal(events.filter(({ code }) => code === 'fee-rate').length, 1)

    await t.test('the window moves by the second', async t => {
      const times = ledger.swaps.slice(-8).flatMap(({ time }) => [time - 1, time])
      for (const now of [...times, ...times.map(time => time + 86_399), ...times.map(time => time + 86_400)]) {
        await checkWindow(t, ledger, watched, rule, now)
      }
    })
  })
}

test('figures follow as trading goes on, and after each restart', async t => {
  const folder = t.testdir()
  const ledger = makeYear(7, 20)
  const rule: Rule = { bps: 50n, basis: 'input' }
  for (let round = 0; round < 4; round++) {
    const watched = await watch(t, ledger, { folder })
    for (let day = 0; day < 2; day++) {
      for (const dao of ledger.daos) {
        ledger.advance(5000)
        dao.swap('sell', BigInt(1000 + ledger.time % 7777))
      }
      watched.history.wake()
      await settled(watched, ledger)
      await checkWindow(t, ledger, watched, rule, ledger.time)
    }
    await checkDays(t, ledger, watched.history, rule)
    t.ok(round === 0 || watched.reader.calls.transactions.length < 40, 'a restart walks nothing twice')
    await watched.history.stop()
    await watched.store.close()
  }
})
