import { checkList, checkPools, checkSparklines, checkVolume } from './contract.js'
import { get, poll } from './api.js'
import { createBanner } from './banner.js'
import { createChart } from './chart.js'
import { byId, element, setText } from './dom.js'
import { formatAmount, formatCount, formatNumber, formatShort, NONE } from './format.js'
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
const table = createTable({ load: loadAll, records: async () => (await get('api/pools', checkPools)).data })
const chart = createChart()
createLeftOut()

const total = (id, text, exact, unit = '') => byId(id).replaceChildren(
  element('span', { title: exact }, text), unit === '' ? '' : element('small', {}, ` ${unit}`))

/** Volumes of several quote tokens have no sum: that of the pools that share theirs with the deepest, the first. */
function showTotals ({ pools: [deepest], totals: { volume, alike, trades, liquidity } }) {
  const kind = deepest === undefined ? '' : quoteOf(deepest)
  if (volume === null) total('total-volume', NONE, UNREAD)
  else {
    const exact = `${formatAmount(volume)} ${kind}, of ${formatCount(alike, 'pool')}`
    total('total-volume', formatShort(volume, 4), exact, kind)
  }
  total('total-liquidity', `$${formatShort(liquidity, 4)}`, `$${liquidity}`)
  total('total-trades', formatNumber(trades), trades === null ? UNREAD : formatCount(trades, 'trade'))
}

const showPools = createView({
  id: 'pools',
  banner,
  loaded: ({ totals }) => `${formatCount(totals.count, 'pool')} loaded`,
  draw (list) {
    table.show(list)
    showTotals(list)
    byId('below').hidden = false
  },
  unknown () {
    table.clear()
    byId('below').hidden = false
    for (const id of ['total-volume', 'total-liquidity', 'total-trades']) setText(byId(id), NONE)
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
  unknown () { setText(byId('total-launch'), NONE) }
})

/** The rows and their small drawings: without those a list is still the list, and they wait for the next time. */
const ask = query => [
  poll({ path: `market/pools${query}`, check: checkList, interval: POOLS_EVERY, show: showPools }),
  poll({
    path: `market/sparklines${query}`,
    check: checkSparklines,
    interval: SPARKLINES_EVERY,
    show: answer => { if (answer !== null) table.drawSparklines(answer.data) }
  })
]
let asking = ask(table.wantsAll() ? '?all=true' : '')
poll({ path: 'market/volume', check: checkVolume, interval: VOLUME_EVERY, show: showVolume })

/** A large market begins with its deepest pools. */
function loadAll () {
  for (const { stop } of asking) stop()
  asking = ask('?all=true')
}
