import type { Pool } from '../../schemas/pools.js'
import { parseDecimal } from '../decimal.js'
import { escapeHtml } from './html.js'
import { amountText, changeText, priceText } from './people.js'
import { inShort, symbolOf } from './pool-facts.js'

/** Figures in a page as it is sent: what those see who run no scripts. */

/** Rows of the list; the rest is in the API. */
const MOST = 200
const NONE = '–'

const amount = (text: string | null): string => text === null ? NONE : amountText(parseDecimal(text)!)
const usd = (text: string | null): string => text === null ? NONE : `$${amount(text)}`
const quoteOf = ({ quote }: Pool): string => symbolOf(quote.symbol, quote.mint)

/** What is told of a pool, by its name. */
const FIGURES: ReadonlyArray<[string, (pool: Pool) => string]> = [
  ['Price', pool => `${priceText(parseDecimal(pool.last_price)!)} ${quoteOf(pool)}`],
  ['24 h', pool => pool.price_change_24h === null ? NONE : changeText(pool.price_change_24h)],
  ['Volume, 24 h', pool => pool.target_volume_24h === null
    ? NONE
    : `${amount(pool.target_volume_24h)} ${quoteOf(pool)}`],
  ['Liquidity', pool => pool.priced_in_usd ? usd(pool.liquidity_in_usd) : NONE],
  ['Market cap', pool => usd(pool.market_cap_usd)],
  ['Trades, 24 h', pool => pool.trades_24h === null ? NONE : String(pool.trades_24h)]
]

/** The list as a table, deepest first; `root` leads to the service. */
export function tableOf (pools: readonly Pool[], root: string): string {
  const head = ['Pool', ...FIGURES.map(([name]) => name)].map(name => `<th scope="col">${name}</th>`).join('')
  const rows = pools.slice(0, MOST).map(pool => {
    const { base, pool_id: id } = pool
    const name = escapeHtml(`${symbolOf(base.symbol, base.mint)} / ${quoteOf(pool)}`)
    const link = `<a href="${root}market/pool/${id}">${name}</a> <small>${inShort(base.mint)}</small>`
    return `<tr><th scope="row">${link}</th>${FIGURES.map(([, of]) => `<td>${escapeHtml(of(pool))}</td>`).join('')}</tr>`
  })
  return `<table class="plain-table"><thead><tr>${head}</tr></thead><tbody>${rows.join('')}</tbody></table>`
}

/** The figures of one pool. */
export const factsOf = (pool: Pool): string => `<dl class="facts">${FIGURES.map(([name, of]) =>
  `<div><dt>${name}</dt><dd>${escapeHtml(of(pool))}</dd></div>`).join('')}</dl>`
