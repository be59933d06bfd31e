import { LRUCache } from 'lru-cache'
import { type CachedResponse, makeCachedResponse } from '../http/cached-response.js'
import type { PageAssets } from './assets.js'
import { fillTemplate } from './html.js'
import type { PoolFacts } from './card/card.js'
import { decisionsTable, factsOf, poolsTable } from './plain-figures.js'
import type { PoolList } from '../responses/pools/pool-list.js'
import type { Pool } from '../../schemas/pools.js'
import type { Proposals } from '../../schemas/proposals.js'

/** The pages as bytes: templates with their places filled in, kept while they are the same. */

const HTML = 'text/html; charset=utf-8'
const SITE = 'DAO Market Data'
/** Pages that are kept: any host and pool may be asked for, so the number is bounded. */
const MAX_PAGES = 200
const MAX_LISTS = 8
/** Where figures stand for those who run no scripts. */
const FIGURES = '<!--figures-->'
/** Placeholder rows until the pools have been loaded. */
const SKELETON_ROWS = 10
const SKELETON =
  '<tr role="row" class="ghost" aria-hidden="true"><td colspan="8" role="cell"><span class="bone"></span></td></tr>'

export interface Pages {
  /** `pools`: deepest first; undefined while they can't be had. `origin`: where the reader's browser found us. */
  list (origin: string, pools: readonly Pool[] | undefined): CachedResponse
  status (): CachedResponse
  /** `proposals`: newest first; undefined while they can't be had. */
  decisions (proposals: Proposals | undefined, pools: PoolList | undefined): CachedResponse
  /** The page of a pool; `facts` and `figures` undefined while the chain can't be read. */
  pool (origin: string, pool: string, facts: PoolFacts | undefined, figures: Pool | undefined): CachedResponse
  /** The page for a pool that there is none of, with the reason. */
  missing (pool: string, reason: string): string
}

export function createPages ({ template, version }: PageAssets): Pages {
  const kept = new LRUCache<string, CachedResponse>({ max: MAX_PAGES })
  const lists = new LRUCache<string, { pools: readonly Pool[] | undefined, page: CachedResponse }>({ max: MAX_LISTS })
  const [head, header] = [template('head.html'), template('header.html')]
  /** A page's template with what all have; `link`: the words by which the header leads to it. */
  const page = (name: string, link?: string): string => template(`${name}.html`)
    .replace('{{head}}', () => head)
    .replace('{{header}}', () => header.replace(`>${link}<`, () => ` aria-current="page">${link}<`))
  const list = page('list', 'Market').replace('{{skeleton}}', () => SKELETON.repeat(SKELETON_ROWS))
  const [decisions, status] = [page('decisions', 'Decisions'), page('status', 'Status')]
  const [pool, missing] = [page('pool'), page('missing')]

  function make (text: string): CachedResponse {
    const known = kept.get(text) ?? makeCachedResponse(HTML, text)
    kept.set(text, known)
    return known
  }
  /**
   * `root` leads from the page's address to that of the service: links are relative, so that it may be anywhere behind
   * a proxy.
   */
  const places = (root: string): Record<string, string> => ({ root, assets: `${root}market/${version}/` })

  return {
    list (origin, pools) {
      const known = lists.get(origin)
      if (known !== undefined && known.pools === pools) return known.page
      const text = fillTemplate(list, { ...places(''), origin })
        .replace(FIGURES, () => pools === undefined ? '' : poolsTable(pools, ''))
      const made = makeCachedResponse(HTML, text)
      lists.set(origin, { pools, page: made })
      return made
    },
    status: () => make(fillTemplate(status, places(''))),
    decisions: (proposals, pools) => make(fillTemplate(decisions, places('../')).replace(
      FIGURES, () => proposals === undefined ? '' : decisionsTable(proposals, pools?.byId, '../')
    )),
    pool (origin, id, facts, figures) {
      const pair = facts === undefined ? 'Pool' : `${facts.base} / ${facts.quote}`
      return make(fillTemplate(pool, {
        ...places('../../'),
        live: facts?.isDeciding === true ? 'yes' : 'no',
        mint: facts?.mint ?? '',
        origin,
        pool: id,
        pair,
        name: facts?.name ?? '',
        title: facts === undefined ? `Pool · ${SITE}` : `${pair} · ${SITE}`,
        description: facts === undefined
          ? 'A spot pool of a DAO.'
          : `${facts.name || facts.base}: ${facts.price} ${facts.quote}. Price, volume, liquidity, trades and ` +
            'supply, read from the chain.'
      }).replace(FIGURES, () => figures === undefined ? '' : factsOf(figures)))
    },
    missing: (id, reason) => fillTemplate(missing, { ...places('../../'), pool: id, reason })
  }
}
