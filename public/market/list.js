import { sum } from './decimal.js'
import { checkPools, checkVolume } from './contract.js'
import { poll } from './api.js'
import { createBanner } from './banner.js'
import { createChart } from './chart.js'
import { byId, element, setText } from './dom.js'
import { formatAmount, formatCount, formatShort, NONE } from './format.js'
import { createLeftOut } from './left-out.js'
import { createTable, UNREAD } from './pools-table.js'
import { quoteOf } from './tokens.js'
import { createView } from './view.js'

/** The list of pools: asks for the market and hands it to the table, the totals and the chart. */

const POOLS_EVERY = 15_000
const VOLUME_EVERY = 60_000
/** Sparklines move little in five minutes. */
const SPARKLINES_EVERY = 300_000

const banner = createBanner()
const table = createTable()
const chart = createChart()
createLeftOut()

const total = (id, text, exact, unit = '') => byId(id).replaceChildren(
  element('span', { title: exact }, text), unit === '' ? '' : element('small', {}, ` ${unit}`))

/**
 * Volumes of several quote tokens have no sum: that of the pools that share theirs with the deepest pool, which comes
 * first.
 */
function showTotals (pools) {
  const [deepest] = pools
  const alike = pools.filter(pool => pool.quote.mint === deepest?.quote.mint)
  // a sum over pools of which one is not known is not known
  const isRead = alike.every(pool => pool.target_volume_24h !== null)
  const volume = isRead ? sum(alike.map(pool => pool.target_volume_24h)) : '0'
  const liquidity = sum(pools.map(pool => pool.liquidity_in_usd))
  const kind = deepest === undefined ? '' : quoteOf(deepest)
  const exact = `${formatAmount(volume)} ${kind}, of ${formatCount(alike.length, 'pool')}`
  if (isRead) total('total-volume', formatShort(volume, 4), exact, kind)
  else total('total-volume', NONE, UNREAD)
  total('total-liquidity', `$${formatShort(liquidity, 4)}`, `$${liquidity}`)
  const unread = pools.some(pool => pool.trades_24h === null)
  const trades = pools.reduce((count, pool) => count + pool.trades_24h, 0)
  total('total-trades', unread ? NONE : trades.toLocaleString('en'), unread ? UNREAD : formatCount(trades, 'trade'))
}

const showPools = createView({
  id: 'pools',
  banner,
  loaded: pools => `${formatCount(pools.length, 'pool')} loaded`,
  draw (pools) {
    table.show(pools)
    showTotals(pools)
  },
  settled () { byId('below').hidden = false },
  unknown () {
    table.clear()
    for (const id of ['total-volume', 'total-liquidity', 'total-trades']) setText(byId(id), '–')
  }
})

const showVolume = createView({
  id: 'volume',
  banner,
  loaded: () => 'Volume per day loaded',
  draw ({ totalVolume, dailyBreakdown }) {
    chart.show(dailyBreakdown)
    total('total-launch', `$${formatShort(totalVolume, 4)}`, `$${formatAmount(totalVolume)}`)
  },
  unknown () { setText(byId('total-launch'), '–') }
})

poll({ path: 'api/pools', check: checkPools, interval: POOLS_EVERY, show: showPools })
poll({ path: 'api/volume/aggregate', check: checkVolume, interval: VOLUME_EVERY, show: showVolume })
// a list without its small drawings is still the list: it waits for the next time
poll({
  path: 'market/sparklines',
  check: body => body,
  interval: SPARKLINES_EVERY,
  show: answer => { if (answer !== null) table.drawSparklines(answer.data) }
})
