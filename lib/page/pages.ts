import { shift } from '../../public/market/decimal.js'
import {
  abbreviate, formatChange, formatCompact, formatNumber, formatPrice, NONE, symbolOf
} from '../../public/market/format.js'
import { makeCachedResponse } from '../http/cached-response.js'
import { oldestOf, type Part } from '../live/fresh.js'
import { timeText } from '../time.js'
import type { Proposals } from '../../schemas/proposals.js'
import type { PageAssets } from './assets.js'
import { escapeHtml, fillTemplate } from './html.js'
import type { PageList, Row } from './list.js'
import { figuresOf, type PoolFacts } from './pool-facts.js'

/** The pages as bytes: templates with their places filled in, and figures for readers without scripts. */

const HTML = 'text/html; charset=utf-8'
const SITE = 'DAO Market Data'
/** The place of figures for readers without scripts. */
const PLACE = '<!--figures-->'
/** Placeholder rows until the pools have been loaded. */
const SKELETON_ROWS = 10
const SKELETON =
  '<tr role="row" class="ghost" aria-hidden="true"><td colspan="9" role="cell"><span class="bone"></span></td></tr>'

type Columns<T> = ReadonlyArray<[name: string, of: (row: T) => string]>

/** Rows of a list; the rest is in the API. */
const MOST = 100

/** The chain's time of what was read: of the oldest of it; empty where nothing was. */
export const asOf = (parts: readonly Part[]) => parts.length === 0
  ? ''
  : `${timeText(oldestOf(parts)).slice(0, 19).replace('T', ' ')} UTC`

const usd = (text: string | null) => text === null ? NONE : `$${formatCompact(text)}`

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

const minute = (time: string | null) => time === null ? NONE : `${time.slice(0, 16).replace('T', ' ')} UTC`
const DECISIONS: Columns<Proposals[number]> = [
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

const linkOf = (pool: Row, root: string) => `<a href="${root}market/pool/${pool.pool_id}">` +
  `${escapeHtml(`${symbolOf(pool.base)} / ${symbolOf(pool.quote)}`)}</a> ` +
  `<small>${abbreviate(pool.base.mint)}</small>`

const factsOf = (pool: Row) => `<dl class="facts">${[...FIGURES, MINT].map(([name, of]) =>
  `<div><dt>${name}</dt><dd>${escapeHtml(of(pool))}</dd></div>`).join('')}</dl>`

export function createPages ({ template, version }: PageAssets) {
  const [head, header, preview] = [template('head.html'), template('header.html'), template('preview.html')]
  /** A page's template with what all have; `link`: the words by which the header leads to it. */
  const page = (name: string, link?: string) => template(`${name}.html`)
    .replace('{{head}}', () => head)
    .replace('{{preview}}', () => preview)
    .replace('{{header}}', () => header.replace(`>${link}<`, () => ` aria-current="page">${link}<`))
  const list = page('list', 'Market').replace('{{skeleton}}', () => SKELETON.repeat(SKELETON_ROWS))
  const [decisions, status] = [page('decisions', 'Decisions'), page('status', 'Status')]
  const [pool, missing] = [page('pool'), page('missing')]

  /**
   * `root` leads from the page's address to that of the service: links are relative, so that it may be anywhere behind
   * a proxy.
   */
  const places = (root: string): Record<string, string> => ({ root, assets: `${root}market/${version}/` })
  const filled = (template: string, values: Record<string, string>, figures?: string, time = '') =>
    makeCachedResponse(HTML, fillTemplate(template, values).replace(PLACE, () =>
      figures === undefined ? '' : `<p>As of ${time}.</p>${figures}`))

  return {
    /** `pools`: undefined while unknown; `time`: the chain's; `origin`: where the reader's browser found us. */
    list: (origin: string, pools: PageList | undefined, time: string) => filled(
      list,
      {
        ...places(''),
        address: `${origin}/market`,
        title: SITE,
        description: 'Prices, volumes, liquidity and token supply of every DAO of the protocol, read from the chain.',
        shown: 'Volume, liquidity and the deepest pools of the market'
      },
      pools && tableOf(pools.rows, 'Pool', pool => linkOf(pool, ''), FIGURES),
      time
    ),
    status: filled(status, places('')),
    /** `proposals`: newest first; undefined while unknown. A DAO that is not listed is shown by its address. */
    decisions: (proposals: Proposals | undefined, pools: PageList | undefined, time: string) =>
      filled(decisions, places('../'), proposals && tableOf(proposals, 'DAO', ({ dao }) => {
        const pool = pools?.byId.get(dao)
        return pool === undefined ? escapeHtml(abbreviate(dao)) : linkOf(pool, '../')
      }, DECISIONS), time),
    /** The page of a pool; `facts` and `figures` undefined while the chain can't be read. */
    pool (origin: string, id: string, facts: PoolFacts | undefined, figures: Row | undefined, time: string) {
      const pair = facts === undefined ? 'Pool' : `${facts.base} / ${facts.quote}`
      const { price } = { ...facts, ...figures && figuresOf(figures) }
      const description = facts === undefined
        ? 'A spot pool of a DAO.'
        : `${facts.name || facts.base}: ${price} ${facts.quote} as of ${time}. Price, volume, liquidity, trades and ` +
          'supply, read from the chain.'
      return filled(pool, {
        ...places('../../'),
        live: facts?.isDeciding === true ? 'yes' : 'no',
        mint: facts?.mint ?? '',
        address: `${origin}/market/pool/${id}`,
        pool: id,
        pair,
        name: facts?.name ?? '',
        title: `${pair} · ${SITE}`,
        description,
        shown: description
      }, figures && factsOf(figures), time)
    },
    /** The page in place of a pool's, with the reason. */
    missing: (id: string, reason: string) => fillTemplate(missing, { ...places('../../'), pool: id, reason })
  }
}
