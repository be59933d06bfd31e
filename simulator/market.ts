/**
 * A market for demonstrations and benchmarks: many DAOs of all kinds, a history of trades, and a trader for the
 * present.
 */
import { type LaunchVersion } from './addresses.js'
import { PRICE_SCALE } from './arithmetic.js'
import { type Dao } from './dao.js'
import { FORGERIES } from './forged.js'
import { type Ledger } from './ledger.js'
import { type Random, createRandom } from './random.js'

export interface MarketOptions {
  /** At least 6: the odd ones take five places. */
  daos?: number
  /** Spot swaps, all of them genuine and successful. */
  swaps?: number
  /** Over which they are spread; the ledger's clock moves on by as many. */
  days?: number
  seed?: number
  /** Whether failed transactions and look-alikes are mixed in (one in 50, one in 500). */
  noise?: boolean
}

const NAMES = [
  'Alder', 'Birch', 'Cedar', 'Dogwood', 'Elm', 'Fir', 'Gum', 'Hazel', 'Ivy', 'Juniper', 'Kapok', 'Larch', 'Maple',
  'Nutmeg', 'Oak', 'Pine', 'Quince', 'Rowan', 'Spruce', 'Teak'
]
const VERSIONS: readonly LaunchVersion[] = ['v0.6', 'v0.7', 'v0.8']
const LAYOUTS = ['F0', 'F1', 'F2', 'F3'] as const
const DOLLAR = 1_000_000n

/** Where the averages of a proposal's markets begin, and how far an observation may move, as the launchpad has them. */
const oracleAt = (price: bigint) => ({ twapInitial: price, twapMaxChange: price / 20n })

export function buildMarket (
  ledger: Ledger,
  { daos: count = 20, swaps = 1000, days = 2, seed = 7, noise = true }: MarketOptions
) {
  const random = createRandom(seed)
  const name = (index: number) => {
    const round = Math.floor(index / NAMES.length)
    const text = NAMES[index % NAMES.length]!
    return round === 0
      ? { name: text, symbol: text.slice(0, 5).toUpperCase() }
      : { name: `${text} ${round}`, symbol: `${text.slice(0, 4).toUpperCase()}${round}` }
  }

  function ordinary (index: number): Dao {
    if (index % 3 === 2) {
      const version = VERSIONS[Math.floor(index / 3) % 3]!
      const launch = ledger.launch({
        version,
        mint: name(index),
        raise: random.amount(50_000n * DOLLAR, 8_000_000n * DOLLAR),
        packageAmount: random.amount(10n, 12_900_000_000_000n),
        additional: index % 2 === 0 ? 5_000_000_000_000n : 0n,
        spendingMembers: index % 4,
        layout: LAYOUTS[index % 4]!
      })
      const dao = launch.complete()
      if (version === 'v0.7' && index % 2 === 1) launch.initializePackage()
      return dao
    }
    const decimals = index % 10
    const quoteReserves = random.amount(1_000n * DOLLAR, 5_000_000n * DOLLAR)
    // Between a hundredth and a hundred dollars a token.
    const wanted = quoteReserves * 10n ** BigInt(decimals) / random.amount(DOLLAR / 100n, DOLLAR * 100n)
    // Fewer units than this, and rounding would eat every small trade.
    const baseReserves = wanted < 10n ** 9n ? 10n ** 9n + wanted : wanted
    const base = ledger.mint({ ...name(index), decimals, supply: baseReserves * 10n })
    return ledger.dao({
      base,
      quote: ledger.usdc(),
      baseReserves,
      quoteReserves,
      layout: LAYOUTS[index % 4]!,
      spendingMembers: index % 11,
      config: oracleAt(quoteReserves * PRICE_SCALE / baseReserves)
    })
  }

  const daos: Dao[] = []
  while (daos.length < Math.max(count, 6) - 4) daos.push(ordinary(daos.length))
  const usdc = ledger.usdc()
  /** Worthless and known to be: what an operator would exclude. */
  const spam = ledger.dao(
    { base: daos[0]!.base, quote: usdc, baseReserves: 1_000_000n, quoteReserves: 3n * DOLLAR }
  )
  const fake = ledger.mint({ symbol: 'USDC', name: 'USD Coin', decimals: 6, supply: 10n ** 18n })
  /** Quoted in a token that only calls itself a dollar. */
  const fakeDollar = ledger.dao({
    base: ledger.mint({ symbol: 'FAKE', decimals: 6 }),
    quote: fake,
    baseReserves: 10n ** 12n,
    quoteReserves: 10n ** 17n
  })
  const empty = ledger.dao({ base: ledger.mint({ symbol: 'NULL', decimals: 9 }), quote: usdc })
  /** Reserves above 2^53. */
  const huge = ledger.dao({
    base: ledger.mint({ symbol: 'HUGE', decimals: 9, supply: 18_000_000_000_000_000_000n }),
    quote: usdc,
    baseReserves: 10_000_000_000_000_000_000n,
    quoteReserves: 3_000_000n * DOLLAR
  })
  daos.push(spam, fakeDollar, empty, huge)
  /** Its proposal is live. */
  const deciding = daos[1]!

  const trading = daos.filter(dao => dao !== empty)
  const milliseconds = days * 86_400_000
  let passed = 0
  for (let done = 0; done < swaps; done++) {
    const now = Math.floor(milliseconds * (done + 1) / (swaps + 1))
    ledger.advance((now - passed) / 1000)
    passed = now
    const part = done / swaps
    if (done === Math.floor(swaps * 0.3)) daos[0]!.launchProposal()
    if (done === Math.floor(swaps * 0.7)) daos[0]!.finalizeProposal()
    if (part >= 0.9 && !deciding.proposalLive) deciding.launchProposal()
    const dao = trading[Math.floor(random.next() ** 2 * trading.length)]!
    if (noise && random.int(50) === 0) swapOnce(dao, random, { failed: true })
    if (noise && random.int(500) === 0) ledger.forgedEvent(dao, FORGERIES[random.int(FORGERIES.length)]!)
    if (dao.proposalLive && random.int(4) === 0) conditionalOnce(dao, random)
    if (!dao.proposalLive && random.int(400) === 0) dao.collectFees()
    swapOnce(dao, random, random.int(10) === 0 ? { via: 'aggregator' } : {})
  }
  if (!deciding.proposalLive) deciding.launchProposal()
  ledger.advance((milliseconds - passed) / 1000)
  return { daos, spam, fakeDollar, empty, huge, deciding, swaps }
}

/**
 * One trade now, in one of `daos`: a spot swap, or one on a live proposal's pools. Returns null where no DAO has
 * liquidity.
 */
export function trade (ledger: Ledger, random: Random = ledger.random, daos: readonly Dao[] = ledger.daos) {
  const trading = daos.filter(dao => dao.reserves.base > 0n && dao.reserves.quote > 0n)
  if (trading.length === 0) return null
  const dao = trading[Math.floor(random.next() ** 2 * trading.length)]!
  if (dao.proposalLive && random.int(4) === 0) return { dao, ...conditionalOnce(dao, random) }
  const swap = swapOnce(dao, random, random.int(10) === 0 ? { via: 'aggregator' } : {})
  return { ...swap, dao }
}

/** From a hundred-thousandth to a hundredth of what the pool holds. */
function amountOf (reserve: bigint, random: Random): bigint {
  const amount = random.amount(reserve / 100_000n, reserve / 100n)
  return amount > 0n ? amount : 1n
}

const openings = new WeakMap<Dao, bigint>()

function swapOnce (dao: Dao, random: Random, options: { via?: 'aggregator', failed?: boolean }) {
  const { base, quote } = dao.reserves
  const price = quote * 10n ** 24n / base
  const opening = openings.get(dao) ?? price
  openings.set(dao, opening)
  // More buying while it is cheap and more selling while it is dear, so that no pool runs away in a million trades.
  const side = random.next() < (price < opening ? 0.55 : 0.45) ? 'buy' : 'sell'
  return dao.swap(side, amountOf(side === 'buy' ? quote : base, random), options)
}

function conditionalOnce (dao: Dao, random: Random) {
  const market = random.int(2) === 0 ? 'pass' : 'fail'
  const pool = dao.state.pools[market]!
  const side = random.int(2) === 0 ? 'buy' : 'sell'
  return dao.conditionalSwap(market, side, amountOf(side === 'buy' ? pool.quote : pool.base, random))
}
