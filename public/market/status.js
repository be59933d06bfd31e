import { poll } from './api.js'
import { term } from './definition.js'
import { announce, byId, element, setText } from './dom.js'
import { formatCount, formatMoment, formatSeconds, formatTime, NONE } from './format.js'
import { failureNotice } from './notice.js'

/** Whether the figures are fresh and whole, in words: what `/ready` says for machines. */

const EVERY = 5_000

function check (body) {
  if (typeof body.ready !== 'boolean' || !Array.isArray(body.problems) || typeof body.history !== 'object' ||
    typeof body.chain !== 'object') throw new TypeError('no state')
  return body
}

const seconds = value => value === null ? NONE : `${formatSeconds(Math.round(value))} ago`
const number = value => value === null || value === undefined ? NONE : value.toLocaleString('en')
const fact = (label, value) => element('div', {}, term(label), element('dd', {}, value))

const PHASES = {
  starting: 'Starting',
  'last-day': 'Reading the last 24 hours',
  'walking-back': 'Reading the past, back to each launch',
  following: 'Following the chain'
}

const offset = value => `${formatSeconds(Math.round(Math.abs(value)))} ${value > 0 ? 'ahead' : 'behind'}`

const GROUPS = {
  '/api/supply': 'Supplies, DAOs and treasuries',
  '/api/pools': 'Pools, trades and candles',
  '/api/tickers': 'Tickers of the last 24 hours',
  '/api/volume/aggregate': 'Volumes and fees by day',
  '/dexscreener': 'Block ranges'
}

const facts = ({ answers = [], chain, snapshot, history }) => [
  ...chain.halted === null ? [] : [fact('Chain', `${chain.halted[0].toUpperCase()}${chain.halted.slice(1)}`)],
  ...Math.abs(chain.clock_offset_seconds) < 60
    ? []
    : [
        fact('Clock of the service', `${offset(chain.clock_offset_seconds)} of UTC, and not believed`)
      ],
  ...chain.drift_seconds < 15
    ? []
    : [
        fact('Clock of the chain', `${offset(-chain.drift_seconds)} UTC, though its state is current`)
      ],
  fact('Prices as of', seconds(snapshot.age_seconds)),
  fact('At slot', number(snapshot.slot)),
  fact('Trades up to', seconds(history.head_age_seconds)),
  fact('History', PHASES[history.phase] ?? history.phase),
  fact('Last 24 hours', history.last_day_covered ? 'Whole' : 'Not whole yet'),
  fact('Since launch', history.complete ? 'Read to the beginning' : 'Still being read'),
  fact('Events known to be missing', number(history.missing_events)),
  ...answers.map(({ paths, ready, since, seconds_left: left }) => fact(GROUPS[paths[0]] ?? paths.join(', '), ready
    ? since === null ? 'Answers' : `Answers, from ${formatMoment(Date.parse(since))} on`
    : left === null ? 'Not yet' : `Not yet, about ${formatSeconds(Math.max(1, left))} left`)),
  ...history.losses === undefined ? [] : [fact('Losses that no node can fill', number(history.losses))]
]

function drawProgress (lastDay) {
  byId('progress').hidden = lastDay === null || lastDay === undefined || lastDay.total === 0
  if (byId('progress').hidden) return setText(byId('progress-text'), '')
  const { left, total, seconds_left: rest } = lastDay
  byId('progress').max = total
  byId('progress').value = total - left
  setText(
    byId('progress-text'),
    `${number(left)} of ${formatCount(total, 'transaction')} of the last 24 hours are ` +
      `left${rest === null ? '' : `, about ${formatSeconds(Math.max(1, rest))}`}.`
  )
}

let said = ''

function show (answer, failure, retry) {
  byId('state').removeAttribute('aria-busy')
  byId('state-state').replaceChildren(...failure === null ? [] : [failureNotice(failure, retry)])
  if (answer === null || failure !== null) {
    setText(byId('verdict'), 'The service does not answer')
    byId('verdict').dataset.state = 'bad'
    if (answer === null) byId('facts').replaceChildren()
    return
  }
  const { ready, problems, history } = answer.data
  const verdict = ready ? 'Everything is as it should be' : 'The figures can’t all be served right now'
  setText(byId('verdict'), verdict)
  byId('verdict').dataset.state = ready ? 'good' : 'bad'
  byId('problems').replaceChildren(
    ...problems.map(problem => element('li', {}, `${problem[0].toUpperCase()}${problem.slice(1)}.`))
  )
  drawProgress(history.last_day)
  byId('facts').replaceChildren(...facts(answer.data))
  setText(byId('state-fresh'), `Loaded at ${formatTime(answer.loadedAt)}`)
  if (said !== verdict) announce(verdict)
  said = verdict
}

poll({ path: 'ready', check, interval: EVERY, show, also: [503] })
