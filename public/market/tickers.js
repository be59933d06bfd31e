/* global document, location */

import { compare, spread } from './decimal.js'
import { abbreviate, formatAmount, formatCount, formatExact, formatPercent, formatPrice, formatUsd, NONE } from './format.js'
import { addressButton, announce, byId, element, foreign, setText } from './dom.js'

/** The table of pairs: sorted by exact value, searched as typed, rows kept between refreshes so that focus stays where it is. */

const collator = new Intl.Collator('en', { sensitivity: 'base', numeric: true })

/** What each column sorts by, and the direction that a first press gives. */
const COLUMNS = {
  pair: { name: 'Name', key: ({ ticker }) => nameOf(ticker), order: collator.compare, first: 'ascending' },
  price: { name: 'Price', key: ({ ticker }) => ticker.last_price, order: compare, first: 'descending' },
  volume: { name: '24-hour volume', key: ({ ticker }) => ticker.target_volume, order: compare, first: 'descending' },
  liquidity: { name: 'Liquidity', key: ({ ticker }) => ticker.liquidity_in_usd, order: compare, first: 'descending' },
  spread: { name: 'Spread', key: row => row.spread, order: compare, first: 'ascending' }
}
const OTHER = { ascending: 'descending', descending: 'ascending' }
/** A search is announced once the typing rests, ms. */
const REST = 700

/** The symbol of a token, or its address in short where nobody gave it one. */
export const nameOf = ticker => ticker.base_symbol.trim() || abbreviate(ticker.base_currency)
export const quoteOf = ticker => ticker.target_symbol.trim() || abbreviate(ticker.target_currency)

const figure = (className = 'figure') => element('span', { class: className })
const cell = (label, ...children) => element('td', { role: 'cell', 'data-label': label }, ...children)

/** A row with the parts of it that change. */
function createRow ({ base_currency: mint, pool_id: pool }) {
  const parts = { price: figure(), volume: figure(), unit: foreign('', 'unit'), liquidity: figure(), spread: figure() }
  const link = element('a', { class: 'symbol', href: `#${mint}` }, foreign(''))
  const quote = foreign('', 'quote')
  const name = foreign('', 'name')
  const row = element('tr', { role: 'row' },
    element('th', { role: 'rowheader', scope: 'row' }, element('span', { class: 'pair' }, link, quote), name),
    cell('Price', parts.price),
    cell('24-hour volume', parts.volume, ' ', parts.unit),
    cell('Liquidity', parts.liquidity),
    cell('Spread', parts.spread),
    cell('Token', addressButton(mint, 'token mint', abbreviate(mint))),
    cell('Pool', addressButton(pool, 'pool address', abbreviate(pool))))
  return { row, parts, link, quote, name, ticker: null, spread: null }
}

function write (node, text, exact) {
  setText(node, text)
  if (node.title !== exact) node.title = exact
}

function updateRow (entry, ticker) {
  const { parts } = entry
  entry.ticker = ticker
  entry.spread = spread(ticker.bid, ticker.ask)
  entry.words = [ticker.base_symbol, ticker.base_name, ticker.target_symbol, ticker.base_currency, ticker.pool_id].join('\n').toLowerCase()
  setText(entry.link.firstChild, nameOf(ticker))
  setText(entry.quote, quoteOf(ticker))
  setText(entry.name, ticker.base_name)
  write(parts.price, formatPrice(ticker.last_price), formatExact(ticker.last_price))
  write(parts.volume, formatAmount(ticker.target_volume), formatExact(ticker.target_volume))
  setText(parts.unit, quoteOf(ticker))
  if (compare(ticker.liquidity_in_usd, '0') === 0) write(parts.liquidity, NONE, 'Nothing on the chain prices the quote token in dollars')
  else write(parts.liquidity, formatUsd(ticker.liquidity_in_usd), `$${formatExact(ticker.liquidity_in_usd)}`)
  write(parts.spread, formatPercent(entry.spread), `Bid ${formatExact(ticker.bid)}, ask ${formatExact(ticker.ask)}`)
}

/** Negative, 0 or positive; what has no value comes last in both directions. */
function orderBy ({ key, order }, direction) {
  const sign = direction === 'ascending' ? 1 : -1
  const rank = (a, b) => order(key(a), key(b))
  const lacks = entry => order !== collator.compare && order(key(entry), '0') === null
  return (a, b) => lacks(a) || lacks(b) ? Number(lacks(a)) - Number(lacks(b)) : sign * rank(a, b)
}

/** The table over the markup of the page. `show` takes the tickers, `select` marks the rows of a mint. */
export function createTable () {
  const body = byId('pairs-body')
  const search = byId('search')
  const menu = byId('sort')
  const headers = [...document.querySelectorAll('#pairs th[data-column]')]
  const entries = new Map()
  let sorted = { column: 'liquidity', direction: 'descending' }
  let order = []
  let selected = null
  let resting

  for (const [column, { name }] of Object.entries(COLUMNS)) {
    const [up, down] = column === 'pair' ? ['A to Z', 'Z to A'] : ['lowest first', 'highest first']
    for (const [direction, words] of [['descending', down], ['ascending', up]]) {
      menu.append(element('option', { value: `${column} ${direction}` }, `${name}, ${words}`))
    }
  }

  function arrange () {
    const wanted = search.value.trim().toLowerCase()
    const shown = order.filter(({ words }) => words.includes(wanted)).sort(orderBy(COLUMNS[sorted.column], sorted.direction))
    const rows = shown.map(({ row }) => row)
    if (rows.length !== body.children.length || rows.some((row, index) => body.children[index] !== row)) {
      const focused = document.activeElement
      body.replaceChildren(...rows)
      if (focused !== document.activeElement && body.contains(focused)) focused.focus({ preventScroll: true })
    }
    const count = wanted === '' ? formatCount(order.length, 'pair') : `${shown.length} of ${formatCount(order.length, 'pair')}`
    setText(byId('count'), order.length === 0 ? '' : count)
    byId('no-match').hidden = order.length === 0 || shown.length > 0
    setText(byId('no-match-text'), `No pair matches “${search.value.trim()}”.`)
    return count
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

  const mark = ({ row, ticker }) => {
    if (ticker.base_currency === selected) row.setAttribute('aria-current', 'true')
    else row.removeAttribute('aria-current')
  }

  for (const header of headers) {
    header.querySelector('button').addEventListener('click', () => {
      const { column } = header.dataset
      const direction = sorted.column === column ? OTHER[sorted.direction] : COLUMNS[column].first
      sortBy(column, direction)
      announce(`Sorted by ${COLUMNS[column].name}, ${direction}`)
    })
  }
  menu.addEventListener('change', () => sortBy(...menu.value.split(' ')))

  search.addEventListener('input', () => {
    const count = arrange()
    clearTimeout(resting)
    resting = setTimeout(() => announce(count), REST)
  })
  byId('clear').addEventListener('click', () => {
    search.value = ''
    announce(arrange())
    search.focus()
  })

  // A press anywhere in a row chooses it, unless it was meant for a button or for marking text
  body.addEventListener('click', ({ target }) => {
    if (target.closest('a, button') !== null || document.getSelection().toString() !== '') return
    location.hash = target.closest('tr').querySelector('a').hash
  })

  sortBy('liquidity', 'descending')

  return {
    show (tickers) {
      order = tickers.map(ticker => {
        const key = `${ticker.pool_id} ${ticker.base_currency}`
        const entry = entries.get(key) ?? createRow(ticker)
        entries.set(key, entry)
        updateRow(entry, ticker)
        mark(entry)
        return entry
      })
      const kept = new Set(order)
      for (const [key, entry] of entries) if (!kept.has(entry)) entries.delete(key)
      arrange()
    },
    select (mint) {
      selected = mint
      order.forEach(mark)
    }
  }
}
