import { test } from 'tap'
import { ratio } from '../../../lib/decimal.js'
import { byDepth, type Pair, poolsByPair, ticker, type Volumes } from '../../../lib/market/ticker.js'
import { createValuation, type UsdValuation } from '../../../lib/market/usd.js'

const rules = { notional: ratio(100n), feeRate: ratio(5n, 1000n) }
const RULES = { usdMints: new Set(['USDC']), pricedBy: new Map([['EURO', 'deep']]), minDepth: ratio(1_000n) }
const pair = (address: string, quoteReserves: bigint, quoteMint = 'USDC', baseMint = 'BASE'): Pair => ({
  address,
  baseMint,
  quoteMint,
  baseReserves: 1_000_000_000n,
  quoteReserves,
  baseDecimals: 6,
  quoteDecimals: 6,
  baseSymbol: 'B',
  baseName: 'Base',
  quoteSymbol: 'Q',
  quoteName: 'Quote'
})
const nothing = { base: ratio(0n), quote: ratio(0n) }
const tickers = (
  pairs: Pair[], volumes: ReadonlyMap<string, Volumes>, usd: UsdValuation, given: typeof rules
) => byDepth(pairs, usd).map(pair => ticker(pair, volumes.get(pair.address)!, usd, given))
const valuationOf = (pairs: Pair[]) => createValuation(new Map(pairs.map(one => [one.address, one])), RULES)
const list = (pairs: Pair[]) => tickers(
  pairs, new Map(pairs.map(({ address }) => [address, nothing])), valuationOf(pairs), rules
)

test('tickers come deepest first, then by pool_id, also where several DAOs share a pair', async t => {
  const found = await list([pair('C', 5n), pair('B', 9n), pair('A', 5n)])
  t.same(found.map(({ pool_id: pool }) => pool), ['B', 'A', 'C'])
  t.equal(new Set(found.map(({ ticker_id: id }) => id)).size, 1)
  const pools = {
    A: pair('A', 5n),
    B: pair('B', 9n),
    C: pair('C', 5n),
    D: pair('D', 5n),
    E: pair('E', 7n),
    F: pair('F', 8n, 'FAKE'),
    G: pair('G', 9n, 'FAKE')
  }
  for (const order of ['ABCDEFG', 'GFEDCBA', 'DBGACFE', 'CFADGEB']) {
    const listed = await list([...order].map(name => pools[name as 'A']))
    t.equal(listed.map(({ pool_id: pool }) => pool).join(''), 'BEACDFG', `given as ${order}`)
  }
})

test(
  'a pool that stays as it was has the same ticker; what changes about it makes another, whatever was made before',
  async t => {
    const [x, euro] = [pair('X', 9_000_000n, 'EURO', 'BASE'), (quote: bigint) => pair('deep', quote, 'USDC', 'EURO')]
    const of = async (volume = 0n, euroReserves = 2_000_000_000n, given = rules, pool = x) => {
      const pairs = [pool, euro(euroReserves)]
      const volumes = new Map(pairs.map(({ address }) => [address, { base: ratio(volume), quote: ratio(volume, 3n) }]))
      return (await tickers(pairs, volumes, valuationOf(pairs), given)).find(({ pool_id: id }) => id === 'X')!
    }
    const first = await of()
    t.strictSame(await of(), first)
    t.strictSame(await of(7_000_000n), { ...first, base_volume: '7.00000000', target_volume: '2.33333333' })
    t.strictSame(
      await of(7_000_000n, 4_000_000_000n),
      { ...first, base_volume: '7.00000000', target_volume: '2.33333333', liquidity_in_usd: '72.00' }
    )
    t.strictSame(await of(), first, 'and back')
    const dearer = await of(0n, 2_000_000_000n, { ...rules, feeRate: ratio(1n, 100n) })
    t.equal(dearer.last_price, first.last_price)
    t.ok(Number(dearer.bid) < Number(first.bid) && Number(dearer.ask) > Number(first.ask))
    t.not((await of(0n, 2_000_000_000n, rules, pair('X', 9_000_001n, 'EURO', 'BASE'))).last_price, first.last_price)
    t.strictSame(await of(), first)
  }
)

test('spec 2.1.3: liquidity_in_usd is twice the quote reserves', async t => {
  t.equal((await list([pair('A', 1_234_567_890n)]))[0]?.liquidity_in_usd, '2469.14')
})

test(
  'a quote token that is no dollar is valued by the pool that the settings name, and only while it is deep enough',
  async t => {
    const x = pair('X', 1_000_000n, 'EURO', 'BASE')
    const liquidity = async (...pools: Pair[]) => (await list([x, ...pools])).find(
      ({ pool_id: pool }) => pool === 'X'
    )?.liquidity_in_usd
    t.equal(
      await liquidity(pair('deeper', 9_000_000_000n, 'USDC', 'EURO'), pair('deep', 2_000_000_000n, 'USDC', 'EURO')),
      '4.00',
      '2 × 1 EURO at 2 USD'
    )
    t.equal(await liquidity(pair('deep', 1_000_000_000n, 'USDC', 'EURO')), '2.00', 'just deep enough')
    t.equal(await liquidity(pair('deep', 999_999_999n, 'USDC', 'EURO')), '0.00', 'a raw unit too little')
    t.equal(await liquidity(pair('deeper', 9_000_000_000n, 'USDC', 'EURO')), '0.00', 'another pool, however deep')
    t.equal(await liquidity(pair('deep', 2_000_000_000n, 'USDC', 'OTHER')), '0.00', 'a pool of another token')
    t.equal(await liquidity(pair('deep', 2_000_000_000n, 'FAKE', 'EURO')), '0.00', 'a pool in no dollar')
    t.equal(await liquidity(pair('deep', 2_000_000_000n, 'OTHER', 'USDC')), '0.00', 'a dollar against another token')
    t.equal(
      await liquidity({ ...pair('deep', 2_000_000_000n, 'EURO', 'OTHER'), baseReserves: 10n ** 12n }),
      '0.00',
      'the token against no dollar'
    )
    t.equal(
      await liquidity({ ...pair('deep', 500_000_000n, 'EURO', 'USDC'), baseReserves: 1_000_000_000n }),
      '4.00',
      'the dollar may be its base'
    )
  }
)

test('pools whose quote token has no USD value come last, whatever they claim to hold', async t => {
  const found = await list([pair('A', 1n << 63n, 'FAKE'), pair('B', 1n, 'USDC')])
  t.same(found.map(({ pool_id: pool }) => pool), ['B', 'A'])
  t.same(
    (await byDepth([pair('A', 1n, 'FAKE'), pair('B', 0n)], valuationOf([]))).map(({ address }) => address),
    ['B', 'A'],
    'of dollars nothing at all is more'
  )
})

test('of the pools of an unpriced pair the deepest comes first, not the one of the lowest address', async t => {
  const pairs = [pair('A', 1n, 'FAKE'), pair('B', 9n, 'FAKE'), pair('C', 9n, 'FAKE')]
  t.same([...poolsByPair(pairs)], [['BASE_FAKE', ['B', 'C', 'A']]])
  const more: Record<string, Pair> = {
    A: pair('A', 1n, 'FAKE'),
    B: pair('B', 9n, 'FAKE'),
    C: pair('C', 9n, 'FAKE'),
    D: pair('D', 9n, 'FAKE'),
    E: pair('E', 5n, 'FAKE')
  }
  for (const order of ['ABCDE', 'EDCBA', 'CEABD', 'DACEB']) {
    t.same(
      [...poolsByPair([...order].map(name => more[name]!)).values()], [['B', 'C', 'D', 'E', 'A']], `given as ${order}`
    )
  }
})

test(
  'depths that differ by less than a float can tell, or are too large for one, still come in their order',
  async t => {
    const near = 10n ** 18n
    const pairs = [
      pair('A', near), pair('B', near + 1n), pair('C', near + 2n), pair('D', near + 2n), pair('E', near * 2n)
    ]
    for (const order of [pairs, pairs.toReversed()]) {
      t.equal((await list(order)).map(({ pool_id: pool }) => pool).join(''), 'ECDBA')
    }
    for (const price of [{ n: 10n ** 400n, d: 1n }, { n: 1n, d: 10n ** 400n }, { n: 10n ** 400n, d: 10n ** 399n }]) {
      const valued = (mint: string) => mint === 'USDC' ? price : undefined
      t.equal(
        (await byDepth([pair('A', 1n), pair('C', 3n), pair('B', 2n)], valued)).map(({ address }) => address).join(''),
        'CBA'
      )
    }
  }
)

test('depths in several quote tokens come in the order of their exact values', async t => {
  const odd = 2n ** 53n + 1n
  for (const [first, second] of [
    [{ n: 2n, d: 1n }, { n: 1n, d: 1_000n }],
    [{ n: 10n ** 300n, d: 10n ** 310n }, { n: 1n, d: 10n ** 20n }],
    [{ n: odd, d: 1n }, { n: 3n * odd, d: 3n }],   // the same, of which floats make two
    // as floats the other way round
    [
      { n: 10n ** 20n + 3_501n << 60n, d: 10n ** 20n - 24_507n },
      { n: 10n ** 20n + 7_002n << 60n, d: 10n ** 20n - 21_006n }
    ]
  ] as const) {
    const usd = (mint: string) => mint === 'FIRST' ? first : second
    t.same(
      (await byDepth([pair('B', 5n, 'SECOND'), pair('A', 5n, 'FIRST')], usd)).map(({ address }) => address), ['A', 'B']
    )
  }
})

test('a fake dollar makes no liquidity', async t => {
  t.equal((await list([pair('A', 10n ** 15n, 'FAKE')]))[0]?.liquidity_in_usd, '0.00')
})

test('volumes have 8 digits after the point', async t => {
  const pairs = [pair('A', 5_000_000n)]
  const volumes = new Map([['A', { base: ratio(1n, 3n), quote: ratio(2_500_000n) }]])
  const [found] = await tickers(pairs, volumes, valuationOf(pairs), rules)
  t.equal(found?.base_volume, '0.00000033')
  t.equal(found?.target_volume, '2.50000000')
})
