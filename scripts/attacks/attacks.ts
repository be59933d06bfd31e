/** What anyone could do with a DAO of his own, and the figures that it was meant to bend. */
import type { Figures, Scene } from './scene.js'

export interface Attack {
  what: string
  run (scene: Scene): Promise<void> | void
  /** What a reader should look at. */
  show (figures: Figures, scene: Scene): Promise<Shown> | Shown
  /** Whether nothing was bent, by what is shown before and after; honest trades may have come between. */
  holds (before: Shown, after: Shown): boolean
}
type Shown = Record<string, unknown>

const WRAPPED_SOL = 'So11111111111111111111111111111111111111112'
const TOKEN_2022 = 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb'
const multisigs = new WeakMap<Scene, string>()
const sameFirst = (before: Shown, after: Shown): boolean =>
  String(before.first).split(' ')[0] === String(after.first).split(' ')[0]
const top = ({ tickers, aggregate }: Figures) => ({
  first: `${tickers[0]?.base_symbol} ${tickers[0]?.liquidity_in_usd} USD`, total: aggregate.totalVolume
})

async function treasury (figures: Figures, { deepest }: Scene): Promise<Shown> {
  const { treasury_usdc_aum: dollars, nav_usd: nav, nav_per_token: perToken } = await figures.treasury(deepest.dao)
  return { ...top(figures), dollars, nav, perToken }
}

export const ATTACKS: Record<string, Attack> = {
  'ten-cent-pool': {
    what: 'one raw unit of a token of his own against 0.10 USDC "prices" it; a second DAO is quoted in it',
    async run ({ moves }) {
      const own = await moves.mint({ symbol: 'OWN', decimals: 6, supply: 10n ** 18n })
      await moves.pool(own, 1n, 100_000n)
      const rich = await moves.pool(await moves.mint({ symbol: 'RICH' }), 1_000_000_000n, 10n ** 15n, own)
      await moves.swap(rich, 'buy', 10n ** 13n)
    },
    show: figures => ({
      ...top(figures), rich: figures.tickers.find(({ base_symbol: symbol }) => symbol === 'RICH')?.liquidity_in_usd
    }),
    holds: (before, after) => sameFirst(before, after) && after.rich === '0.00'
  },
  dust: {
    what: 'two raw units of a token without decimals sold for 99 USDC: the fee rounds up to one of them',
    async run ({ moves }) {
      const own = await moves.mint({ symbol: 'DUST', decimals: 0, supply: 1_000n })
      await moves.swap(await moves.pool(own, 2n, 297_000_000n), 'sell', 2n)
    },
    show: figures => ({
      ...top(figures), dust: figures.aggregate.tokens.find(({ symbol }) => symbol === 'DUST')?.totalVolume
    }),
    holds: (before, after) => after.dust === '99.00'
  },
  'fake-dollar': {
    what: 'a pool of a hundred billion tokens that call themselves USDC',
    async run ({ moves }) {
      const fake = await moves.mint({ symbol: 'USDC', name: 'USD Coin', supply: 10n ** 18n })
      const pool = await moves.pool(await moves.mint({ symbol: 'FAKED' }), 10n ** 12n, 10n ** 17n, fake)
      await moves.swap(pool, 'buy', 10n ** 15n)
    },
    show: figures => ({
      ...top(figures),
      last: figures.tickers.at(-1)?.base_symbol,
      unpriced: figures.daos.daos.filter(({ priced_in_usd: priced }) => !priced).length
    }),
    holds: (before, after) => sameFirst(before, after) && Number(after.unpriced) > Number(before.unpriced)
  },
  'nobodys-tokens': {
    what: 'sixty DAOs, each quoted in a token of its own',
    async run ({ moves }) {
      for (let i = 0; i < 60; i++) {
        const [base, quote] = [await moves.mint({ symbol: `T${i}` }), await moves.mint({ symbol: `Q${i}` })]
        await moves.swap(await moves.pool(base, 10n ** 12n, 10n ** 15n, quote), 'buy', 10n ** 12n)
      }
    },
    show: figures => ({ ...top(figures), listed: figures.tickers.length }),
    holds: sameFirst
  },
  'same-pair': {
    what: 'a dust pool of an honest pair, hoping to be taken for the pair',
    run: async ({ deepest, moves }) => { await moves.pool(deepest.base, 1_000n, 1_000n) },
    show: (figures, { deepest }) => ({
      ...top(figures),
      pools: figures.tickers.filter(({ base_currency: base }) => base === deepest.base)
        .map(({ liquidity_in_usd: usd }) => usd)
    }),
    holds: (before, after) => sameFirst(before, after) && Number((after.pools as string[])[0]) > 1
  },
  'treasury-fake-dollar': {
    what: 'a billion tokens that call themselves USDC, and tokens without a price, sent to an honest treasury',
    async run ({ moves, deepest }) {
      const fake = await moves.mint({ symbol: 'USDC', name: 'USD Coin', supply: 10n ** 18n })
      await moves.send(fake, deepest.vault, 10n ** 15n)
      await moves.send(await moves.mint({ symbol: 'GIFT' }), deepest.vault, 10n ** 12n)
    },
    show: treasury,
    holds: (before, after) => before.dollars === after.dollars
  },
  'treasury-gift': {
    what: 'not an attack: 500 USDC sent to an honest treasury are its own from then on, and no more than that',
    async run ({ moves, deepest }) { await moves.send(deepest.quote, deepest.vault, 500_000_000n) },
    show: treasury,
    holds: (before, after) => Number(after.dollars) === Number(before.dollars) + 500
  },
  'supply-of-no-launch': {
    what: 'not an attack: the supply of a token that no launchpad made shows what its DAOs hold',
    run: () => {},
    async show (figures, { deepest }) {
      const { body } = await figures.supply(deepest.base)
      return { protocolAmmLiquidity: (body.data as Record<string, string>).protocolAmmLiquidity }
    },
    holds: (before, after) => Number(after.protocolAmmLiquidity) > 0
  },
  multisig: {
    what: 'a Token-2022 multisig asked for as a mint',
    run: async scene => { multisigs.set(scene, await scene.moves.account(TOKEN_2022, Buffer.alloc(355, 1))) },
    // before it is there, another address that is no token of this chain
    show: async (figures, scene) => ({ ...await figures.supply(multisigs.get(scene) ?? WRAPPED_SOL) }),
    holds: (before, after) => after.status === 404
  }
}
