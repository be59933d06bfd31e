import { test } from 'tap'
import { ratio } from '../../../lib/decimal.js'
import { createKeptSums, dayOf, type Days, scalePrice, scaleUnits, type SettledDao } from '../../../lib/market/kept-sums.js'

const none = () => undefined
const FIRST = dayOf('2026-01-01')
/** Raw quote units and swaps on days after 2026-01-01. */
const days = (traded: Record<number, [units: bigint, trades: number]>): Days => new Map(Object.entries(traded).map(([day, [units, trades]]) =>
  [new Date((FIRST + Number(day)) * 86_400_000).toISOString().slice(0, 10), { quote: ratio(units), trades }]))
const dao = (address: string, quoteMint: string, settled: Days, baseMint = `token of ${address}`): SettledDao => ({ address, baseMint, quoteMint, settled })
const PRICES = new Map([['USDC', scalePrice(ratio(1n))], ['EURO', scalePrice(ratio(2n))]])
const usd = (units: bigint): bigint => scaleUnits(ratio(units)) * scalePrice(ratio(1n))

async function summed (...daos: SettledDao[]) {
  const sums = createKeptSums()
  await sums.update(daos, none)
  return sums
}

test('days are summed over DAOs and quote tokens, from the first that was traded on to the last', async t => {
  const sums = await summed(dao('A', 'USDC', days({ 1: [5n, 2], 4: [7n, 1] })), dao('B', 'EURO', days({ 2: [10n, 3] })), dao('C', 'FAKE', days({ 0: [100n, 9] })))
  t.same(sums.range(), { first: FIRST, last: FIRST + 4 })
  t.same(await sums.usdByDay(PRICES, none), [0n, usd(5n), usd(20n), 0n, usd(7n)])
  t.same([0, 1, 2, 3, 4, 5].map(day => sums.tradesOn(FIRST + day)), [9, 2, 3, 0, 1, 0])
  t.same([...sums.usdByToken(PRICES)], [['token of A', usd(12n)], ['token of B', usd(20n)]], 'what has no price has no sum')
})

test('a token that is traded for several quote tokens has the sum of all', async t => {
  const sums = await summed(dao('A', 'USDC', days({ 1: [5n, 1] }), 'T'), dao('B', 'EURO', days({ 1: [5n, 1] }), 'T'), dao('C', 'USDC', days({ 2: [1n, 1] }), 'T'))
  t.same([...sums.usdByToken(PRICES)], [['T', usd(16n)]])
})

test('the least amount there is counts', async t => {
  const least: Days = new Map([['2026-01-01', { quote: ratio(1n, 10n ** 12n), trades: 1 }]])
  t.same(await (await summed(dao('A', 'USDC', least))).usdByDay(PRICES, none), [scalePrice(ratio(1n))])
  const lowest = new Map([['USDC', 1n]])
  const sums = await summed(dao('A', 'USDC', least))
  for (let again = 0; again < 2; again++) t.same(await sums.usdByDay(lowest, none), [1n])
  await sums.update([dao('A', 'USDC', days({ 0: [1n, 1] }))], none)
  t.same(await sums.usdByDay(lowest, none), [10n ** 12n])
})

test('nothing traded: no range, no days, no tokens', async t => {
  const sums = await summed(dao('A', 'USDC', days({})))
  t.same([sums.range(), await sums.usdByDay(PRICES, none), [...sums.usdByToken(PRICES)]], [undefined, [], []])
})

test('without news the rows are the same array, and no change is counted; with news they are others', async t => {
  const list = [dao('A', 'USDC', days({ 1: [5n, 1] })), dao('B', 'FAKE', days({ 1: [5n, 1] }))]
  const sums = await summed(...list)
  const rows = await sums.usdByDay(PRICES, none)
  const { version } = sums
  let pauses = 0
  await sums.update(list, () => { pauses++; return undefined })
  t.equal(await sums.usdByDay(new Map(PRICES), () => { pauses++; return undefined }), rows)
  t.same([sums.version, pauses], [version, 0], 'and nothing is worked out')

  t.same(await sums.usdByDay(new Map([['USDC', scalePrice(ratio(3n))]]), none), [usd(15n)], 'another price')
  t.same(await sums.usdByDay(new Map(), none), [0n], 'no price any more')
  t.same(await sums.usdByDay(PRICES, none), rows, 'the first again')
  await sums.update([list[0]!, dao('B', 'FAKE', days({ 1: [5n, 2] }))], none)
  t.ok(sums.version > version, 'trades without a price count as a change')
  t.equal(sums.tradesOn(FIRST + 1), 3)
  await sums.update([list[0]!, dao('B', 'FAKE', days({ 1: [5n, 2], 3: [1n, 1] }))], none)
  t.same(await sums.usdByDay(PRICES, none), [usd(5n), 0n, 0n], 'and make the days longer')
})

test('a DAO that leaves, comes, moves to other tokens or trades on earlier and later days: the sums are those made anew', async t => {
  const a = dao('A', 'USDC', days({ 3: [5n, 1], 5: [6n, 2] }))
  const b = dao('B', 'EURO', days({ 4: [7n, 3] }))
  const steps: SettledDao[][] = [
    [a, b],
    [a, dao('B', 'USDC', b.settled)],
    [a, b],
    [b],
    [],
    [a],
    [a, dao('B', 'USDC', b.settled)],
    [a, dao('B', 'USDC', b.settled, 'other')],
    [dao('A', 'USDC', new Map([...a.settled, ...days({ 1: [9n, 1] })])), b],
    [dao('A', 'USDC', new Map([...a.settled, ...days({ 9: [9n, 1] })])), b],
    [dao('A', 'USDC', days({ 3: [5n, 1], 5: [8n, 3] })), b],
    [dao('A', 'USDC', days({ 4: [1n, 1] })), b]
  ]
  const kept = createKeptSums()
  for (const [at, step] of steps.entries()) {
    let [pauses, waited] = [0, 0]
    const pause = () => {
      pauses++
      return new Promise<void>(resolve => setImmediate(() => {
        waited++
        resolve()
      }))
    }
    const before = kept.version
    await kept.update(step, pause)
    t.equal(waited, pauses, 'the event loop has its turn')
    t.equal(pauses > 0, kept.version > before, `step ${at}: one pause for each DAO that has news`)
    const anew = await summed(...step)
    t.same(await kept.usdByDay(PRICES, pause), await anew.usdByDay(PRICES, none), `step ${at}: days`)
    t.equal(waited, pauses, 'the event loop has its turn')
    t.same([...kept.usdByToken(PRICES)].sort(), [...anew.usdByToken(PRICES)].sort(), `step ${at}: tokens`)
    t.same(kept.range(), anew.range(), `step ${at}: range`)
    for (let day = 0; day < 10; day++) t.equal(kept.tradesOn(FIRST + day), anew.tradesOn(FIRST + day), `step ${at}: trades of day ${day}`)
  }
})

test('amounts of a day and prices up to the bound are added exactly; beyond it they are refused, never wrapped into the next day', async t => {
  const UNIT = 10n ** 12n
  const most = ratio((1n << 136n) - 1n, UNIT)
  const full: Days = new Map(['2026-01-01', '2026-01-02'].map(day => [day, { quote: most, trades: 1 }]))
  const dear = (1n << 164n) - 1n
  const product = ((1n << 136n) - 1n) * dear
  t.same(await (await summed(dao('A', 'USDC', full))).usdByDay(new Map([['USDC', dear]]), none), [product, product])
  await t.rejects((await summed(dao('A', 'USDC', full))).usdByDay(new Map([['USDC', dear + 1n]]), none), { name: 'RangeError', message: /beyond any/ })
  const over: Days = new Map([['2026-01-01', { quote: ratio(1n << 136n, UNIT), trades: 1 }]])
  await t.rejects((await summed(dao('A', 'USDC', over))).usdByDay(PRICES, none), { name: 'RangeError', message: /any day can trade/ })
})
