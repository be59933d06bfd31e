import { poll } from './api.js'
import { byId, element, renew } from './dom.js'
import { formatDay, formatNumber, formatSeconds, formatTime } from './format.js'

/** One line on top of the page, in a holder's words, while the figures are not what they should be. */

const READY_EVERY = 5_000

/** That trades are being read, and how much is left of the last 24 hours, where the service says so. */
function progressText ({ phase, last_day: progress }) {
  if (phase === 'following') return ''
  const reading = ' The service is reading the trades of the past and shows figures once they are whole.'
  const { left, total, seconds_left: seconds } = progress ?? {}
  if (!Number.isFinite(left)) return reading
  const of = Number.isFinite(total) && total > 0 ? ` of ${formatNumber(total)}` : ''
  const time = Number.isFinite(seconds) ? `, about ${formatSeconds(Math.max(1, seconds))}` : ''
  return `${reading} ${formatNumber(left)}${of} transactions are left${time}.`
}

const since = answer => answer === null ? '' : ` What you see was loaded at ${formatTime(answer.loadedAt)}.`

/**
 * The state of one part of the page in words; undefined where all is well. The first of KINDS that some part reports is
 * shown.
 */
const KINDS = ['offline', 'node', 'limited', 'warming', 'stale', 'incomplete']
function judge (answer, failure) {
  const said = (kind, text) => ({ kind, text })
  // what was never there is told in its place
  if (failure?.kind === 'missing' && answer === null) return undefined
  if (failure?.kind === 'limited') {
    return said('limited', 'Too many requests from your address. ' +
      `This page asks again at ${formatTime(failure.retryAt)}.${since(answer)}`)
  }
  if (failure?.kind === 'warming') return said('warming', failure.message + since(answer))
  if (failure !== null) {
    return said(failure.status === undefined ? 'offline' : 'node',
      `${failure.message.replace(/\.?$/, '.')} This page keeps trying.${since(answer)}`)
  }
  if (answer === null) return undefined
  if (answer.age !== null) {
    return said('stale', `These figures are of ${answer.asOf.slice(11, 19)} UTC: ` +
      'the service can’t read a newer state of the blockchain right now.')
  }
  if (answer.missing === null) return undefined
  return said('incomplete', answer.since === null
    ? 'Some past trades are missing, which no node has shown: volumes since launch are at least what is shown.'
    : `The past is still being read: what you see begins on ${formatDay(answer.since)}, and the rest follows.`)
}

/** The banner over the markup of the page. `report` takes what each part of it got. */
export function createBanner () {
  const place = byId('banner')
  const states = new Map()
  let shown = ''
  let progress = ''
  let watching

  /** What the service says of itself while it warms up: also a refusal has a body then. */
  const watch = () => poll({
    path: 'ready',
    check: body => body,
    interval: READY_EVERY,
    also: [503],
    show (answer, failure) {
      progress = failure === null ? progressText(answer.data?.history ?? {}) : ''
      draw()
    }
  })

  function draw () {
    const all = [...states.values()]
    const state = KINDS.flatMap(kind => all.filter(each => each.kind === kind))[0]
    if (state?.kind === 'warming') watching ??= watch()
    else {
      watching?.stop()
      watching = undefined
    }
    const text = state === undefined ? '' : state.text + (state.kind === 'warming' ? progress : '')
    if (text === shown) return
    shown = text
    place.hidden = state === undefined
    if (state === undefined) return place.replaceChildren()
    place.dataset.kind = state.kind
    const button = element('button', { type: 'button', class: 'plain' }, 'Try now')
    button.addEventListener('click', () => { for (const { retry } of states.values()) retry() })
    renew(place, element('p', {}, text), ...['offline', 'node', 'warming'].includes(state.kind) ? [button] : [])
  }

  return {
    report (id, answer, failure, retry) {
      const state = judge(answer, failure)
      if (state === undefined) states.delete(id)
      else states.set(id, { ...state, retry })
      draw()
    }
  }
}
