import { test } from 'tap'
import { type Rational, ratio } from '../../../lib/decimal.js'
import { premiumOf, treasuryFigures, type TreasuryParts } from '../../../lib/market/treasury.js'

const [OWN, DOLLAR, OTHER, NOTHING] = ['own', 'dollar', 'other', 'nothing']
const WORTH: Record<string, Rational> = { [DOLLAR]: ratio(1n), [OTHER]: ratio(2n) }

const POOL = {
  baseMint: OWN, quoteMint: DOLLAR, baseDecimals: 6, quoteDecimals: 6, baseReserves: 5n, quoteReserves: 10n
}

/** 1,000 dollars and 5 tokens of 2 dollars; 130 of its own circulate, of which it holds 10 and its position 20. */
const parts = (changes: Partial<TreasuryParts> = {}): TreasuryParts => ({
  tokens: [
    { mint: OWN, amount: 10_000_000n, decimals: 6 },
    { mint: DOLLAR, amount: 1_000_000_000n, decimals: 6 },
    { mint: OTHER, amount: 500n, decimals: 2 },
    { mint: NOTHING, amount: 7n, decimals: 0 }
  ],
  pool: POOL,
  positions: [{ base: 15_000_000n, quote: 60_000_000n }, { base: 5_000_000n, quote: 40_000_000n }],
  circulating: 130_000_000n,
  monthlyLimit: 50_000_000n,
  usdMints: new Set([DOLLAR]),
  usd: mint => WORTH[mint],
  ...changes
})
const premiumIn = ({ priceUsd, navPerToken }: ReturnType<typeof treasuryFigures>) => premiumOf(priceUsd, navPerToken)
const equals = (value: Rational | null, n: bigint, d = 1n): boolean => value !== null && value.n * d === n * value.d

test('what is held outside of its own token, and own liquidity’s quote side, per token that others hold', async t => {
  const figures = treasuryFigures(parts())
  t.ok(equals(figures.dollars, 1_000n))
  t.equal(figures.ownTokens, 10_000_000n)
  t.ok(equals(figures.nav, 1_000n + 10n + 100n))
  t.ok(equals(figures.navPerToken, 1_110n, 100n), 'by 130 − 10 − 20')
  t.ok(equals(figures.priceUsd, 2n))
  t.ok(equals(premiumIn(figures), 200n - 1_110n, 1_110n))
  t.ok(equals(figures.runwayMonths, 20n))
})

test('a quote token of another value counts by it', async t => {
  const figures = treasuryFigures(parts({ pool: { ...POOL, quoteMint: OTHER } }))
  t.ok(equals(figures.nav, 1_000n + 10n + 200n))
  t.ok(equals(figures.priceUsd, 4n))
  t.ok(equals(figures.runwayMonths, 10n))
})

test('without a value of the quote token nothing is known that needs it', async t => {
  const pool = { ...POOL, quoteMint: NOTHING, quoteDecimals: 0 }
  t.strictSame(
    treasuryFigures(parts({ pool })),
    { ...treasuryFigures(parts()), nav: null, navPerToken: null, priceUsd: null, runwayMonths: null }
  )
  const bare = treasuryFigures(parts({ pool, positions: [] }))
  t.ok(equals(bare.nav, 1_010n), 'no liquidity of its own: none has to be valued')
  t.ok(equals(bare.navPerToken, 1_010n, 120n))
})

test('what there is none of is null, not zero', async t => {
  t.equal(treasuryFigures(parts({ circulating: 30_000_000n })).navPerToken, null, 'nobody else holds any')
  for (const side of ['baseReserves', 'quoteReserves']) {
    t.equal(premiumIn(treasuryFigures(parts({ pool: { ...POOL, [side]: 0n } }))), null)
  }
  t.equal(treasuryFigures(parts({ monthlyLimit: null })).runwayMonths, null)
  t.equal(treasuryFigures(parts({ monthlyLimit: 0n })).runwayMonths, null)
  const empty = treasuryFigures(parts({ tokens: [], positions: [] }))
  t.ok(equals(empty.nav, 0n))
  t.ok(equals(empty.navPerToken, 0n))
  t.equal(premiumIn(empty), null, 'of nothing')
})
