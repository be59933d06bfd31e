/* global document, history, location, URLSearchParams */

import { Failure } from './api.js'
import { compare, shift } from './decimal.js'
import { asTheyAre, downloadCsv } from './csv.js'
import { addressButton, announce, arrange as arrangeRows, byId, element, foreign, renew, setText } from './dom.js'
import {
  abbreviate, formatChange, formatCompact, formatCount, formatExact, formatNumber, formatPrice, NONE, signOf
} from './format.js'
import { drawSparkline } from './sparkline.js'
import { ageOf, badgesOf, fullNameOf, nameOf, quoteOf, tokenDisc, UNPRICED } from './tokens.js'

/**
 * The table of pools: sorted by exact value, searched as typed, both in the address; rows are kept between refreshes so
 * that focus stays where it is.
 */

const collator = new Intl.Collator('en', { sensitivity: 'base', numeric: true })

/** What each column sorts by, and the direction that a first press gives. */
const byFigure = (name, key) => ({ name, key, order: compare, first: 'descending' })
const COLUMNS = {
  liquidity: byFigure('Liquidity', pool => pool.liquidity_in_usd),
  volume: byFigure('Volume, 24 h', pool => pool.target_volume_24h),
  change: byFigure('Change, 24 h', pool => pool.price_change_24h),
  price: byFigure('Price', pool => pool.last_price),
  premium: byFigure('Premium to NAV', pool => pool.premium),
  cap: byFigure('Market cap', pool => pool.market_cap_usd),
  trades: byFigure('Trades, 24 h', pool => String(pool.trades_24h)),
  name: { name: 'Name', key: nameOf, order: collator.compare, first: 'ascending' }
}
const DEFAULT = { column: 'liquidity', direction: 'descending' }
const OTHER = { ascending: 'descending', descending: 'ascending' }
/** A search is announced, and written into the address, once the typing rests, ms. */
const REST = 400
export const UNREAD = 'The trades of the last 24 hours are still being read'
/** Of what the facts of a DAO make, which are read for the deepest pools. */
const UNKNOWN = 'Not known now'

const CSV = {
  pool_id: pool => pool.pool_id,
  base_symbol: pool => pool.base.symbol,
  quote_symbol: pool => pool.quote.symbol,
  base_mint: pool => pool.base.mint,
  quote_mint: pool => pool.quote.mint,
  ...asTheyAre(
    'last_price', 'price_change_24h', 'high_24h', 'low_24h', 'base_volume_24h', 'target_volume_24h', 'trades_24h',
    'liquidity_in_usd', 'priced_in_usd', 'market_cap_usd', 'fdv_usd', 'state', 'created_at', 'slot'
  )
}

/** A figure in dollars, and a dash with the reason where there is none. */
const dollars = (text, write, unknown = UNKNOWN, more = '') =>
  text === null ? [NONE, unknown] : [`$${write(text)}`, `$${formatExact(text)}${more}`]

/** Each figure of a row, as it is shown and as it is told on pointing. */
const FIGURES = {
  price: pool => [formatPrice(pool.last_price), formatExact(pool.last_price)],
  change: ({ price_change_24h: change }) => [formatChange(change), change === null
    ? 'No trade that is known is older than 24 hours, so there is nothing to compare with'
    : `${change} % in 24 hours`],
  volume: ({ trades_24h: trades, target_volume_24h: volume }) =>
    trades === null ? [NONE, UNREAD] : [formatCompact(volume), formatExact(volume)],
  liquidity: pool => dollars(pool.priced_in_usd ? pool.liquidity_in_usd : null, formatCompact, UNPRICED),
  cap: pool => dollars(pool.market_cap_usd, formatCompact),
  diluted: pool => dollars(pool.fdv_usd, formatCompact),
  premium: ({ premium }) => premium === null
    ? [NONE, UNKNOWN]
    : [formatChange(shift(premium, 2)), 'What the price is above, or below, what the DAO owns for each token'],
  nav: pool => dollars(pool.nav_per_token, formatPrice, UNKNOWN, ' for each token'),
  trades: ({ trades_24h: trades }) => [formatNumber(trades), trades === null ? UNREAD : '']
}

const cell = (className, label, ...children) => element(
  'td', { role: 'cell', class: className, 'data-label': label }, ...children
)

/** A row with the parts of it that change. */
function createRow (pool) {
  const parts = Object.fromEntries(Object.keys(FIGURES).map(
    name => [name, element('span', { class: name === 'change' ? name : 'figure' })]
  ))
  const units = [foreign('', 'unit'), foreign('', 'unit')]
  const link = element('a', { class: 'symbol', href: `market/pool/${encodeURIComponent(pool.pool_id)}` }, foreign(''))
  const quote = foreign('', 'quote')
  const name = foreign('')
  const age = element('span')
  const badges = element('span', { class: 'badges' })
  const spark = cell('spark-cell', '7 days')
  const row = element('tr', { role: 'row' },
    element('th', { role: 'rowheader', scope: 'row' },
      element('div', { class: 'token' }, tokenDisc(pool.base), element('div', { class: 'identity' },
        element('span', { class: 'pair' }, link, quote, badges),
        element('span', { class: 'name' },
          element('span', { class: 'called' }, name, element('span', { class: 'dot' }, ' · ')),
          element('span', {}, addressButton(pool.base.mint, 'token mint', abbreviate(pool.base.mint)), age))))),
    cell('price-cell', 'Price', parts.price, ' ', units[0]),
    cell('change-cell', '24 h', parts.change),
    spark,
    cell('volume-cell', 'Vol', parts.volume, ' ', units[1]),
    cell('liquidity-cell', 'Liq', parts.liquidity),
    cell('cap-cell', 'Cap', parts.cap, ' ', element('small', { class: 'second' }, 'FDV ', parts.diluted)),
    cell('premium-cell', 'Prem.', parts.premium, ' ', element('small', { class: 'second' }, 'NAV ', parts.nav)),
    cell('trades-cell', 'Trades', parts.trades))
  return { row, parts, units, link, quote, name, age, badges, spark, pool: null, words: '' }
}

function write (node, text, exact) {
  setText(node, text)
  if (node.title !== exact) node.title = exact
}

function updateRow (entry, pool) {
  const { parts, link, quote, name, age, units } = entry
  entry.pool = pool
  entry.words = [
    pool.base.symbol, pool.base.name, pool.quote.symbol, pool.base.mint, pool.pool_id
  ].join('\n').toLowerCase()
  write(link.firstChild, nameOf(pool), nameOf(pool))
  write(name, fullNameOf(pool.base), fullNameOf(pool.base))
  const old = ageOf(pool.since)
  setText(age, old === undefined ? '' : ` · ${old}`)
  for (const unit of [quote, ...units]) setText(unit, quoteOf(pool))
  for (const [part, figure] of Object.entries(FIGURES)) write(parts[part], ...figure(pool))
  parts.change.dataset.sign = signOf(pool.price_change_24h)
  renew(entry.badges, ...badgesOf(pool, pool.marks))
}

/** Negative, 0 or positive; unpriced pools come last whatever is asked, and what has no value after what has. */
function orderBy ({ key, order }, direction) {
  const sign = direction === 'ascending' ? 1 : -1
  const lacks = pool => order === compare && compare(key(pool), '0') === null
  return ({ pool: a }, { pool: b }) =>
    Number(b.priced_in_usd) - Number(a.priced_in_usd) || Number(lacks(a)) - Number(lacks(b)) ||
    (lacks(a) ? 0 : sign * order(key(a), key(b)))
}

/** The sorting and the search that the address names. */
function fromAddress () {
  const query = new URLSearchParams(location.search)
  const column = Object.hasOwn(COLUMNS, query.get('sort') ?? '') ? query.get('sort') : DEFAULT.column
  const direction = { asc: 'ascending', desc: 'descending' }[query.get('dir')] ?? COLUMNS[column].first
  return { sorted: { column, direction }, wanted: query.get('q') ?? '' }
}

function toAddress ({ column, direction }, wanted) {
  const query = new URLSearchParams()
  if (wanted !== '') query.set('q', wanted)
  if (column !== DEFAULT.column || direction !== DEFAULT.direction) {
    query.set('sort', column)
    query.set('dir', direction === 'ascending' ? 'asc' : 'desc')
  }
  const text = query.toString()
  const url = location.pathname + (text === '' ? '' : `?${text}`) + location.hash
  if (url !== location.pathname + location.search + location.hash) history.replaceState(null, '', url)
}

/**
 * The table over the markup of the page. `show` takes the pools, deepest first, all or the deepest; `load` asks for
 * all, once they are wanted; `records` gives the API's records of them.
 */
export function createTable ({ load, records }) {
  const body = byId('pools-body')
  const search = byId('search')
  const menu = byId('sort')
  const headers = [...document.querySelectorAll('.pools th[data-column]')]
  const entries = new Map()
  let { sorted, wanted } = fromAddress()
  let order = null
  /** How many pools there are; whether all have been asked for. */
  let count = 0
  let all = false
  let sparklines = {}
  let resting
  search.value = wanted

  for (const [column, { name }] of Object.entries(COLUMNS)) {
    for (const [direction, arrow] of [['descending', '↓'], ['ascending', '↑']]) {
      menu.append(element('option', { value: `${column} ${direction}` }, `${name} ${arrow}`))
    }
  }

  const visible = () => order.filter(
    ({ words }) => words.includes(search.value.trim().toLowerCase())
  ).sort(orderBy(COLUMNS[sorted.column], sorted.direction))

  const wantsAll = () => search.value.trim() !== '' || sorted.column !== DEFAULT.column ||
    sorted.direction !== DEFAULT.direction

  function askAll () {
    if (all || order === null || order.length >= count) return
    all = true
    load()
  }

  function arrange () {
    if (order === null) return ''
    wanted = search.value.trim()
    if (wantsAll()) askAll()
    const rows = visible().map(({ row }) => row)
    arrangeRows(body, rows)
    const shown = rows.length === count ? formatCount(count, 'pool') : `${rows.length} of ${formatCount(count, 'pool')}`
    setText(byId('count'), count === 0 ? '' : shown.replace(/ pools?$/, ''))
    byId('more').hidden = order.length >= count
    byId('more').disabled = all
    setText(byId('more'), all ? 'Loading all pools…' : `Show all ${formatCount(count, 'pool')}`)
    byId('no-pools').hidden = order.length > 0
    // of a part nobody knows yet what the rest has
    byId('no-match').hidden = order.length < count || count === 0 || rows.length > 0
    byId('csv').disabled = rows.length === 0
    setText(byId('no-match-text'), `No pool matches “${wanted}”.`)
    return shown
  }

  function sortBy (column, direction) {
    sorted = { column, direction }
    for (const header of headers) {
      if (header.dataset.column === column) header.setAttribute('aria-sort', direction)
      else header.removeAttribute('aria-sort')
    }
    menu.value = `${column} ${direction}`
    arrange()
  }

  const remember = () => toAddress(sorted, search.value.trim())

  for (const header of headers) {
    header.querySelector('button').addEventListener('click', () => {
      const { column } = header.dataset
      sortBy(column, sorted.column === column ? OTHER[sorted.direction] : COLUMNS[column].first)
      remember()
      announce(`Sorted by ${COLUMNS[column].name}, ${sorted.direction}`)
    })
  }
  menu.addEventListener('change', () => {
    sortBy(...menu.value.split(' '))
    remember()
  })
  search.addEventListener('input', () => {
    const shown = arrange()
    clearTimeout(resting)
    resting = setTimeout(() => {
      remember()
      if (shown !== '') announce(shown)
    }, REST)
  })
  byId('clear').addEventListener('click', () => {
    search.value = ''
    announce(arrange())
    remember()
    search.focus()
  })
  byId('more').addEventListener('click', () => {
    askAll()
    arrange()
  })
  byId('csv').addEventListener('click', async () => {
    try {
      const known = new Map((await records()).map(pool => [pool.pool_id, pool]))
      // as they are sorted and searched here; of a market that begins with its deepest pools all
      const ids = order.length < count ? [...known.keys()] : visible().map(({ pool }) => pool.pool_id)
      downloadCsv('dao-pools', CSV, ids.flatMap(id => known.get(id) ?? []))
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      announce(error.message)
    }
  })
  document.addEventListener('keydown', event => {
    if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey ||
      event.target.matches?.('input, select, textarea')) return
    event.preventDefault()
    search.focus()
    search.select()
  })

  // A press anywhere in a row opens the pool, unless it was meant for something else or for marking text
  body.addEventListener('click', ({ target }) => {
    if (target.closest('a, button') !== null || document.getSelection().toString() !== '') return
    target.closest('tr')?.querySelector('a')?.click()
  })

  const drawSpark = entry => {
    const drawing = drawSparkline(sparklines[entry.pool.pool_id] ?? [])
    entry.spark.replaceChildren(...drawing === undefined ? [] : [drawing])
  }

  sortBy(sorted.column, sorted.direction)

  return {
    /** Whether the address names what only all pools can show. */
    wantsAll,
    show ({ pools, totals }) {
      count = totals.count
      order = pools.map(pool => {
        const known = entries.get(pool.pool_id)
        const entry = known ?? createRow(pool)
        entries.set(pool.pool_id, entry)
        updateRow(entry, pool)
        if (known === undefined) drawSpark(entry)
        return entry
      })
      const kept = new Set(order)
      for (const [id, entry] of entries) if (!kept.has(entry)) entries.delete(id)
      arrange()
    },
    /** Takes what stood for rows away where there are none. */
    clear () { if (order === null) body.replaceChildren() },
    drawSparklines ({ pools }) {
      sparklines = pools
      for (const entry of order ?? []) drawSpark(entry)
    }
  }
}
