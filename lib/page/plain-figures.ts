import type { ProposalRow } from '../../schemas/proposals.js'
import { shift } from '../../public/market/decimal.js'
import { abbreviate, formatChange, formatCompact, formatNumber, formatPrice, NONE } from '../../public/market/format.js'
import { oldestOf, type Part } from '../live/fresh.js'
import { timeText } from '../time.js'
import { escapeHtml } from './html.js'
import type { Row } from './list.js'
import { figuresOf, symbolOf } from './pool-facts.js'

/** Figures in the HTML of a page, for readers without scripts. */

type Columns<T> = ReadonlyArray<[name: string, of: (row: T) => string]>

/** Rows of a list; the rest is in the API. */
const MOST = 100

/** The chain's time of what was read: of the oldest of it; empty where nothing was. */
export const asOf = (parts: readonly Part[]): string => parts.length === 0
  ? ''
  : `${timeText(oldestOf(parts)).slice(0, 19).replace('T', ' ')} UTC`

const usd = (text: string | null): string => text === null ? NONE : `$${formatCompact(text)}`

/** Figures of a pool, by label. */
const FIGURES: Columns<Row> = [
  ['Price', pool => `${figuresOf(pool).price} ${symbolOf(pool.quote)}`],
  ['24 h', pool => formatChange(pool.price_change_24h)],
  ['Volume, 24 h', pool => figuresOf(pool).volume ?? NONE],
  ['Liquidity', pool => figuresOf(pool).liquidity ?? 'No USD price'],
  ['Market cap', pool => usd(pool.market_cap_usd)],
  ['Fully diluted', pool => usd(pool.fdv_usd)],
  ['NAV per token', pool => pool.nav_per_token === null ? NONE : `$${formatPrice(pool.nav_per_token)}`],
  ['Premium to NAV', pool => pool.premium === null ? NONE : formatChange(shift(pool.premium, 2))],
  ['Trades, 24 h', pool => formatNumber(pool.trades_24h)]
]

const MINT: Columns<Row>[number] = ['Mint', pool => pool.base.mint]

const minute = (time: string | null): string => time === null ? NONE : `${time.slice(0, 16).replace('T', ' ')} UTC`
const DECISIONS: Columns<ProposalRow> = [
  ['No.', ({ number }) => String(number)],
  ['State', ({ state }) => state],
  ['Ends', ({ ends_at: at }) => minute(at)],
  ['Average, pass', ({ decision }) => formatPrice(decision?.pass_twap)],
  ['It had to exceed', ({ decision }) => formatPrice(decision?.threshold)],
  ['Decided', ({ finalized_at: at }) => minute(at)]
]

/** `headOf` gives markup. */
function tableOf<T> (rows: readonly T[], label: string, headOf: (row: T) => string, columns: Columns<T>): string {
  const head = [label, ...columns.map(([name]) => name)].map(name => `<th scope="col">${name}</th>`).join('')
  const body = rows.slice(0, MOST).map(row => `<tr><th scope="row">${headOf(row)}</th>` +
    `${columns.map(([, of]) => `<td>${escapeHtml(of(row))}</td>`).join('')}</tr>`)
  return '<div class="scroll" tabindex="0" role="region" aria-label="Figures"><table class="plain-table">' +
    `<thead><tr>${head}</tr></thead><tbody>${body.join('')}</tbody></table></div>`
}

const linkOf = (pool: Row, root: string): string => `<a href="${root}market/pool/${pool.pool_id}">` +
  `${escapeHtml(`${symbolOf(pool.base)} / ${symbolOf(pool.quote)}`)}</a> ` +
  `<small>${abbreviate(pool.base.mint)}</small>`

/** The list as a table, deepest first; `root` leads to the service. */
export const poolsTable = (pools: readonly Row[], root: string): string =>
  tableOf(pools, 'Pool', pool => linkOf(pool, root), FIGURES)

/** Proposals, newest first; a DAO that is not listed is shown by its address. */
export const decisionsTable = (
  rows: readonly ProposalRow[], byId: ReadonlyMap<string, Row> | undefined, root: string
): string => tableOf(rows, 'DAO', ({ dao }) => {
  const pool = byId?.get(dao)
  return pool === undefined ? escapeHtml(abbreviate(dao)) : linkOf(pool, root)
}, DECISIONS)

/** The figures of one pool. */
export const factsOf = (pool: Row): string => `<dl class="facts">${[...FIGURES, MINT].map(([name, of]) =>
  `<div><dt>${name}</dt><dd>${escapeHtml(of(pool))}</dd></div>`).join('')}</dl>`
