import { element } from './dom.js'
import { formatTime } from './format.js'

/** What went wrong, in the words of the service, and what happens next. */

const TITLES = {
  limited: 'Too many requests from your address',
  warming: 'The service is not ready yet',
  missing: 'Not found',
  error: 'No answer to show'
}

/** A failure as sentences, for screen readers. */
export const failureText = ({ kind, message }) => `${TITLES[kind]}. ${message}`

const next = ({ retryAt }) => retryAt === undefined ? undefined : `Trying again at ${formatTime(retryAt)}.`

/**
 * A box that tells of a failure. A limit has to be waited for; everything else may be tried at once.
 * @param {import('./api.js').Failure} failure
 * @param {() => void} retry
 * @param {string} [kept] A sentence on what is still shown in spite of it.
 */
export function failureNotice (failure, retry, kept) {
  const box = element('div', { class: `notice ${failure.kind}` },
    element('p', { class: 'notice-title' }, TITLES[failure.kind]),
    element('p', {}, [failure.message, kept, next(failure)].filter(Boolean).join(' ')))
  if (failure.kind !== 'limited' && failure.kind !== 'missing') {
    const button = element('button', { type: 'button', class: 'plain' }, 'Try now')
    button.addEventListener('click', retry)
    box.append(button)
  }
  return box
}

/** A line for something that is neither data nor a failure. */
export const remark = text => element('p', { class: 'remark' }, text)
