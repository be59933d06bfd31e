import { poll } from './api.js'
import { checkReady } from './contract.js'
import { fact } from './definition.js'
import { announce, byId, element, renew, setText } from './dom.js'
import { formatCount, formatMoment, formatNumber, formatSeconds, formatTime, NONE } from './format.js'
import { failureNotice } from './notice.js'

/** Whether the figures are fresh and whole, in words: what `/ready` says for machines. */

const EVERY = 5_000

const seconds = value => value === null ? NONE : `${formatSeconds(Math.round(value))} ago`

const PHASES = {
  starting: 'Starting',
  'last-day': 'Reading the last 24 hours',
  'walking-back': 'Reading the past, back to each launch',
  following: 'Following the chain'
}

const capital = text => text[0].toUpperCase() + text.slice(1)
const offset = value => `${formatSeconds(Math.round(Math.abs(value)))} ${value > 0 ? 'ahead' : 'behind'}`

const GROUPS = {
  '/api/supply': 'Supplies, DAOs and treasuries',
  '/api/pools': 'Pools, trades and candles',
  '/api/proposals': 'Decisions',
  '/api/tickers': 'Tickers of the last 24 hours',
  '/api/volume/aggregate': 'Volumes and fees by day',
  '/dexscreener': 'Block ranges'
}

const facts = ({ answers = [], chain, snapshot, history }) => [
  ...chain.halted === null ? [] : [['Chain', capital(chain.halted)]],
  ...Math.abs(chain.clock_offset_seconds) < 60
    ? []
    : [['Clock of the service', `${offset(chain.clock_offset_seconds)} of UTC, and not believed`]],
  ...chain.drift_seconds < 15
    ? []
    : [['Clock of the chain', `${offset(-chain.drift_seconds)} UTC, though its state is current`]],
  ['Prices as of', seconds(snapshot.age_seconds)],
  ['At slot', formatNumber(snapshot.slot)],
  ['Trades up to', seconds(history.head_age_seconds)],
  ['History', PHASES[history.phase] ?? history.phase],
  ['Last 24 hours', history.last_day_covered ? 'Whole' : 'Not whole yet'],
  ['Since launch', history.complete ? 'Read to the beginning' : 'Still being read'],
  ['Events known to be missing', formatNumber(history.missing_events)],
  ...answers.map(({ paths, ready, since, seconds_left: left }) => [GROUPS[paths[0]] ?? paths.join(', '), ready
    ? since === null ? 'Answers' : `Answers, from ${formatMoment(Date.parse(since))} on`
    : left === null ? 'Not yet' : `Not yet, about ${formatSeconds(Math.max(1, left))} left`]),
  ...history.losses === undefined ? [] : [['Losses that no node can fill', formatNumber(history.losses)]]
].map(([label, value]) => fact(label, undefined, value))

function drawProgress (lastDay) {
  byId('progress').hidden = lastDay === null || lastDay === undefined || lastDay.total === 0
  if (byId('progress').hidden) return setText(byId('progress-text'), '')
  const { left, total, seconds_left: rest } = lastDay
  byId('progress').max = total
  byId('progress').value = total - left
  setText(
    byId('progress-text'),
    `${formatNumber(left)} of ${formatCount(total, 'transaction')} of the last 24 hours are ` +
      `left${rest === null ? '' : `, about ${formatSeconds(Math.max(1, rest))}`}.`
  )
}

let said = ''

function show (answer, failure, retry) {
  byId('state').removeAttribute('aria-busy')
  renew(byId('state-state'), ...failure === null ? [] : [failureNotice(failure, retry)])
  const isWell = failure === null && answer.data.ready
  const verdict = isWell
    ? 'Everything is as it should be'
    : failure === null ? 'The figures can’t all be served right now' : 'The service does not answer'
  setText(byId('verdict'), verdict)
  byId('verdict').dataset.state = isWell ? 'good' : 'bad'
  if (said !== verdict) announce(verdict)
  said = verdict
  if (answer === null) byId('facts').replaceChildren()
  if (failure !== null) return
  const { problems, history } = answer.data
  byId('problems').replaceChildren(
    ...problems.map(problem => element('li', {}, `${capital(problem)}.`))
  )
  drawProgress(history.last_day)
  byId('facts').replaceChildren(...facts(answer.data))
  setText(byId('state-fresh'), `Loaded at ${formatTime(answer.loadedAt)}`)
}

poll({ path: 'ready', check: checkReady, interval: EVERY, show, also: [503] })
