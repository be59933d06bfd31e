import { compare } from './decimal.js'
import { fact, measure } from './definition.js'
import { element, svg } from './dom.js'
import { formatAgo, formatDay, formatMoment, formatPrice, formatShort, NONE } from './format.js'
import { explorerLink } from './explorer.js'

/** A decision as people read it: both its markets, what the program compares, and until when. */

const WIDTH = 640
const HEIGHT = 160
const EDGE = 6
const STATES = { draft: 'Draft', pending: 'Being decided', passed: 'Passed', failed: 'Failed', removed: 'Removed' }

export const stateOf = ({ state }) => STATES[state] ?? state
export const isLive = ({ state }) => state === 'pending'

const price = (label, text, units) => measure(label, undefined, text, units, formatPrice)

/** "in 2 d", or what comes once the time is over: by the chain's clock, which the program goes by. */
function endOf ({ ends_at: at, as_of: now }) {
  if (at === null) return NONE
  const end = Date.parse(at)
  const left = end - Date.parse(now)
  if (Number.isNaN(left)) return formatMoment(end)
  return `${formatMoment(end)}, ${left > 0 ? `in ${formatAgo(left)}` : 'over: whoever wants may end it'}`
}

const LEADS = { pass: 'Pass, if they stay as they are', fail: 'Fail, if they stay as they are' }

/** The figures of a live decision; `unit`: what its prices are in. */
export function drawDecision (proposal, unit) {
  const end = fact('Ends', undefined, endOf(proposal))
  const { pass, fail, spot_price: spot, threshold, leads, pass_threshold_bps: bps } = proposal
  if (pass === null) return element('dl', { class: 'facts' }, end)
  return element('dl', { class: 'facts' },
    price('Price if it passes', pass.price, unit),
    price('Price if it fails', fail.price, unit),
    price('Spot price', spot, unit),
    price('Average, pass', pass.twap, unit),
    price('Average, fail', fail.twap, unit),
    price(bps === null ? 'Pass has to exceed' : `Pass has to exceed: fail + ${bps / 100} %`, threshold, unit),
    fact('By the averages', undefined, LEADS[leads] ?? 'Not recorded yet'),
    fact('Volume, pass and fail', undefined, [pass, fail].map(
      ({ volume }) => volume === null ? NONE : formatShort(volume, 4)
    ).join(' · '), { units: unit }),
    end)
}

/** The closes of both markets over time, each a step that holds until the next; undefined where neither has traded. */
export function drawMarkets (candles, from, to) {
  const lines = Object.entries(candles).filter(([, rows]) => rows.length > 0)
  if (lines.length === 0) return undefined
  const closes = lines.flatMap(([, rows]) => rows.map(({ close }) => close)).sort(compare)
  const [lowest, highest] = [closes[0], closes.at(-1)]
  const [least, most] = [Number(lowest), Number(highest)]
  const x = time => (Math.min(1, Math.max(0, (time - from) / Math.max(1, to - from))) * WIDTH).toFixed(1)
  const y = value => (most === least
    ? HEIGHT / 2
    : EDGE + (most - value) / (most - least) * (HEIGHT - 2 * EDGE)).toFixed(1)
  const drawn = lines.map(([market, rows]) => svg('path', {
    class: `market-line ${market}`,
    d: rows.map(({ time, close }, index) =>
      index === 0 ? `M${x(time)} ${y(Number(close))}` : `H${x(time)}V${y(Number(close))}`).join('') + `H${WIDTH}`
  }))
  const label = lines.map(([market, rows]) =>
    `${market} from ${formatPrice(rows[0].open)} to ${formatPrice(rows.at(-1).close)}`).join(', ')
  return element('figure', { class: 'markets' },
    svg('svg', {
      viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: 'none', role: 'img', 'aria-label': `Prices: ${label}`
    }, ...drawn),
    element('figcaption', { class: 'fine' },
      element('span', { class: 'key pass' }, 'Pass'), element('span', { class: 'key fail' }, 'Fail'),
      ` between ${formatPrice(lowest)} and ${formatPrice(highest)}, since ${formatMoment(from * 1000)}`))
}

/** A decision of the past in one line; with its averages where they are known. */
export const drawEnded = (proposal, ...before) => element('li', {},
  ...before,
  element('span', { class: `badge ${proposal.state === 'passed' ? '' : 'muted'}` }, stateOf(proposal)),
  element('span', {}, `No. ${proposal.number}`),
  ...proposal.decision === null
    ? []
    : [element('span', { class: 'quiet' }, `pass ${formatPrice(proposal.decision.pass_twap)} against ` +
        `${formatPrice(proposal.decision.threshold)} that it had to exceed`)],
  element('span', { class: 'quiet' }, proposal.finalized_at === null ? '' : formatDay(proposal.finalized_at)),
  explorerLink('account', proposal.proposal, 'proposal'))
