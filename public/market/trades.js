import { get, poll } from './api.js'
import { checkTrades } from './contract.js'
import { asTheyAre, downloadCsv } from './csv.js'
import { addressButton, announce, arrange, byId, element, foreign, setText } from './dom.js'
import { explorerLink } from './explorer.js'
import { abbreviate, formatAgo, formatAmount, formatCount, formatExact, formatPrice, NONE } from './format.js'
import { nameOf, quoteOf } from './tokens.js'
import { createView, loadMore } from './view.js'

/** The trades of a pool, latest first, new ones as they come and older ones when asked for. */

const EVERY = 10_000
const PAGE = 25
/** Ages of trades are written anew so often, ms. */
const AGES_EVERY = 10_000
/** More rows than anybody reads; what is older goes on being one address away. */
const MAX_SHOWN = 1_000

const COLUMNS = asTheyAre(
  'trade_id', 'timestamp', 'side', 'price', 'base_amount', 'quote_amount', 'maker', 'signature', 'slot'
)

const cell = (className, ...children) => element('td', { class: className }, ...children)

const figure = (className, text, write, unit) => cell(className,
  element('span', text === null ? {} : { title: formatExact(text) }, text === null ? NONE : write(text)),
  ' ', foreign(unit, 'unit'))

function createRow (trade, pool) {
  const time = Date.parse(trade.timestamp)
  const title = `${trade.timestamp.slice(0, 19).replace('T', ' ')} UTC`
  const age = element('time', { datetime: trade.timestamp, title }, formatAgo(Date.now() - time))
  const row = element('tr', { 'data-side': trade.side },
    element('th', { scope: 'row' }, age),
    cell('trade-side', trade.side === 'buy' ? 'Buy' : 'Sell'),
    figure('trade-price', trade.price, formatPrice, quoteOf(pool)),
    figure('trade-amount', trade.base_amount, formatAmount, nameOf(pool)),
    figure('trade-value', trade.quote_amount, formatAmount, quoteOf(pool)),
    cell('trade-maker', addressButton(trade.maker, 'trader’s address', abbreviate(trade.maker)),
      explorerLink('account', trade.maker, 'trader')),
    cell('trade-tx',
      addressButton(trade.signature, 'transaction’s signature', abbreviate(trade.signature)),
      explorerLink('transaction', trade.signature, 'transaction')))
  return { trade, row, age, time }
}

/** The trades over the markup of the page; nothing is asked for before `start`. */
export function createTrades ({ path, banner }) {
  const body = byId('trade-rows')
  const older = byId('older')
  /** Latest first. */
  let rows = []
  let pool = null

  const keyOf = ({ trade_id: id }) => BigInt(id)

  /** Joins trades to those shown, each once; gives whether the oldest of them is the oldest shown now. */
  function add (trades) {
    const newest = rows[0] === undefined ? null : keyOf(rows[0].trade)
    const shown = new Set(rows.map(({ trade }) => String(trade.trade_id)))
    const fresh = trades.filter(({ trade_id: id }) => !shown.has(String(id))).map(trade => createRow(trade, pool))
    if (fresh.length === 0) return false
    const oldest = trades.at(-1)
    // a whole page whose oldest nobody knew leaves out what came between it and older ones: the list begins anew there
    const kept = trades.length === PAGE && !shown.has(String(oldest.trade_id))
      ? rows.filter(({ trade }) => keyOf(trade) > keyOf(oldest))
      : rows
    rows = [...kept, ...fresh].sort((a, b) => keyOf(a.trade) > keyOf(b.trade) ? -1 : 1).slice(0, MAX_SHOWN)
    if (newest !== null) for (const { trade, row } of fresh) if (keyOf(trade) > newest) row.classList.add('new')
    arrange(body, rows.map(({ row }) => row))
    tellNewest()
    return rows.at(-1).trade === oldest
  }

  /** The pool's price is what its reserves say, which is another than what the newest trade paid. */
  function tellNewest () {
    const newest = rows.find(({ trade: { price } }) => price !== null)
    if (newest === undefined) return
    const { trade: { price }, time } = newest
    const place = byId('last-trade')
    setText(place, ` · last trade at ${formatPrice(price)}, ${formatAgo(Date.now() - time)} ago`)
    place.title = formatExact(price)
  }

  const show = createView({
    id: 'trades',
    banner,
    loaded: trades => `${formatCount(trades.length, 'trade')} loaded`,
    draw (trades) {
      if (add(trades)) older.hidden = trades.length < PAGE
      byId('no-trades').hidden = rows.length > 0
      byId('trades-csv').disabled = rows.length === 0
    }
  })

  loadMore(older, byId('trades-state'), async () => {
    const { data } = await get(`${path}/trades?limit=${PAGE}&before=${rows.at(-1).trade.trade_id}`, checkTrades)
    add(data)
    older.hidden = data.length < PAGE || rows.length >= MAX_SHOWN
    announce(`${formatCount(data.length, 'older trade')} loaded`)
  })
  byId('trades-csv').addEventListener(
    'click', () => downloadCsv(`trades-${nameOf(pool)}-${quoteOf(pool)}`, COLUMNS, rows.map(({ trade }) => trade))
  )

  return {
    /** Takes a trade that has just been told. */
    told (trade) {
      add(checkTrades([trade]))
      byId('no-trades').hidden = rows.length > 0
    },
    start (of) {
      pool = of
      poll({ path: `${path}/trades?limit=${PAGE}`, check: checkTrades, interval: EVERY, show })
      setInterval(() => {
        for (const { age, time } of rows) setText(age, formatAgo(Date.now() - time))
        tellNewest()
      }, AGES_EVERY)
    }
  }
}
