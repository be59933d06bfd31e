import { compare, multiply, shift, spread } from './decimal.js'
import { fact, measure, term, termButton } from './definition.js'
import { addressButton, element } from './dom.js'
import {
  abbreviate, formatAmount, formatChange, formatCompact, formatDay, formatExact, formatMoment, formatNumber,
  formatPercent, formatPrice, formatShort, formatUsd, NONE, signOf
} from './format.js'
import { hasProposal, nameOf, quoteOf, UNPRICED } from './tokens.js'
import { explorerLink } from './explorer.js'

/** The figures of a pool, each with its unit, every digit on pointing, and its definition one tap away. */

const DAY = 86_400_000

const known = (text, write) => text === null || text === undefined ? NONE : write(text)

const price = (label, of, text, pool) => measure(label, of, text, quoteOf(pool), formatPrice)
export const amount = (label, of, text, units) => measure(label, of, text, units, formatAmount)
/** `more`: what is told beside all digits. */
const dollars = (label, of, text, write, more = '') => text === null || text === undefined
  ? fact(label, of, NONE)
  : fact(label, of, write(text), { exact: `$${formatExact(text)}${more}` })

/** Market value in quote tokens: a price times a supply; null while the supply is not known. */
const worth = (pool, supply, field) => supply === null ? null : multiply(supply[field], pool.last_price)
const short = text => formatShort(text, 4)

/** In dollars where the service gives them, or else in quote tokens. */
const capitalization = (label, of, usd, value, pool) => usd === null
  ? measure(label, of, value, quoteOf(pool), short)
  : dollars(label, of, usd, text => `$${short(text)}`)

const CHANGES = { '5m': '5 min', '1h': '1 h', '6h': '6 h', '24h': '24 h', '7d': '7 d', '30d': '30 d' }

/** By how much the price has changed, over each period. */
export const drawChanges = pool => Object.entries(CHANGES).map(([period, label]) => {
  const text = pool[`price_change_${period}`]
  return element('div', {}, term(label, `pool.price_change_${period}`), element('dd', {
    class: 'change',
    title: known(text, exact => `${exact} %`),
    'data-sign': signOf(text)
  }, formatChange(text)))
})

const SIDES = [
  ['Trades', 'trades_24h', ['buys_24h', 'sells_24h']],
  ['Volume', 'target_volume_24h', ['buy_volume_24h', 'sell_volume_24h']],
  ['Traders', 'makers_24h', ['buyers_24h', 'sellers_24h']]
]

/** What was bought, what was sold, and both together, in 24 hours. */
export const drawSides = pool => SIDES.map(([label, all, sides]) => element('tr', {},
  element('th', { scope: 'row' }, termButton(label, `pool.${all}`)),
  ...[...sides, all].map(field => typeof pool[field] === 'string'
    ? element('td', { title: `${formatExact(pool[field])} ${quoteOf(pool)}` }, formatCompact(pool[field]))
    : element('td', {}, formatNumber(pool[field])))))

export function drawFigures ({ pool, ticker, supply, treasury }) {
  const { provenance } = pool
  const pooled = (raw, token) => shift(raw, -token.decimals)
  const quotes = ticker === null ? null : spread(ticker.bid, ticker.ask)
  return [
    pool.priced_in_usd
      ? dollars('Liquidity', 'pool.liquidity_in_usd', pool.liquidity_in_usd, formatUsd)
      : fact('Liquidity', 'pool.liquidity_in_usd', NONE, { exact: UNPRICED }),
    amount('Pooled', 'provenance.base_reserves', pooled(provenance.base_reserves, pool.base), nameOf(pool)),
    amount('Pooled', 'provenance.quote_reserves', pooled(provenance.quote_reserves, pool.quote), quoteOf(pool)),
    capitalization(
      'Market cap', 'pool.market_cap_usd', pool.market_cap_usd, worth(pool, supply, 'circulatingSupply'), pool
    ),
    capitalization('Fully diluted', 'pool.fdv_usd', pool.fdv_usd, worth(pool, supply, 'totalSupply'), pool),
    price('Bid', 'ticker.bid', ticker?.bid, pool),
    price('Ask', 'ticker.ask', ticker?.ask, pool),
    fact('Spread', undefined, formatPercent(quotes)),
    price('Average price, 24 h', 'pool.vwap_24h', pool.vwap_24h, pool),
    amount('Volume, 24 h', 'pool.base_volume_24h', pool.base_volume_24h, nameOf(pool)),
    amount('Protocol fees, 24 h', 'pool.fees_24h', pool.fees_24h, quoteOf(pool)),
    dollars('Treasury', 'pool.treasury_usdc_aum', pool.treasury_usdc_aum, formatUsd),
    dollars(
      'NAV per token', 'treasury.nav_per_token', treasury?.nav_per_token, text => `$${formatPrice(text)}`,
      `, of a treasury of $${treasury?.nav_usd}`
    ),
    fact('Premium to NAV', 'treasury.premium', known(treasury?.premium, text => formatChange(shift(text, 2)))),
    fact('Launched', 'pool.created_at', known(pool.created_at, formatDay), { exact: pool.created_at ?? undefined }),
    ...typeof pool.complete_since === 'string'
      ? [fact('Trades known from', 'pool.complete_since', formatMoment(Date.parse(pool.complete_since)))]
      : [],
    fact('Proposal', 'pool.state', hasProposal(pool) ? 'Being decided' : 'None')
  ]
}

const isoDay = time => new Date(time).toISOString().slice(0, 10)
const extreme = (texts, sign) => texts.reduce(
  (best, text) => best === null || compare(text, best) * sign > 0 ? text : best, null
)

/** Prices of the last `count` days of UTC, today among them; null where none is known. */
function over ({ days }, count) {
  const from = isoDay(Date.now() - (count - 1) * DAY)
  const within = (days ?? []).filter(({ date, close }) => close !== null && date >= from)
  return {
    low: extreme(within.map(({ low }) => low), -1),
    high: extreme(within.map(({ high }) => high), 1)
  }
}

const RANGES = [
  ['24 h', 'The last 24 hours', ({ pool }) => ({ low: pool.low_24h, high: pool.high_24h })],
  ['7 d', 'Prices of the last seven days of UTC, today among them', known => over(known, 7)],
  ['30 d', 'Prices of the last thirty days of UTC, today among them', known => over(known, 30)]
]

export const drawRanges = state => RANGES.map(([label, title, of]) => {
  const { low, high } = of(state)
  const { pool } = state
  const volume = `target_volume_${label.replace(' ', '')}`
  return element('tr', {},
    element('th', { scope: 'row', title }, label),
    element('td', { title: known(low, formatExact) }, known(low, formatPrice)),
    element('td', { title: known(high, formatExact) }, known(high, formatPrice)),
    element(
      'td',
      pool[volume] === null ? {} : { title: `${formatExact(pool[volume])} ${quoteOf(pool)}` },
      known(pool[volume], short)
    ))
})

export const address = (label, kind, what, value) => element('div', {}, element('dt', {}, label),
  element('dd', {}, addressButton(value, what, abbreviate(value)), ' ', explorerLink(kind, value, what)))

export const drawAddresses = pool => [
  address('Token', 'token', 'token mint', pool.base.mint),
  address('Quote token', 'token', 'quote token’s mint', pool.quote.mint),
  address('Pool (the DAO)', 'account', 'pool address', pool.pool_id)
]
