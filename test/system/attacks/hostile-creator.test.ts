import { test } from 'tap'
import { openStage } from '../../../scripts/attacks/stage.js'
import { createRandom, type Dao, type Mint } from '../../../simulator/index.js'

/** Moves that one who creates DAOs makes; `HOSTILE_MOVES=20000` for a longer proof. */
const MOVES = Number(process.env.HOSTILE_MOVES ?? 1_000)
const SEED = Number(process.env.HOSTILE_SEED ?? 11)
const LOOKS = 2
const cents = (text: string | undefined): bigint => BigInt((text ?? '0.00').replace('.', ''))

test(
  `a random hostile creator of DAOs makes ${MOVES} moves: no honest figure moves, ` +
    'no sum by more than his own trades in dollars',
  async t => {
    const stage = await openStage()
    t.teardown(() => stage.close())
    const { ledger, usdc, honest, pool, look } = stage
    const random = createRandom(SEED)
    const pick = <T>(items: readonly T[]): T => items[random.int(items.length)]!
    const before = await look()
    const own: Mint[] = [ledger.mint({ symbol: 'USDC', name: 'USD Coin', supply: 1n << 63n })]
    const daos: Dao[] = []
    const honestBases = honest.map(({ base }) => base)
    const isHonest = new Set(honest.map(({ address }) => address))

    const moves: Array<() => unknown> = [
      () => own.push(
        ledger.mint({ symbol: pick(['USDC', 'ALPHA', 'X', '']), decimals: random.int(10), supply: 1n << 63n })
      ),
      () => {
        const [base, quote] = [pick([...own, ...honestBases]), pick([...own, ...own, usdc, ...honestBases])]
        if (base.address === quote.address) return
        const most = quote === usdc ? 1_000_000n : 1n << 60n
        daos.push(pool(base, random.amount(1n, 1n << 60n), random.amount(1n, most), quote))
      }
    ]
    const trade = (): void => {
      const dao = pick(daos)
      const side = pick(['buy', 'sell'] as const)
      const { base, quote } = dao.reserves
      const reserve = side === 'buy' ? quote : base
      // more than it holds, all of it, a raw unit
      const input = pick([1n, 2n, reserve / 2n + 1n, reserve])
      if (base > 1n && quote > 1n && input > 0n && input < (1n << 62n)) dao.swap(side, input)
    }

    for (let done = 0; done < MOVES; done++) {
      if (daos.length === 0 || (daos.length < 60 && random.int(12) === 0)) pick(moves)()
      else trade()
      if (random.int(50) === 0) ledger.advance(1)
      if ((done + 1) % Math.ceil(MOVES / LOOKS) !== 0) continue
      const after = await look()
      for (const { address } of honest) {
        const find = ({ tickers }: typeof after) => tickers.find(({ pool_id: pool }) => pool === address)
        t.same(find(after), find(before), `the ticker of ${address} after ${done + 1} moves`)
      }
      const inDollars = ledger.swaps.filter(
        ({ dao }) => !isHonest.has(dao) && daos.find(({ address }) => address === dao)?.quote.address === usdc.address
      )
      const worth = (base?: string): bigint => inDollars
        .filter(({ dao }) => base === undefined || daos.find(({ address }) => address === dao)!.base.address === base)
        .reduce((sum, { side, input, output }) => sum + (side === 'buy' ? input : output), 0n)
      const off = (change: bigint, raw: bigint): boolean =>
        change * 10_000n - raw <= 10_000n && raw - change * 10_000n <= 10_000n
      t.ok(
        off(cents(after.aggregate.totalVolume) - cents(before.aggregate.totalVolume), worth()),
        'the total moves by his trades in dollars, to the cent'
      )
      for (const { address } of honestBases) {
        const of = ({ aggregate }: typeof after) => cents(
          aggregate.tokens.find(({ mint }) => mint === address)?.totalVolume
        )
        t.ok(off(of(after) - of(before), worth(address)), 'and so does each honest token')
      }
      const unpriced = new Set(after.daos.daos.filter(({ priced_in_usd: priced }) => !priced).map(({ dao }) => dao))
      const firstUnpriced = after.tickers.findIndex(({ pool_id: pool }) => unpriced.has(pool))
      t.ok(firstUnpriced === -1 || after.tickers.slice(firstUnpriced).every(
        ticker => unpriced.has(ticker.pool_id) && ticker.liquidity_in_usd === '0.00'
      ), 'pools without a USD value come last')
      t.ok(firstUnpriced > 1, 'behind the honest ones')
    }
  }
)
