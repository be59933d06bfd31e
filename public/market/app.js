import { compare, sum } from './decimal.js'
import { poll } from './api.js'
import { announce, byId, element, setText } from './dom.js'
import { formatAmount, formatCount, formatSeconds, formatShort, formatTime, NONE } from './format.js'
import { failureNotice, failureText } from './notice.js'
import { createChart } from './chart.js'
import { createPanel } from './supply.js'
import { createTable, quoteOf } from './tickers.js'

/** The page: asks for the market and hands it to the table, the chart and the panel; says how fresh it is. */

const TICKERS_EVERY = 15_000
const VOLUME_EVERY = 60_000

const TEXTS = ['base_currency', 'target_currency', 'pool_id', 'base_symbol', 'base_name', 'target_symbol']
const FIGURES = ['last_price', 'target_volume', 'liquidity_in_usd', 'bid', 'ask']
const DATE = /^\d{4}-\d{2}-\d{2}$/

const isFigure = text => compare(text, '0') !== null

/** Only what has the form of the contract is shown: an answer with one record that has not is no answer. */
function demand (holds) {
  if (!holds) throw new TypeError('not the form of the contract')
}

function checkTickers (body) {
  demand(Array.isArray(body))
  return body.map(record => {
    const ticker = { base_symbol: '', base_name: '', target_symbol: '', ...record }
    demand(TEXTS.every(field => typeof ticker[field] === 'string') && FIGURES.every(field => isFigure(ticker[field])))
    return ticker
  })
}

function checkVolume (body) {
  demand(isFigure(body.totalVolume) && Array.isArray(body.dailyBreakdown) && Array.isArray(body.tokens))
  demand(body.dailyBreakdown.every(({ date, volume, trades }) => DATE.test(date) && isFigure(volume) && Number.isFinite(trades)))
  demand(body.tokens.every(({ mint, totalVolume }) => typeof mint === 'string' && isFigure(totalVolume)))
  return body
}

/** What the panel tells beside the supply. */
const market = { tickers: [], tokens: [] }

const table = createTable()
const chart = createChart()
const panel = createPanel({ market, onSelect: table.select })

const freshness = ({ loadedAt, age, missing }) => [
  age === null
    ? `Loaded at ${formatTime(loadedAt)}`
    : `Loaded at ${formatTime(loadedAt)}, but ${formatSeconds(age)} old: the service could not read the chain since`,
  missing === null ? '' : '. Incomplete: some trades are missing, which no node has shown'
].join('')

/**
 * A part of the page that shows what one address answers: its failures, its freshness, and a word for those who don't see it.
 * @param {{ id: string, draw: (data: any) => void, loaded: (data: any) => string }} options
 */
function createView ({ id, draw, loaded }) {
  const place = byId(`${id}-state`)
  const line = byId(`${id}-fresh`)
  let said = ''

  const say = text => {
    if (text !== said) announce(text)
    said = text
  }

  return (answer, failure, retry) => {
    byId(`${id}-loading`)?.remove()
    byId(id).removeAttribute('aria-busy')
    if (answer !== null && failure === null) draw(answer.data)
    place.replaceChildren(...failure === null
      ? []
      : [failureNotice(failure, retry, answer === null ? undefined : `What you see was loaded at ${formatTime(answer.loadedAt)}.`)])
    setText(line, answer === null ? '' : freshness(answer))
    line.dataset.state = failure === null && answer.age === null && answer.missing === null ? 'fresh' : 'old'
    if (failure !== null) say(failureText(failure))
    else say(answer.age === null ? loaded(answer.data) : 'What is shown is old: the service could not read the chain since')
  }
}

const tile = (id, text, note = '') => {
  byId(`${id}-figure`).replaceChildren(text)
  setText(byId(`${id}-note`), note)
}

/** Volumes of several quote tokens have no sum: that of the pairs that share theirs with the deepest pool, which comes first. */
function dayVolume (tickers) {
  if (tickers.length === 0) return [NONE]
  const [{ target_currency: quote }] = tickers
  const alike = tickers.filter(ticker => ticker.target_currency === quote)
  const total = formatShort(sum(alike.map(({ target_volume: volume }) => volume)), 4)
  return [total, `${quoteOf(tickers[0])}${alike.length < tickers.length ? ' pairs only' : ''}`]
}

const showTickers = createView({
  id: 'pairs',
  loaded: tickers => `${formatCount(tickers.length, 'pair')} loaded`,
  draw (tickers) {
    market.tickers = tickers
    byId('no-pairs').hidden = tickers.length > 0
    byId('pairs-table').hidden = tickers.length === 0
    table.show(tickers)
    panel.refresh()
    const liquidity = sum(tickers.map(({ liquidity_in_usd: usd }) => usd))
    tile('pairs-tile', String(tickers.length), 'listed')
    tile('liquidity-tile', element('span', { title: `$${liquidity}` }, `$${formatShort(liquidity, 4)}`), 'in spot pools')
    tile('day-tile', ...dayVolume(tickers))
  }
})

const showVolume = createView({
  id: 'volume',
  loaded: () => 'Volume per day loaded',
  draw ({ totalVolume, dailyBreakdown, tokens }) {
    market.tokens = tokens
    chart.show(dailyBreakdown)
    panel.refresh()
    tile('total-tile', element('span', { title: `$${formatAmount(totalVolume)}` }, `$${formatShort(totalVolume, 4)}`), 'since launch')
  }
})

const tickersPoll = poll({
  path: 'api/tickers', check: checkTickers, interval: TICKERS_EVERY, show: (answer, failure) => showTickers(answer, failure, () => tickersPoll.refresh())
})
const volumePoll = poll({
  path: 'api/volume/aggregate', check: checkVolume, interval: VOLUME_EVERY, show: (answer, failure) => showVolume(answer, failure, () => volumePoll.refresh())
})
