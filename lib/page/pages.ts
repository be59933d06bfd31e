import { makeCachedResponse } from '../http/cached-response.js'
import type { PageAssets } from './assets.js'
import { fillTemplate } from './html.js'
import type { PageList, Row } from './list.js'
import { figuresOf, type PoolFacts } from './pool-facts.js'
import { decisionsTable, factsOf, poolsTable } from './plain-figures.js'
import type { Proposals } from '../../schemas/proposals.js'

/** The pages as bytes: templates with their places filled in. */

const HTML = 'text/html; charset=utf-8'
const SITE = 'DAO Market Data'
/** The place of figures for readers without scripts. */
const FIGURES = '<!--figures-->'
/** Placeholder rows until the pools have been loaded. */
const SKELETON_ROWS = 10
const SKELETON =
  '<tr role="row" class="ghost" aria-hidden="true"><td colspan="9" role="cell"><span class="bone"></span></td></tr>'

export function createPages ({ template, version }: PageAssets) {
  const [head, header] = [template('head.html'), template('header.html')]
  /** A page's template with what all have; `link`: the words by which the header leads to it. */
  const page = (name: string, link?: string): string => template(`${name}.html`)
    .replace('{{head}}', () => head)
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
    makeCachedResponse(HTML, fillTemplate(template, values).replace(FIGURES, () =>
      figures === undefined ? '' : `<p>As of ${time}.</p>${figures}`))

  return {
    /** `pools`: undefined while unknown; `time`: the chain's; `origin`: where the reader's browser found us. */
    list: (origin: string, pools: PageList | undefined, time: string) =>
      filled(list, { ...places(''), origin }, pools && poolsTable(pools.rows, ''), time),
    status: filled(status, places('')),
    /** `proposals`: newest first; undefined while unknown. */
    decisions: (proposals: Proposals | undefined, pools: PageList | undefined, time: string) =>
      filled(decisions, places('../'), proposals && decisionsTable(proposals, pools?.byId, '../'), time),
    /** The page of a pool; `facts` and `figures` undefined while the chain can't be read. */
    pool (origin: string, id: string, facts: PoolFacts | undefined, figures: Row | undefined, time: string) {
      const pair = facts === undefined ? 'Pool' : `${facts.base} / ${facts.quote}`
      const { price } = { ...facts, ...figures && figuresOf(figures) }
      return filled(pool, {
        ...places('../../'),
        live: facts?.isDeciding === true ? 'yes' : 'no',
        mint: facts?.mint ?? '',
        origin,
        pool: id,
        pair,
        name: facts?.name ?? '',
        title: `${pair} · ${SITE}`,
        description: facts === undefined
          ? 'A spot pool of a DAO.'
          : `${facts.name || facts.base}: ${price} ${facts.quote} as of ${time}. Price, volume, liquidity, ` +
            'trades and supply, read from the chain.'
      }, figures && factsOf(figures), time)
    },
    /** The page in place of a pool's, with the reason. */
    missing: (id: string, reason: string) => fillTemplate(missing, { ...places('../../'), pool: id, reason })
  }
}
