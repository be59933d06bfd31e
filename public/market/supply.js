/* global addEventListener, document, history, location */

import { compare, percent, spread, subtract, sum } from './decimal.js'
import { abbreviate, formatAmount, formatExact, formatPercent, formatPrice, formatUsd, NONE } from './format.js'
import { addressButton, announce, byId, element, foreign, setText, svg } from './dom.js'
import { failureNotice, failureText, remark } from './notice.js'
import { Failure, get } from './api.js'
import { nameOf, quoteOf } from './tickers.js'

/** What there is of a token, and where it is: opened by the fragment of the address, so that it can be linked to. */

const PARTS = [
  { kind: 'team', name: 'Team package', note: 'Locked until the price unlocks it; not circulating', of: supply => supply.teamPerformancePackage },
  { kind: 'amm', name: 'Internal AMM', note: 'In the DAO’s own spot pool', of: supply => supply.protocolAmmLiquidity },
  { kind: 'external', name: 'External pool', note: 'The protocol’s position in the external pool', of: supply => supply.externalLpLiquidity },
  { kind: 'rest', name: 'Everywhere else', note: 'Treasury, holders and other pools', of: restOf }
]
const FIELDS = ['totalSupply', 'circulatingSupply', 'teamPerformancePackage', 'protocolAmmLiquidity', 'externalLpLiquidity']

/** What is in none of the named places; null where those hold more than there is. */
function restOf ({ totalSupply, teamPerformancePackage, protocolAmmLiquidity, externalLpLiquidity }) {
  const rest = subtract(totalSupply, sum([teamPerformancePackage, protocolAmmLiquidity, externalLpLiquidity]))
  return rest === null || rest.startsWith('-') ? null : rest
}

function checkSupply ({ data }) {
  if (FIELDS.some(field => compare(data[field], '0') === null)) throw new TypeError('a supply without its figures')
  return data
}

/** The mint that the address names: any fragment that is not a part of the page. */
function mintInAddress () {
  const fragment = location.hash.slice(1)
  return fragment === '' || byId(fragment) !== null ? null : fragment
}

const fact = (term, value, exact) => element('div', {}, element('dt', {}, term), element('dd', { title: exact }, value))

function drawBar (parts) {
  const label = parts.map(({ name, share }) => `${name} ${formatPercent(share)}`).join(', ')
  let from = '0'
  const segments = parts.filter(({ share }) => share !== null && compare(share, '0') > 0).map(({ kind, share }) => {
    const segment = svg('rect', { class: kind, x: `${from}%`, width: `${share}%`, y: 0, height: '100%' })
    from = sum([from, share])
    return segment
  })
  return svg('svg', { class: 'supply-bar', role: 'img', 'aria-label': `Supply: ${label}` }, ...segments)
}

const drawLegend = parts => element('ul', { class: 'legend' }, ...parts.map(({ kind, name, note, amount, share }) =>
  element('li', {},
    element('span', { class: `swatch ${kind}`, 'aria-hidden': 'true' }),
    element('span', { class: 'part' }, name, element('small', {}, note)),
    element('span', { class: 'share' }, formatPercent(share), element('small', { title: amount === null ? undefined : formatExact(amount) }, amount === null ? NONE : formatAmount(amount))))))

/** The supply as a bar, a legend and figures. */
function drawSupply (supply) {
  const parts = PARTS.map(part => {
    const amount = part.of(supply)
    return { ...part, amount, share: amount === null ? null : percent(amount, supply.totalSupply, 6) }
  })
  return [
    element('dl', { class: 'facts two' },
      fact('Total supply', formatAmount(supply.totalSupply), formatExact(supply.totalSupply)),
      fact('Circulating', formatAmount(supply.circulatingSupply), formatExact(supply.circulatingSupply))),
    drawBar(parts), drawLegend(parts)
  ]
}

/** The figures of a pool of the token. */
const drawPool = ticker => element('section', { class: 'pool' },
  element('h3', {}, 'Pool ', addressButton(ticker.pool_id, 'pool address', abbreviate(ticker.pool_id))),
  element('dl', { class: 'facts' },
    fact('Price', [formatPrice(ticker.last_price), quoteOf(ticker)].join(' '), formatExact(ticker.last_price)),
    fact('Bid', formatPrice(ticker.bid), formatExact(ticker.bid)),
    fact('Ask', formatPrice(ticker.ask), formatExact(ticker.ask)),
    fact('Spread', formatPercent(spread(ticker.bid, ticker.ask))),
    fact('Liquidity', compare(ticker.liquidity_in_usd, '0') === 0 ? NONE : formatUsd(ticker.liquidity_in_usd), formatExact(ticker.liquidity_in_usd)),
    fact('24-hour volume', `${formatAmount(ticker.target_volume)} ${quoteOf(ticker)}`, formatExact(ticker.target_volume))))

/**
 * The panel over the markup of the page.
 * @param {{ market: { tickers: any[], tokens: any[] }, onSelect: (mint: string | null) => void }} options `market` is read anew whenever it is shown.
 */
export function createPanel ({ market, onSelect }) {
  const dialog = byId('token')
  const body = byId('supply')
  let mint = null
  let asked = null
  let timer

  const pools = () => market.tickers.filter(ticker => ticker.base_currency === mint)

  /** What is known without asking: the name, the pools, the volume since launch. */
  function describe () {
    const [ticker] = pools()
    const title = ticker === undefined ? abbreviate(mint) : nameOf(ticker)
    setText(byId('token-title'), title)
    byId('token-name').replaceChildren(ticker === undefined ? '' : foreign(ticker.base_name))
    byId('token-mint').replaceChildren(addressButton(mint, 'token mint', abbreviate(mint)))
    byId('token-pools').replaceChildren(...pools().map(drawPool))
    const since = market.tokens.find(token => token.mint === mint)
    byId('token-volume').hidden = since === undefined
    if (since !== undefined) byId('token-volume-figure').replaceChildren(formatUsd(since.totalVolume))
    byId('token-json').href = `api/supply/${encodeURIComponent(mint)}`
  }

  async function load () {
    clearTimeout(timer)
    asked?.abort()
    const request = asked = new AbortController()
    body.setAttribute('aria-busy', 'true')
    if (body.querySelector('.supply-bar') === null) body.replaceChildren(remark('Reading the supply…'))
    try {
      const { data, age } = await get(`api/supply/${encodeURIComponent(mint)}`, checkSupply, request.signal)
      body.replaceChildren(...drawSupply(data))
      if (age !== null) body.append(remark(`Read ${age} seconds ago: the service could not read the chain since.`))
      announce('Supply loaded')
    } catch (error) {
      if (request.signal.aborted) return
      const failure = error instanceof Failure ? error : new Failure('error', 'The page met an error of its own.')
      body.replaceChildren(failureNotice(failure, load))
      announce(failureText(failure))
      if (failure.retryAt !== undefined) timer = setTimeout(load, failure.retryAt - Date.now())
    } finally {
      if (asked === request) body.removeAttribute('aria-busy')
    }
  }

  function follow () {
    const wanted = mintInAddress()
    if (wanted === mint) return
    mint = wanted
    onSelect(mint)
    if (mint === null) {
      dialog.close()
      return
    }
    body.replaceChildren()
    describe()
    if (!dialog.open) dialog.showModal()
    load()
  }

  function leave () {
    // Told a moment after the closing: another token may have been opened since
    if (dialog.open) return
    clearTimeout(timer)
    asked?.abort()
    mint = null
    onSelect(null)
    if (mintInAddress() !== null) history.replaceState(null, '', location.pathname + location.search)
  }

  dialog.addEventListener('close', leave)
  byId('token-close').addEventListener('click', () => dialog.close())
  // The dialog's own box is filled by its content: a press on the dialog itself is one on what lies behind it
  dialog.addEventListener('click', ({ target }) => { if (target === dialog) dialog.close() })
  addEventListener('hashchange', follow)
  follow()

  return {
    /** Shows what the market says now; what the reader is holding on to is left alone. */
    refresh () {
      if (mint !== null && !byId('token-facts').contains(document.activeElement)) describe()
    }
  }
}
