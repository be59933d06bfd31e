/** What anyone could do with a DAO of his own, each in a few lines: what is done, and the figures that it was meant to bend. */
import type { Figures, Stage } from './stage.js'

export interface Attack {
  what: string
  run (stage: Stage): Promise<void> | void
  /** What a reader should look at. */
  show (figures: Figures, stage: Stage): Promise<Record<string, unknown>> | Record<string, unknown>
}

const names = new WeakMap<Stage, string>()
const top = ({ tickers, aggregate }: Figures) => ({ first: `${tickers[0]?.base_symbol} ${tickers[0]?.liquidity_in_usd} USD`, total: aggregate.totalVolume })

export const ATTACKS: Record<string, Attack> = {
  'ten-cent-pool': {
    what: 'one raw unit of a token of his own against 0.10 USDC "prices" it; a second DAO is quoted in it',
    run ({ ledger, pool }) {
      const own = ledger.mint({ symbol: 'OWN', decimals: 6, supply: 10n ** 18n })
      pool(own, 1n, 100_000n)
      pool(ledger.mint({ symbol: 'RICH' }), 1_000_000_000n, 10n ** 15n, own).swap('buy', 10n ** 13n)
    },
    show: figures => ({ ...top(figures), rich: figures.tickers.find(({ base_symbol: symbol }) => symbol === 'RICH')?.liquidity_in_usd })
  },
  dust: {
    what: 'two raw units of a token without decimals sold for 99 USDC: the fee rounds up to one of them',
    run ({ ledger, pool }) {
      pool(ledger.mint({ symbol: 'DUST', decimals: 0, supply: 1_000n }), 2n, 297_000_000n).swap('sell', 2n)
    },
    show: figures => ({ ...top(figures), dust: figures.aggregate.tokens.find(({ symbol }) => symbol === 'DUST')?.totalVolume })
  },
  'fake-dollar': {
    what: 'a pool of a hundred billion tokens that call themselves USDC',
    run ({ ledger, pool }) {
      const fake = ledger.mint({ symbol: 'USDC', name: 'USD Coin', supply: 10n ** 18n })
      pool(ledger.mint({ symbol: 'FAKED' }), 10n ** 12n, 10n ** 17n, fake).swap('buy', 10n ** 15n)
    },
    show: figures => ({ ...top(figures), last: figures.tickers.at(-1)?.base_symbol, priced: figures.daos.daos.filter(({ priced_in_usd: priced }) => !priced).length })
  },
  'nobodys-tokens': {
    what: 'sixty DAOs, each quoted in a token of its own',
    run ({ ledger, pool }) {
      for (let i = 0; i < 60; i++) pool(ledger.mint({ symbol: `T${i}` }), 10n ** 12n, 10n ** 15n, ledger.mint({ symbol: `Q${i}` })).swap('buy', 10n ** 12n)
    },
    show: figures => ({ ...top(figures), listed: figures.tickers.length })
  },
  'same-pair': {
    what: 'a dust pool of an honest pair, hoping to be taken for the pair',
    run: ({ honest: [alpha], pool }) => { pool(alpha.base, 1_000n, 1_000n) },
    show: figures => ({ ...top(figures), pools: figures.tickers.filter(({ base_symbol: symbol }) => symbol === 'ALPHA').map(({ liquidity_in_usd: usd }) => usd) })
  },
  'supply-of-no-launch': {
    what: 'not an attack: the supply of a token that no launchpad made shows what its DAOs hold',
    run: () => {},
    async show (figures, stage) {
      const { body } = await figures.supply(stage.honest[0].base.address)
      return { protocolAmmLiquidity: (body.data as Record<string, string>).protocolAmmLiquidity }
    }
  },
  multisig: {
    what: 'a Token-2022 multisig asked for as a mint',
    run (stage) {
      const address = stage.ledger.newAddress()
      stage.ledger.setAccount(address, { owner: 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb', data: Buffer.alloc(355, 1) })
      names.set(stage, address)
    },
    show: async (figures, stage) => ({ ...await figures.supply(names.get(stage) ?? stage.ledger.newAddress()) })
  }
}
