import fc from 'fast-check'
import { test } from 'tap'
import { multiply, ratio } from '../../../lib/decimal.js'
import { type ClosedPool, closingDays } from '../../../lib/market/liquidity.js'
import { DAY } from '../../../lib/time.js'

const DAYS = 12
const worth = (mint: string) => mint === 'none' ? undefined : ratio(BigInt(mint))

test('each day ends with what the last event before its end left, of the pools of which that is known', async t => {
  const event = fc.record(
    { at: fc.integer({ min: 0, max: DAYS * DAY - 1 }), quote: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }) }
  )
  const pool = fc.record({
    quoteMint: fc.constantFrom('1', '3', 'none'),
    events: fc.uniqueArray(event, { selector: ({ at }) => at, maxLength: 20 }),
    wholeAfter: fc.oneof(fc.constantFrom(-Infinity, undefined), fc.integer({ min: -1, max: DAYS * DAY })),
    createdAt: fc.integer({ min: 0, max: DAYS * DAY })
  })
  fc.assert(fc.property(
    fc.array(pool, { maxLength: 5 }),
    fc.integer({ min: 0, max: DAYS }),
    fc.integer({ min: 0, max: DAYS }),
    (given, first, last) => {
      const pools = given.map(({ events, ...rest }): ClosedPool => {
        const closes = new Map<number, typeof events[number]>()
        for (const one of [...events].sort((a, b) => a.at - b.at)) closes.set(Math.floor(one.at / DAY), one)
        return { ...rest, closes }
      })
      const rows = closingDays(pools, worth, { first, last })
      for (const { day, usd, known, unknown } of rows) {
        let [sum, counted, missing] = [0n, 0, 0]
        for (const { quoteMint, events, wholeAfter, createdAt } of given) {
          if (quoteMint === 'none') continue
          const end = (day + 1) * DAY
          const before = events.filter(({ at }) => at < end).sort((a, b) => b.at - a.at)[0]
          const isKnown = wholeAfter !== undefined &&
          (wholeAfter === -Infinity || (before !== undefined && before.at > wholeAfter))
          if (!isKnown) missing += createdAt < end ? 1 : 0
          else if (before !== undefined) {
            counted++
            sum += 2n * before.quote * BigInt(quoteMint)
          }
        }
        if (known !== counted || unknown !== missing || usd.n !== sum * usd.d) return false
      }
      const begun = given.filter(({ quoteMint }) => quoteMint !== 'none').flatMap(
        ({ events }) => events.map(({ at }) => Math.floor(at / DAY))
      )
      const from = Math.max(first, Math.min(...begun, Infinity))
      return rows.map(({ day }) => day).join() === Array.from(
        { length: Math.max(0, from > last ? 0 : last - from + 1) }, (_, i) => from + i
      ).join()
    }
  ), { numRuns: 500 })
  t.same(closingDays([], worth, { first: -Infinity, last: 9 }), [])
  const [row] = closingDays(
    [{ quoteMint: '3', createdAt: 0, wholeAfter: -Infinity, closes: new Map([[4, { at: 4 * DAY, quote: 5n }]]) }],
    worth,
    { first: -Infinity, last: 4 }
  )
  t.same(row?.usd.n, multiply(ratio(30n), ratio(row!.usd.d)).n, 'both sides, in USD')
})
